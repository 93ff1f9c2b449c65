/**
 * The tables of a Moodle 4.5 that keep settings, keys and addresses, in its own shapes (lib/db/install.xml and the plugins'),
 * filled as an installation and its people fill them.
 */

/** The rows of mdl_config. `HOST` stands for the site's host, `SECRET` for generated values. */
const CONFIG: Readonly<Record<string, string>> = {
  // lib/db/install.php
  ...{ rolesactive: "1", auth: "email,oauth2", enrol_plugins_enabled: "manual,guest,self,cohort", theme: "boost" },
  ...{ filter_multilang_converted: "1", siteidentifier: "SECRETHOST", backup_version: "2008111700" },
  ...{ backup_release: "4.5", mnet_dispatcher_mode: "off", sessiontimeout: "28800", stringfilters: "", filterall: "0" },
  ...{ texteditors: "tiny,textarea", antiviruses: "", media_plugins_sortorder: "videojs,youtube" },
  ...{ upgrade_calculatedgradeitemsignored: "1", mnet_localhost_id: "1", mnet_all_hosts_id: "2", siteguest: "1" },
  ...{ siteadmins: "2,3", themerev: "1795600000", jsrev: "1795600000", templaterev: "1795600000", gdversion: "2" },
  // written as it runs
  ...{ version: "2024100712", release: "4.5.12 (Build: 20261005)", branch: "405", allversionshash: "a1b2" },
  ...{ lastcroninterval: "60", lastcronstart: "1795600000", calendar_exportsalt: "SECRET", scheduledtaskslog: "1" },
  ...{ registered: "0", registrationpending: "0", digestmailtimelast: "0", scorm_updatetimelast: "0" },
  // defaults of settings (admin/settings, mod/chat/settings.php, badges)
  ...{ badges_badgesalt: "badges1795600000-SECRET", badges_defaultissuername: "", badges_defaultissuercontact: "" },
  ...{ chat_serverhost: "HOST", chat_serverip: "127.0.0.1", chat_serverport: "9111", chat_servermax: "100" },
  ...{ airnotifierurl: "https://messages.moodle.net", airnotifierport: "443", airnotifieraccesskey: "SECRET" },
  ...{ airnotifierappname: "commoodlemoodlemobile", messageinbound_enabled: "1", cronclionly: "1" },
  ...{
    cronremotepassword: "SECRET",
    frontpage: "6",
    lang: "en",
    country: "0",
    timezone: "99",
    docroot: "https://docs.moodle.org",
  },
  ...{ enablewebservices: "1", enablemobilewebservice: "1", enablebadges: "1", userquota: "104857600" },
  // set by the start scripts and by people
  ...{ noreplyaddress: "noreply@mail.example", supportemail: "help@mail.example", smtphosts: "relay.example:587" },
  ...{ smtpuser: "relay", smtppass: "typed by people", emailsubjectprefix: "birch:", noemailever: "0" },
  ...{ messageinbound_mailbox: "reply", messageinbound_domain: "mail.example", messageinbound_host: "imap.example" },
  ...{ messageinbound_hostuser: "reply", messageinbound_hostpass: "typed by people", recaptchapublickey: "typed" },
  ...{ recaptchaprivatekey: "typed by people", alternateloginurl: "", sitepolicyhandler: "tool_policy" },
  ...{ additionalhtmlhead: "<a href=https://HOST/>typed by people</a>" },
};

const PLUGINS: readonly (readonly [plugin: string, name: string, value: string])[] = [
  ["mnet", "openssl", "SECRET@@@@@@@@SECRET"],
  ["mnet", "openssl_history", 'a:1:{i:0;s:6:"SECRET";}'],
  ["mnet", "openssl_generations", "3"],
  ["mod_lti", "privatekey", "SECRET"],
  ["mod_lti", "kid", "SECRET"],
  ["mod_lti", "platformid", "https://HOST"],
  ["enrol_lti", "lti_13_privatekey", "SECRET"],
  ["enrol_lti", "lti_13_kid", "SECRET"],
  ["core_h5p", "site_uuid", "SECRET"],
  ["core_h5p", "site_type", "network"],
  ["hub", "site_regupdateversion", "2024100700"],
  ["hub", "site_contactemail", "head@birch.example"],
  ["hub", "site_name", "Birch school"],
  [
    "auth_shibboleth",
    "auth_instructions",
    'Use the <a href="https://HOST/auth/shibboleth/index.php">Shibboleth login</a>, see http://HOST/auth/shibboleth/index.php',
  ],
  ["auth_shibboleth", "changepasswordurl", ""],
  ["auth_oauth2", "version", "2024100700"],
  ["auth_ldap", "bind_pw", "typed by people"],
  ["tool_mobile", "apppolicy", ""],
  ["tool_mobile", "forcedurlscheme", "moodlemobile"],
  ["tool_dataprivacy", "contactdataprotectionofficer", "0"],
  ["communication_matrix", "matrixaccesstoken", "typed by people"],
  ["communication_matrix", "matrixhomeserverurl", "https://matrix.example"],
  ["mod_bigbluebuttonbn", "shared_secret", "typed by people"],
  ["local_wheelwright", "issuer", "2"],
  [
    "local_wheelwright",
    "clients",
    '{"site":"spo_1","current":{"id":"SECRET","secret":"SECRET","uris":["https://HOST/"]}}',
  ],
  ["core_admin", "logo", "/logo.png"],
  ["theme_boost", "brandcolor", "#00446a"],
  ["message_email", "version", "2024100700"],
];

const id = "id bigserial primary key";
const TABLES = {
  config: `${id}, name varchar(255) not null unique, value text not null`,
  config_plugins: `${id}, plugin varchar(100) not null default 'core', name varchar(100) not null, value text not null,
    unique (plugin, name)`,
  config_log:
    `${id}, userid bigint not null, timemodified bigint not null, plugin varchar(100), name varchar(100) not null,
    value text, oldvalue text`,
  mnet_application:
    `${id}, name varchar(50) not null, display_name varchar(50) not null, xmlrpc_server_url varchar(255) not null,
    sso_land_url varchar(255) not null, sso_jump_url varchar(255) not null`,
  mnet_host:
    `${id}, deleted smallint not null default 0, wwwroot varchar(255) not null, ip_address varchar(45) not null,
    name varchar(80) not null, public_key text not null, public_key_expires bigint not null default 0,
    transport smallint not null default 0, portno integer not null default 0, last_connect_time bigint not null default 0,
    last_log_id bigint not null default 0, force_theme smallint not null default 0, theme varchar(100),
    applicationid bigint not null default 1, sslverification smallint not null default 0`,
  user:
    `${id}, auth varchar(20) not null default 'manual', confirmed smallint not null default 0, mnethostid bigint not null,
    username varchar(100) not null, password varchar(255) not null, email varchar(100) not null,
    secret varchar(15) not null default ''`,
  user_preferences: `${id}, userid bigint not null, name varchar(255) not null, value varchar(1333) not null`,
  messageinbound_datakeys: `${id}, handler bigint not null, datavalue bigint not null, datakey varchar(64),
    timecreated bigint not null, expires bigint`,
  enrol_lti_tools:
    `${id}, enrolid bigint not null, contextid bigint not null, ltiversion varchar(15) not null default 'LTI-1p3',
    institution varchar(40) not null default '', secret text, uuid varchar(36)`,
  lti:
    `${id}, course bigint not null, name varchar(255) not null, toolurl text, resourcekey varchar(255), password varchar(255),
    servicesalt varchar(40)`,
  lti_types: `${id}, name varchar(255) not null, baseurl text not null, clientid varchar(255)`,
  bigbluebuttonbn: `${id}, course bigint not null, name varchar(255) not null, meetingid varchar(255) not null,
    moderatorpass varchar(255) not null, viewerpass varchar(255) not null, guestlinkuid varchar(1024), guestpassword varchar(255)`,
  communication:
    `${id}, instanceid bigint not null, component varchar(100) not null, instancetype varchar(100) not null,
    provider varchar(100) not null, roomname varchar(255), active smallint not null default 1`,
  communication_user: `${id}, commid bigint not null, userid bigint not null, synced smallint not null default 0`,
  matrix_room: `${id}, commid bigint not null, roomid varchar(255), topic varchar(255)`,
  auth_oauth2_linked_login: `${id}, userid bigint not null, issuerid bigint not null, username varchar(255) not null,
    email text not null, confirmtoken varchar(64) not null, confirmtokenexpires bigint`,
  oauth2_issuer: `${id}, name varchar(255) not null, clientid text not null, clientsecret text not null, baseurl text`,
  oauth2_refresh_token: `${id}, userid bigint not null, issuerid bigint not null, token text not null`,
  external_tokens: `${id}, token varchar(128) not null, privatetoken varchar(64), userid bigint not null`,
  user_private_key: `${id}, script varchar(128) not null, value varchar(128) not null, userid bigint not null`,
  registration_hubs:
    `${id}, token varchar(255) not null, hubname varchar(255) not null, huburl varchar(255) not null, secret varchar(255)`,
  sessions: `${id}, state bigint not null default 0, sid varchar(128) not null, userid bigint not null, sessdata text`,
  page: `${id}, course bigint not null, name varchar(255) not null, content text`,
  label: `${id}, course bigint not null, name varchar(255) not null, intro text not null`,
} as const;

const ROWS = `
  insert into mdl_mnet_application (name, display_name, xmlrpc_server_url, sso_land_url, sso_jump_url) values
    ('moodle', 'Moodle', '/mnet/xmlrpc/server.php', '/auth/mnet/land.php', '/auth/mnet/jump.php');
  insert into mdl_mnet_host (wwwroot, ip_address, name, public_key, public_key_expires, last_connect_time) values
    ('https://HOST', '10.0.0.7', '', 'SECRET', 1895600000, 1795600000), ('', '', 'All Hosts', '', 0, 0),
    ('https://peer.example', '192.0.2.1', 'Peer', 'of the peer', 1895600000, 0);
  insert into mdl_config_log (userid, timemodified, plugin, name, value, oldvalue) values
    (0, 1, null, 'badges_badgesalt', 'badges1795600000-SECRET', null), (2, 2, null, 'airnotifieraccesskey', 'SECRET', ''),
    (0, 1, null, 'chat_serverhost', 'HOST', null), (2, 3, null, 'timezone', '99', 'Europe/Berlin');
  insert into mdl_user (mnethostid, username, password, email, secret) values (1, 'guest', '', 'root@localhost', ''),
    (1, 'cpadmin', '$6$typed by people', 'cpadmin@wheelwright.invalid', ''), (1, 'ada', '$6$typed by people', 'ada@school.example', 'SECRET');
  insert into mdl_user_preferences (userid, name, value) values (3, 'newemail', 'a@b.example'), (3, 'newemailkey', 'SECRET'),
    (3, 'newemailattemptsleft', '3'), (3, 'htmleditor', 'tiny');
  insert into mdl_messageinbound_datakeys (handler, datavalue, datakey, timecreated) values (1, 5, 'SECRET', 1);
  insert into mdl_enrol_lti_tools (enrolid, contextid, secret, uuid) values (4, 21, 'SECRET', 'f2a1'), (5, 22, null, null);
  insert into mdl_lti (course, name, toolurl, resourcekey, password, servicesalt) values
    (2, 'Tool', 'https://tool.example', 'typed', 'typed by people', 'SECRET'), (2, 'Other', null, null, null, null);
  insert into mdl_lti_types (name, baseurl, clientid) values ('Tool', 'https://tool.example', 'known to the tool');
  insert into mdl_bigbluebuttonbn (course, name, meetingid, moderatorpass, viewerpass, guestlinkuid, guestpassword) values
    (2, 'Meeting', 'SECRET', 'SECRET', 'SECRET', 'SECRET', 'SECRET'), (2, 'Closed', 'SECRET', 'SECRET', 'SECRET', null, null);
  insert into mdl_communication (instanceid, component, instancetype, provider, roomname) values
    (2, 'core_course', 'coursecommunication', 'communication_matrix', 'Algebra');
  insert into mdl_communication_user (commid, userid, synced) values (1, 3, 1);
  insert into mdl_matrix_room (commid, roomid) values (1, 'SECRET:matrix.example');
  insert into mdl_auth_oauth2_linked_login (userid, issuerid, username, email, confirmtoken, confirmtokenexpires) values
    (3, 1, 'ada', 'ada@idp.example', 'SECRET', 1), (2, 1, 'eve', 'eve@idp.example', '', null);
  insert into mdl_oauth2_issuer (name, clientid, clientsecret, baseurl) values ('Campus', 'moodle', 'typed by people', ''),
    ('Hub', 'SECRET', 'SECRET', '');
  insert into mdl_oauth2_refresh_token (userid, issuerid, token) values (3, 1, 'SECRET');
  insert into mdl_external_tokens (token, privatetoken, userid) values ('SECRET', 'SECRET', 3);
  insert into mdl_user_private_key (script, value, userid) values ('rss', 'SECRET', 3);
  insert into mdl_registration_hubs (token, hubname, huburl, secret) values ('SECRET', 'moodle', 'https://stats.moodle.org', 'SECRET');
  insert into mdl_sessions (sid, userid, sessdata) values ('SECRET', 3, '');
  insert into mdl_page (course, name, content) values
    (2, 'Links', '<a href="https://HOST/mod/page/view.php?id=4">typed by people</a>');
  insert into mdl_label (course, name, intro) values (2, 'Links', 'https://HOST/course/view.php?id=2');`;

export const TABLE_NAMES: readonly string[] = Object.keys(TABLES);

/** Returns the SQL for a site with this host. `secret` replaces all generated values. */
export function siteSql(host: string, secret: string): string {
  const tables = Object.entries(TABLES).map(([name, columns]) => `create table "mdl_${name}" (${columns});`);
  const quote = (value: string): string => `'${value.replaceAll("'", "''")}'`;
  const config = Object.entries(CONFIG).map(([name, value]) => `(${quote(name)}, ${quote(value)})`);
  const plugins = PLUGINS.map((row) => `(${row.map(quote).join(", ")})`);
  return [
    ...tables,
    `insert into mdl_config (name, value) values ${config.join(", ")};`,
    `insert into mdl_config_plugins (plugin, name, value) values ${plugins.join(", ")};`,
    ROWS,
  ].join("\n").replaceAll("HOST", host).replaceAll("SECRET", secret);
}
