<?php
// Sets the administrator's password to the password in the Secret, and ends the account's sessions. The script is
// idempotent. On success, the last line is "agreed". "refused: ..." means that the account cannot have a password and
// was not changed. This script is an argument of `php -r` and is not stored in the site.
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
        password_end('refused: there is no account named admin; it was renamed or deleted, or was never created', 3);
    }
    if ($user->suspended) {
        password_end('refused: the account admin is suspended', 3);
    }
    if ($user->auth === 'nologin' || !is_enabled_auth($user->auth)) {
        password_end('refused: the account admin cannot sign in, because its authentication plugin is disabled', 3);
    }
    if (get_auth_plugin($user->auth)->prevent_local_passwords()) {
        password_end('refused: the account admin signs in by ' . $user->auth . ', which stores its passwords elsewhere', 3);
    }
    return $user;
}

/** Sets the password, unless a later attempt has started. Otherwise, a late pod would set an old password. */
function password_set(stdClass $user, string $password, int $attempt): void {
    global $DB;
    $transaction = $DB->start_delegated_transaction();
    $DB->get_record_sql('SELECT id FROM {user} WHERE id = ? FOR UPDATE', [$user->id], MUST_EXIST);
    $where = ['plugin' => 'wheelwright', 'name' => 'passwordattempt'];
    $last = (int) $DB->get_field('config_plugins', 'value', $where);
    if ($last > $attempt) {
        $transaction->allow_commit();
        password_end("not changed: attempt $last has begun after this one, $attempt", 1);
    }
    if (!get_auth_plugin($user->auth)->user_update_password($user, $password)) {
        throw new moodle_exception('errorpasswordupdate', 'auth');
    }
    set_config('passwordattempt', $attempt, 'wheelwright');
    $transaction->allow_commit();
    mtrace('account set');
}

/** Ends the account's sessions and password reset links, and unlocks the account. */
function password_clear(stdClass $user): void {
    global $DB;
    $renamed = method_exists(\core\session\manager::class, 'destroy_user_sessions'); // in 4.5
    $end = $renamed ? 'destroy_user_sessions' : 'kill_user_sessions';
    \core\session\manager::$end($user->id);
    $DB->delete_records('user_password_resets', ['userid' => $user->id]);
    login_unlock_account($user);
    mtrace('sessions ended');
}

/** Emails Moodle's password reset link, for administrators who cannot read the Secret. Mail errors are only logged. */
function password_mail(stdClass $user): void {
    global $CFG;
    if (!empty($CFG->noemailever) || empty($CFG->smtphosts)) {
        mtrace('not mailed: the site sends no mail');
        return;
    }
    try {
        $sent = send_password_change_confirmation_email($user, core_login_generate_password_reset($user));
        mtrace($sent ? 'mailed' : 'not mailed: the mail server rejected the mail');
    } catch (Throwable $error) {
        mtrace('not mailed: ' . get_class($error));
    }
}

\core\session\manager::set_user(get_admin());
$password = (string) getenv('ADMIN_PASSWORD');
if ($password === '') {
    password_end('The Secret admin contains no password', 1);
}
$user = password_account();
password_set($user, $password, (int) getenv('FENCE'));
password_clear($user);
// Checks the new password with the same code as the login page.
if (!get_auth_plugin($user->auth)->user_login($user->username, $password)) {
    password_end('The account does not accept the password of the Secret', 1);
}
password_mail($user);
mtrace('agreed');
