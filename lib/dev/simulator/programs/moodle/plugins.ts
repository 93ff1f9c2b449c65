/** Names of Moodle plugins, keyed by plugin type, in the order in which the installer prints them. */
const PLUGINS: Readonly<Record<string, string>> = {
  antivirus: "clamav",
  availability: "completion date grade group grouping profile",
  qtype:
    "calculated ddimageortext ddmarker ddwtos description essay gapselect match multianswer multichoice numerical " +
    "random shortanswer truefalse",
  mod:
    "assign bigbluebuttonbn book chat choice data feedback folder forum glossary h5pactivity imscp label lesson lti " +
    "page qbank quiz resource scorm subsection survey url wiki workshop",
  auth: "cas db email ldap lti manual mnet nologin none oauth2 shibboleth webservice",
  enrol: "category cohort database fee flatfile guest imsenterprise ldap lti manual meta mnet paypal self",
  message: "airnotifier email popup",
  block: "activity_modules admin_bookmarks badges blog_menu calendar_month comments completionstatus course_list " +
    "course_summary html login myoverview navigation news_items online_users recent_activity rss_client search_forums " +
    "settings timeline",
  media: "html5audio html5video videojs vimeo youtube",
  filter:
    "activitynames algebra codehighlighter data displayh5p emailprotect emoticon glossary mathjaxloader mediaplugin",
  format: "singleactivity social topics weeks",
  report: "backups completion configlog courseoverview eventlist insights log loglive outline participation",
  gradeexport: "ods txt xls xml",
  repository:
    "areafiles coursefiles dropbox equella filesystem flickr googledocs local nextcloud onedrive recent upload",
  theme: "boost classic",
  tool:
    "analytics behat brickfield capability cohortroles dataprivacy installaddon langimport log lp mobile moodlenet " +
    "oauth2 policy recyclebin task unsuproles uploadcourse uploaduser usertours xmldb",
};

const PARTS = [
  "System",
  ...Object.entries(PLUGINS).flatMap(([type, names]) => names.split(" ").map((name) => `${type}_${name}`)),
];

export function listPluginInstallLines(): string[] {
  return PARTS.flatMap((part) => [`-->${part}`, "++ Success ++"]);
}
