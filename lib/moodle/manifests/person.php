<?php
// Suspends a person on this site and ends the person's sessions, or lets the person sign in again. The environment
// variable EMAIL has the address. Prints the number of changed accounts, or a line that starts with "refused:". This
// script is an argument of `php -r`. It can run again at any time.
define('CLI_SCRIPT', true);
require('/var/www/html/config.php');
require_once($CFG->dirroot . '/user/lib.php');

/** The preference of accounts that this script has suspended. Accounts that a school suspended itself stay suspended. */
const PERSON_MARK = 'local_wheelwright_suspended';

/** Returns the accounts with this address, on the site or at the identity provider. Case does not matter. */
function person_accounts(string $email): array {
    global $CFG, $DB;
    $linked = 'SELECT userid FROM {auth_oauth2_linked_login} WHERE LOWER(email) = ?';
    $where = "(LOWER(email) = ? OR id IN ($linked)) AND deleted = 0 AND mnethostid = ?";
    return $DB->get_records_select('user', $where, [$email, $email, $CFG->mnet_localhost_id], 'id');
}

/** Returns the number of suspended accounts. Suspends none if one of them administers the site. */
function person_suspend(array $accounts): int {
    foreach ($accounts as $account) {
        if (is_siteadmin($account->id)) {
            mtrace('refused: administrator');
            exit(3);
        }
    }
    foreach ($accounts as $account) {
        if (!(int) $account->suspended) {
            set_user_preference(PERSON_MARK, 1, $account->id);
            user_update_user((object) ['id' => $account->id, 'suspended' => 1], false);
        }
        \core\session\manager::destroy_user_sessions($account->id);
    }
    return count($accounts);
}

/** Returns the number of accounts that can sign in again. */
function person_reinstate(array $accounts): int {
    $count = 0;
    foreach ($accounts as $account) {
        if (get_user_preferences(PERSON_MARK, null, $account->id) === null) {
            continue;
        }
        if ((int) $account->suspended) {
            user_update_user((object) ['id' => $account->id, 'suspended' => 0], false);
            $count++;
        }
        unset_user_preference(PERSON_MARK, $account->id);
    }
    return $count;
}

/** Ends the script if a later attempt has begun, so that a late Job does not undo it. */
function person_begin(string $attempt): void {
    $last = (string) get_config('local_wheelwright', 'person_attempt');
    if ((int) $last > (int) $attempt) {
        mtrace("not changed: attempt $last has begun after this one, $attempt");
        exit(1);
    }
    set_config('person_attempt', $attempt, 'local_wheelwright');
}

person_begin((string) getenv('FENCE'));
$accounts = person_accounts(core_text::strtolower((string) getenv('EMAIL')));
$isreinstating = getenv('ACTION') === 'reinstate-person';
mtrace('accounts: ' . ($isreinstating ? person_reinstate($accounts) : person_suspend($accounts)));
