<?php
// Creates a sign-in link for the site's administrator: a password reset link of Moodle, which makes earlier links
// invalid. The log contains the link's token only in encrypted form, for the requester's public key. On success, the
// last line is "sealed: ...". A line that starts with "refused:" states why the account cannot use a link; in that
// case, the account is left unchanged. This script is an argument of `php -r` and is not stored in the site.
ini_set('zend.exception_ignore_args', '1'); // a trace in the log would show the token
define('CLI_SCRIPT', true);
require('/var/www/html/config.php');
require_once($CFG->libdir . '/authlib.php');
require_once($CFG->dirroot . '/login/lib.php');

function link_refuse(string $why): never {
    mtrace("refused: $why");
    exit(3);
}

/** Returns the administrator's account. Refuses accounts that Moodle's reset page would reject. */
function link_account(): stdClass {
    global $CFG, $DB;
    if (!empty($CFG->forgottenpasswordurl)) {
        link_refuse('page'); // Moodle would redirect the link to this page
    }
    $user = $DB->get_record('user', ['username' => 'admin', 'mnethostid' => $CFG->mnet_localhost_id]);
    if (!$user || $user->deleted) {
        link_refuse('missing');
    }
    if ($user->suspended) {
        link_refuse('suspended');
    }
    if ($user->auth === 'nologin' || !is_enabled_auth($user->auth)) {
        link_refuse('closed');
    }
    if (get_auth_plugin($user->auth)->prevent_local_passwords()) {
        link_refuse('elsewhere');
    }
    return $user;
}

function link_seal(string $text, string $theirs): string {
    $pair = sodium_crypto_box_keypair(); // X25519
    $ours = sodium_crypto_box_publickey($pair);
    $shared = sodium_crypto_scalarmult(sodium_crypto_box_secretkey($pair), $theirs);
    $key = hash_hkdf('sha256', $shared, 32, $ours . $theirs);
    $sealed = openssl_encrypt($text, 'aes-256-gcm', $key, OPENSSL_RAW_DATA, str_repeat("\0", 12), $tag);
    if ($sealed === false) {
        throw new coding_exception('The link could not be encrypted');
    }
    return base64_encode($ours . $sealed . $tag);
}

function link_make(stdClass $user, string $key): string {
    global $CFG, $DB;
    $transaction = $DB->start_delegated_transaction();
    $DB->delete_records('user_password_resets', ['userid' => $user->id]);
    $reset = core_login_generate_password_reset($user);
    $expires = $reset->timerequested + (int) ($CFG->pwresettime ?? 1800);
    $sealed = link_seal(json_encode(['token' => $reset->token, 'expires' => $expires]), $key);
    $transaction->allow_commit();
    return $sealed;
}

mtrace('sealed: ' . link_make(link_account(), base64_decode((string) getenv('LINK_KEY'))));
