/** Lists some of the plugins that Moodle's installer prints. A real installation has about 430 parts. */
const PLUGINS =
  "antivirus_clamav availability_date qtype_essay qtype_multichoice qtype_truefalse mod_assign mod_bigbluebuttonbn mod_book " +
  "mod_data mod_feedback mod_folder mod_forum mod_glossary mod_h5pactivity mod_imscp mod_lesson mod_lti mod_page mod_quiz " +
  "mod_resource mod_scorm mod_subsection mod_url mod_wiki mod_workshop auth_email auth_ldap auth_manual auth_oauth2 " +
  "enrol_cohort enrol_guest enrol_manual enrol_self message_email message_popup block_badges block_html block_myoverview " +
  "block_timeline media_videojs filter_emoticon filter_mathjaxloader format_topics format_weeks report_insights report_log " +
  "gradeexport_ods gradeexport_xls repository_local repository_upload theme_boost theme_classic tool_dataprivacy tool_log " +
  "tool_mobile tool_policy tool_recyclebin tool_usertours tool_xmldb";

export function listPluginInstallLines(): string[] {
  return ["System", ...PLUGINS.split(" ")].flatMap((part) => [`-->${part}`, "++ Success ++"]);
}
