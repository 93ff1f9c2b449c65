<?php
// Makes the administrator's account in the site's database agree with the password that the Secret holds, and ends what was
// signed in with the old one. It can be run again at any time, with the same result. The last line of a run that came to
// its end is "agreed"; "refused: ..." says that the account is not one that can have a password, and nothing was changed.
// This text is given to `php -r`: no file of it lies in the site.
ini_set('zend.exception_ignore_args', '1'); // a trace in the log would show the password
define('CLI_SCRIPT', true);
require('/var/www/html/config.php');
require_once($CFG->libdir . '/authlib.php');
require_once($CFG->dirroot . '/login/lib.php');

function password_end(string $line, int $code): never {
    mtrace($line);
    exit($code);
}

function password_account(): stdClass {
    global $CFG, $DB;
    $user = $DB->get_record('user', ['username' => 'admin', 'mnethostid' => $CFG->mnet_localhost_id]);
    if (!$user || $user->deleted) {
        password_end('refused: there is no account named admin; it was renamed or deleted, or was never made', 3);
    }
    if ($user->suspended) {
        password_end('refused: the account admin is suspended', 3);
    }
    if ($user->auth === 'nologin' || !is_enabled_auth($user->auth)) {
        password_end('refused: the account admin cannot sign in, its way to do so is turned off', 3);
    }
    if (get_auth_plugin($user->auth)->prevent_local_passwords()) {
        password_end('refused: the account admin signs in by ' . $user->auth . ', which keeps its passwords elsewhere', 3);
    }
    return $user;
}

/** One attempt at a time, and none after a later one: a pod that is created late would bring an old password back. */
function password_set(stdClass $user, string $password, int $attempt): void {
    global $DB;
    $transaction = $DB->start_delegated_transaction();
    $DB->get_record_sql('SELECT id FROM {user} WHERE id = ? FOR UPDATE', [$user->id], MUST_EXIST);
    $where = ['plugin' => 'wheelwright', 'name' => 'passwordattempt'];
    $last = (int) $DB->get_field('config_plugins', 'value', $where);
    if ($last > $attempt) {
        $transaction->allow_commit();
        password_end("left as it is: attempt $last has begun after this one, $attempt", 1);
    }
    if (!get_auth_plugin($user->auth)->user_update_password($user, $password)) {
        throw new moodle_exception('errorpasswordupdate', 'auth');
    }
    set_config('passwordattempt', $attempt, 'wheelwright');
    $transaction->allow_commit();
    mtrace('account set');
}

/** Old sessions and links end, and whoever tried too often may try again. */
function password_clear(stdClass $user): void {
    global $DB;
    $renamed = method_exists(\core\session\manager::class, 'destroy_user_sessions'); // in 4.5
    $end = $renamed ? 'destroy_user_sessions' : 'kill_user_sessions';
    \core\session\manager::$end($user->id);
    $DB->delete_records('user_password_resets', ['userid' => $user->id]);
    login_unlock_account($user);
    mtrace('sessions ended');
}

/** Moodle's own link for a new password: for who cannot read the Secret. That it does not go out is no failure. */
function password_mail(stdClass $user): void {
    global $CFG;
    if (!empty($CFG->noemailever) || empty($CFG->smtphosts)) {
        mtrace('not mailed: the site sends no mail');
        return;
    }
    try {
        $sent = send_password_change_confirmation_email($user, core_login_generate_password_reset($user));
        mtrace($sent ? 'mailed' : 'not mailed: the mail server did not take it');
    } catch (Throwable $error) {
        mtrace('not mailed: ' . get_class($error));
    }
}

\core\session\manager::set_user(get_admin());
$password = (string) getenv('ADMIN_PASSWORD');
if ($password === '') {
    password_end('the Secret admin holds no password', 1);
}
$user = password_account();
password_set($user, $password, (int) getenv('FENCE'));
password_clear($user);
// By the same code as the login page.
if (!get_auth_plugin($user->auth)->user_login($user->username, $password)) {
    password_end('Secret and account do not agree', 1);
}
password_mail($user);
mtrace('agreed');
