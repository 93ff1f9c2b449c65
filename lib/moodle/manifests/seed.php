<?php
// What a fresh site is told: its title, its administrator, its mail, look, single sign-on and courses. All of it is data:
// settings are the files of a ConfigMap, secrets come from the environment; what is not there is not touched. It can be
// run again at any time, with the same result: it never takes back what the site's people changed on their own accounts
// and courses. Of a site that is set up it sets only what SEED_CHANGES names, for the rest is its people's by then. It prints a line for each thing done ("left out: ..." for what could not be), and "seeded" at the end.
define('CLI_SCRIPT', true);
require('/var/www/html/config.php');
require_once($CFG->dirroot . '/user/lib.php');
require_once($CFG->dirroot . '/course/lib.php');
require_once($CFG->libdir . '/clilib.php');
require_once($CFG->libdir . '/filelib.php');
require_once(__DIR__ . '/courses.php');

function seed_setting(string $name): ?string {
    $file = '/settings/SEED_' . $name;
    $value = is_readable($file) ? file_get_contents($file) : getenv('SEED_' . $name);
    return $value === false || $value === '' ? null : $value;
}

function seed_title(string $title): void {
    global $DB;
    // The installer calls every site "moodle"; the short name stands in the title of each page.
    $fullname = core_text::substr($title, 0, 254); // as much as the column holds
    $names = ['id' => SITEID, 'fullname' => $fullname, 'shortname' => core_text::substr($title, 0, 100)];
    $DB->update_record('course', (object) $names);
    rebuild_course_cache(SITEID, true);
    mtrace('title set');
}

function seed_mail(string $mail): void {
    set_config('noemailever', $mail === 'off' ? 1 : 0);
    mtrace('mail ' . $mail);
}

function seed_administrator(string $email, string $password): void {
    global $CFG, $DB;
    if (core_text::strlen($email) > 100) {
        mtrace('left out: the administrator, whose address is longer than Moodle takes');
        return;
    }
    $known = $DB->get_record('user', ['username' => 'admin', 'mnethostid' => $CFG->mnet_localhost_id, 'deleted' => 0]);
    if ($known) {
        $id = (int) $known->id;
        if ($known->email !== $email) {
            user_update_user((object) ['id' => $id, 'email' => $email], false);
            mtrace('administrator readdressed');
        } else {
            mtrace('administrator kept');
        }
    } else {
        $id = (int) user_create_user((object) [
            'username' => 'admin',
            'password' => $password,
            'firstname' => 'Site',
            'lastname' => 'Administrator',
            'email' => $email,
            'confirmed' => 1,
            'mnethostid' => $CFG->mnet_localhost_id,
            'auth' => 'manual',
        ]);
        mtrace('administrator created');
    }
    $administrators = explode(',', (string) get_config('core', 'siteadmins'));
    if (!in_array((string) $id, $administrators, true)) {
        set_config('siteadmins', implode(',', [...$administrators, $id]));
    }
    set_config('authloginviaemail', 1);
}

function seed_brand(?string $color, ?string $scss): void {
    if ($color !== null) {
        set_config('brandcolor', $color, 'theme_boost');
    }
    if ($scss !== null) {
        set_config('scss', $scss, 'theme_boost');
    }
    theme_reset_all_caches();
    mtrace('brand set');
}

/** Moodle's own look: nothing stays of a brand that the site had before. */
function seed_no_brand(): void {
    foreach (['brandcolor', 'scss'] as $name) {
        set_config($name, '', 'theme_boost');
    }
    foreach (['logo', 'logocompact'] as $area) {
        get_file_storage()->delete_area_files(\context_system::instance()->id, 'core_admin', $area);
        set_config($area, '', 'core_admin');
    }
}

/** A file from the web with the content that is expected, or null. */
function seed_download(array $source, string $name): ?string {
    $file = make_request_directory() . '/' . $name;
    download_file_content($source['url'], null, null, true, 600, 20, false, $file);
    return is_file($file) && hash_equals($source['sha256'], (string) hash_file('sha256', $file)) ? $file : null;
}

function seed_logo(array $source): void {
    $file = seed_download($source, 'logo');
    $kinds = [IMAGETYPE_PNG => 'png', IMAGETYPE_JPEG => 'jpg'];
    $kind = $file === null ? null : ($kinds[(getimagesize($file) ?: [])[2] ?? 0] ?? null);
    if ($kind === null) {
        mtrace('left out: the logo, which is not there, is not the one expected, or is no PNG or JPEG');
        return;
    }
    $place = ['contextid' => \context_system::instance()->id, 'component' => 'core_admin', 'itemid' => 0];
    $storage = get_file_storage();
    foreach (['logo', 'logocompact'] as $area) {
        $storage->delete_area_files($place['contextid'], 'core_admin', $area);
        $record = $place + ['filearea' => $area, 'filepath' => '/', 'filename' => 'logo.' . $kind];
        $storage->create_file_from_pathname((object) $record, $file);
        set_config($area, '/logo.' . $kind, 'core_admin');
    }
    theme_reset_all_caches();
    mtrace('logo set');
}

/** The three endpoints that a sign-on needs: those that are given, the others as the issuer announces them. */
function seed_issuer_endpoints(): array {
    $endpoints = [
        'authorization_endpoint' => seed_setting('ISSUER_AUTHORIZATION_ENDPOINT'),
        'token_endpoint' => seed_setting('ISSUER_TOKEN_ENDPOINT'),
        'userinfo_endpoint' => seed_setting('ISSUER_USERINFO_ENDPOINT'),
    ];
    if (in_array(null, $endpoints, true) && seed_setting('ISSUER_URL') !== null) {
        $answer = (new curl())->get(rtrim(seed_setting('ISSUER_URL'), '/') . '/.well-known/openid-configuration');
        $announced = json_decode((string) $answer, true);
        foreach ($endpoints as $name => $url) {
            $endpoints[$name] = $url ?? (is_string($announced[$name] ?? null) ? $announced[$name] : null);
        }
    }
    return $endpoints;
}

function seed_sign_on(string $name): void {
    $endpoints = seed_issuer_endpoints();
    $usable = array_filter($endpoints, fn (?string $url): bool => $url !== null && str_starts_with($url, 'https://'));
    if (count($usable) < count($endpoints)) {
        mtrace('left out: single sign-on, whose issuer did not announce its endpoints, or not with https');
        return;
    }
    $scopes = seed_setting('ISSUER_SCOPES') ?? 'openid profile email';
    $settings = (object) [
        'name' => $name,
        'clientid' => seed_setting('ISSUER_CLIENT_ID'),
        'clientsecret' => seed_setting('ISSUER_CLIENT_SECRET'),
        'baseurl' => '', // Moodle would look for endpoints by itself, once, and fail with them
        'loginscopes' => $scopes,
        'loginscopesoffline' => $scopes . ' offline_access',
        'enabled' => 1,
        'showonloginpage' => \core\oauth2\issuer::EVERYWHERE,
        'image' => '',
        'loginparams' => '',
        'loginparamsoffline' => '',
        'alloweddomains' => '',
        'requireconfirmation' => 0,
        'servicetype' => '',
        'loginpagename' => '',
        'basicauth' => 0,
        'sortorder' => 0,
    ];
    $issuer = null;
    foreach (\core\oauth2\api::get_all_issuers() as $candidate) {
        if ($candidate->get('name') === $name) {
            $issuer = $candidate;
        }
    }
    if ($issuer) {
        $settings->id = $issuer->get('id');
        \core\oauth2\api::update_issuer($settings);
    } else {
        $issuer = \core\oauth2\api::create_issuer($settings);
    }
    $id = $issuer->get('id');
    foreach ($endpoints as $endpointname => $url) {
        $endpoint = \core\oauth2\endpoint::get_record(['issuerid' => $id, 'name' => $endpointname]);
        if ($endpoint) {
            $endpoint->set('url', $url);
            $endpoint->update();
        } else {
            \core\oauth2\api::create_endpoint((object) ['issuerid' => $id, 'name' => $endpointname, 'url' => $url]);
        }
    }
    // Without a name of the provider's own, the address would be the username, and a changed one would make a second account.
    $fields = ['email' => 'email', 'firstname' => 'given_name', 'lastname' => 'family_name', 'idnumber' => 'sub'];
    $fields['username'] = 'sub';
    foreach ($fields as $internal => $external) {
        $mapping = ['issuerid' => $id, 'internalfield' => $internal];
        if (!\core\oauth2\user_field_mapping::get_record($mapping)) {
            \core\oauth2\api::create_user_field_mapping((object) ($mapping + ['externalfield' => $external]));
        }
    }
    \core_plugin_manager::resolve_plugininfo_class('auth')::enable_plugin('oauth2', 1);
    mtrace('single sign-on set');
}

// A site of its own that another's data was made into (adopt.yaml) has lost the other's keys, and Moodle makes them as it is
// installed or upgraded alone. One that has keys keeps them.
function seed_keys(): void {
    global $CFG;
    foreach (['mod', 'enrol'] as $type) {
        $file = "$CFG->dirroot/$type/lti/upgradelib.php";
        if (is_readable($file)) {
            require_once($file);
            ("{$type}_lti_verify_private_key")();
        }
    }
}

\core\session\manager::set_user(get_admin());
$changes = seed_setting('CHANGES');
$asked = fn (string $part): bool => $changes === null || in_array($part, explode(' ', $changes), true);
if ($asked('keys')) {
    seed_keys();
}
if (seed_setting('TITLE') !== null && $asked('title')) {
    seed_title(seed_setting('TITLE'));
}
if (seed_setting('MAIL') !== null && $asked('mail')) {
    seed_mail(seed_setting('MAIL'));
}
if (seed_setting('ADMIN_EMAIL') !== null && getenv('ADMIN_PASSWORD') && $asked('administrator')) {
    seed_administrator(seed_setting('ADMIN_EMAIL'), getenv('ADMIN_PASSWORD'));
}
if ($changes !== null && $asked('brand')) {
    seed_no_brand();
}
if ((seed_setting('BRAND_COLOR') !== null || seed_setting('BRAND_SCSS') !== null) && $asked('brand')) {
    seed_brand(seed_setting('BRAND_COLOR'), seed_setting('BRAND_SCSS'));
}
if (seed_setting('BRAND_LOGO') !== null && $asked('brand')) {
    seed_logo(json_decode(seed_setting('BRAND_LOGO'), true, 4, JSON_THROW_ON_ERROR));
}
if (seed_setting('ISSUER_NAME') !== null && $asked('sign-on')) {
    seed_sign_on(seed_setting('ISSUER_NAME'));
}
foreach ($asked('courses') ? json_decode(seed_setting('COURSES') ?? '[]', true, 16, JSON_THROW_ON_ERROR) : [] as $course) {
    seed_course($course);
}
purge_caches();
mtrace('seeded');
