<?php
// Sets the title, administrator, mail, brand, shared settings, single sign-on and courses. Settings are files of a
// ConfigMap, and secrets are environment variables. Missing settings are not changed. The script is idempotent, and
// keeps changes that users made to accounts and courses. In an existing site, the script sets only the parts in
// SEED_CHANGES. The script prints a line for each part ("left out: ..." for a skipped part), and "seeded" at the end.
define('CLI_SCRIPT', true);
require('/var/www/html/config.php');
require_once($CFG->dirroot . '/user/lib.php');
require_once($CFG->dirroot . '/course/lib.php');
require_once($CFG->libdir . '/clilib.php');
require_once($CFG->libdir . '/filelib.php');
require_once(__DIR__ . '/courses.php');
require_once(__DIR__ . '/sign-on.php');
require_once(__DIR__ . '/client.php');

function seed_setting(string $name): ?string {
    $file = '/settings/SEED_' . $name;
    $value = is_readable($file) ? file_get_contents($file) : getenv('SEED_' . $name);
    return $value === false || $value === '' ? null : $value;
}

function seed_title(string $title): void {
    global $DB;
    // The installer sets the short name "moodle", which is part of each page's title.
    $fullname = core_text::substr($title, 0, 254); // the length of the column
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
        mtrace('left out: the administrator: the email address is longer than 100 characters');
        return;
    }
    $known = $DB->get_record('user', ['username' => 'admin', 'mnethostid' => $CFG->mnet_localhost_id, 'deleted' => 0]);
    if ($known) {
        $id = (int) $known->id;
        if ($known->email !== $email) {
            user_update_user((object) ['id' => $id, 'email' => $email], false);
            mtrace('administrator address changed');
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

/** Removes the site's brand and restores Moodle's default theme. */
function seed_no_brand(): void {
    foreach (['brandcolor', 'scss'] as $name) {
        set_config($name, '', 'theme_boost');
    }
    foreach (['logo', 'logocompact'] as $area) {
        get_file_storage()->delete_area_files(\context_system::instance()->id, 'core_admin', $area);
        set_config($area, '', 'core_admin');
    }
}

/** The settings that a hub shares, with their names in Moodle's table "config". */
const SEED_SHARED_SETTINGS = [
    'language' => 'lang',
    'timeZone' => 'timezone',
    'guestAccess' => 'guestloginbutton',
    'forcedLogin' => 'forcelogin',
    'uploadLimit' => 'maxbytes',
    'supportName' => 'supportname',
    'supportEmail' => 'supportemail',
    'supportPage' => 'supportpage',
];

/** Installs a language pack, unless the site has it. Returns whether the site can use the language. */
function seed_language(string $language): bool {
    global $CFG;
    if (get_string_manager()->translation_exists($language, false)) {
        return true;
    }
    if (!is_readable("$CFG->dirroot/$CFG->admin/tool/langimport/classes/controller.php")) {
        return false;
    }
    try {
        (new \tool_langimport\controller())->install_languagepacks($language);
    } catch (\Throwable $error) {
        return false;
    }
    get_string_manager()->reset_caches();
    return get_string_manager()->translation_exists($language, false);
}

/**
 * Sets what the hub shares. Stores each setting's former value, which returns when the hub no longer sets the setting.
 * A value that someone changed on the site in the meantime stays.
 */
function seed_shared_settings(array $settings): void {
    foreach (SEED_SHARED_SETTINGS as $name => $config) {
        $value = $settings[$name] ?? null;
        $text = is_int($value) ? (string) ($value * 1048576) // the upload limit, from MiB to bytes
            : (is_bool($value) ? (string) (int) $value : $value);
        $former = get_config('local_wheelwright', 'former_' . $config);
        $shared = get_config('local_wheelwright', 'shared_' . $config);
        if ($text === null) {
            if ($shared !== false) {
                if ((string) get_config('core', $config) === (string) $shared) {
                    set_config($config, json_decode((string) $former));
                }
                unset_config('former_' . $config, 'local_wheelwright');
                unset_config('shared_' . $config, 'local_wheelwright');
            }
            continue;
        }
        if ($name === 'language' && !seed_language($text)) {
            mtrace("left out: the setting language: the site cannot install the language pack $text");
            continue;
        }
        if ($shared === false) {
            $present = get_config('core', $config);
            set_config('former_' . $config, json_encode($present === false ? null : $present), 'local_wheelwright');
        }
        set_config('shared_' . $config, $text, 'local_wheelwright'); // first: what a crash leaves, the next run repairs
        set_config($config, $text);
    }
    mtrace('shared settings set');
}

/** Downloads a file. Returns null if the download fails or the hash differs. */
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
        mtrace('left out: the logo: it is missing, has another hash, or is no PNG or JPEG');
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

// Creates missing LTI keys. adopt.yaml removes the LTI keys of the original site, and Moodle creates LTI keys only
// during an installation or upgrade.
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
if (seed_setting('SETTINGS') !== null && $asked('settings')) {
    seed_shared_settings(json_decode(seed_setting('SETTINGS'), true, 4, JSON_THROW_ON_ERROR));
}
if (seed_setting('SIGN_IN') !== null && $asked('sign-on')) {
    $shared = json_decode(seed_setting('SIGN_IN'), true, 4, JSON_THROW_ON_ERROR);
    $site = json_decode(seed_setting('SITE'), true, 4, JSON_THROW_ON_ERROR);
    [$secret, $token] = [seed_setting('ISSUER_CLIENT_SECRET'), seed_setting('ISSUER_REGISTRATION_TOKEN')];
    seed_shared_sign_in($shared, $site, $secret, $token, seed_setting('ISSUER_NAME'));
} else if (seed_setting('ISSUER_NAME') !== null && $asked('sign-on')) {
    seed_sign_on(seed_setting('ISSUER_NAME'));
}
foreach ($asked('courses') ? json_decode(seed_setting('COURSES') ?? '[]', true, 16, JSON_THROW_ON_ERROR) : [] as $course) {
    seed_course($course);
}
purge_caches();
mtrace('seeded');
