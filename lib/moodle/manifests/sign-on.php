<?php
// Sets up and removes the hub's single sign-on, which is an OAuth 2 service of Moodle's core. seed.php includes this
// file. The Job protect-sign-in runs before, so that nobody can join the account of an administrator or of a suspended
// person by an email address.

/** Reads a JSON object from the web. Returns the reason if it cannot be read. */
function seed_read(string $url): array|string {
    $curl = new curl();
    $answer = json_decode((string) $curl->get($url), true);
    return is_array($answer) ? $answer : ($curl->error ?: 'the answer is no JSON object');
}

/** Reads the identity provider's discovery document. Returns the reason if it cannot be read. */
function seed_discover(string $issuer): array|string {
    return seed_read(rtrim($issuer, '/') . '/.well-known/openid-configuration');
}

/** Returns the identity provider's three endpoints, from the settings or from the provider's discovery document. */
function seed_issuer_endpoints(): array {
    $endpoints = [
        'authorization_endpoint' => seed_setting('ISSUER_AUTHORIZATION_ENDPOINT'),
        'token_endpoint' => seed_setting('ISSUER_TOKEN_ENDPOINT'),
        'userinfo_endpoint' => seed_setting('ISSUER_USERINFO_ENDPOINT'),
    ];
    if (in_array(null, $endpoints, true) && seed_setting('ISSUER_URL') !== null) {
        $announced = seed_discover(seed_setting('ISSUER_URL'));
        foreach (is_array($announced) ? $endpoints : [] as $name => $url) {
            $endpoints[$name] = $url ?? (is_string($announced[$name] ?? null) ? $announced[$name] : null);
        }
    }
    return $endpoints;
}

/** Sets the values of a record that differ. Moodle's caches and the record's time stay if none differs. */
function seed_change_record(\core\persistent $record, array $values): void {
    $text = fn ($value): string => (string) (is_bool($value) ? (int) $value : $value); // Moodle returns some numbers as flags
    $changed = array_filter(
        $values,
        fn ($value, string $name): bool => $text($record->get($name)) !== $text($value),
        ARRAY_FILTER_USE_BOTH
    );
    foreach ($changed as $name => $value) {
        $record->set($name, $value);
    }
    if ($changed) {
        $record->update();
    }
}

/** Creates or changes the OAuth 2 service, its endpoints and mappings. Returns the service's ID. */
function seed_save_issuer(?\core\oauth2\issuer $issuer, array $values, array $endpoints): int {
    global $DB;
    \core_plugin_manager::resolve_plugininfo_class('auth')::enable_plugin('oauth2', 1);
    $transaction = $DB->start_delegated_transaction();
    if ($issuer) {
        seed_change_record($issuer, $values);
    } else {
        $issuer = \core\oauth2\api::create_issuer((object) ($values + [
            'baseurl' => '', // with a URL, Moodle would run its own discovery, which fails
            'image' => '',
            'loginparams' => '',
            'loginparamsoffline' => '',
            'servicetype' => '',
            'basicauth' => 0,
            'sortorder' => 0,
        ]));
    }
    $id = (int) $issuer->get('id');
    foreach ($endpoints as $name => $url) {
        $endpoint = \core\oauth2\endpoint::get_record(['issuerid' => $id, 'name' => $name]);
        if ($endpoint) {
            seed_change_record($endpoint, ['url' => $url]);
        } else {
            \core\oauth2\api::create_endpoint((object) ['issuerid' => $id, 'name' => $name, 'url' => $url]);
        }
    }
    // Without a mapping, the email address would be the username, and a changed address would create a second account.
    $fields = ['email' => 'email', 'firstname' => 'given_name', 'lastname' => 'family_name', 'idnumber' => 'sub'];
    $fields['username'] = 'sub';
    foreach ($fields as $internal => $external) {
        $mapping = ['issuerid' => $id, 'internalfield' => $internal];
        if (!\core\oauth2\user_field_mapping::get_record($mapping)) {
            \core\oauth2\api::create_user_field_mapping((object) ($mapping + ['externalfield' => $external]));
        }
    }
    $transaction->allow_commit();
    return $id;
}

/** Returns the values that all of Wheelwright's OAuth 2 services have. */
function seed_issuer_values(string $name, string $clientid, string $secret, string $scopes): array {
    return [
        'name' => $name,
        'clientid' => $clientid,
        'clientsecret' => $secret,
        'loginscopes' => $scopes,
        'loginscopesoffline' => $scopes . ' offline_access',
        'enabled' => 1,
        'showonloginpage' => \core\oauth2\issuer::EVERYWHERE,
        'alloweddomains' => '',
        'requireconfirmation' => 0,
        'loginpagename' => '',
    ];
}

/** Sets up the single sign-on that the hub's namespace configures. Its OAuth 2 service is known by its name. */
function seed_sign_on(string $name): void {
    $endpoints = seed_issuer_endpoints();
    $usable = array_filter($endpoints, fn (?string $url): bool => $url !== null && str_starts_with($url, 'https://'));
    if (count($usable) < count($endpoints)) {
        mtrace('left out: single sign-on: the issuer publishes no https endpoints');
        return;
    }
    $scopes = seed_setting('ISSUER_SCOPES') ?? 'openid profile email';
    $values = seed_issuer_values($name, seed_setting('ISSUER_CLIENT_ID'), seed_setting('ISSUER_CLIENT_SECRET'), $scopes);
    seed_save_issuer(seed_first_issuer('name', $name), $values, $endpoints);
    mtrace('single sign-on set');
}

/** Returns the oldest OAuth 2 service with this value. Moodle's queries refuse conditions on columns of the type text. */
function seed_first_issuer(string $property, string $value): ?\core\oauth2\issuer {
    foreach (\core\oauth2\issuer::get_records([], 'id') as $issuer) {
        if ((string) $issuer->get($property) === $value) {
            return $issuer;
        }
    }
    return null;
}

/**
 * Returns the OAuth 2 service of the hub's single sign-on. The site stores its ID, because users may rename it. A site
 * without this ID may have the service from before the hub shared its sign-in.
 */
function seed_find_issuer(?string $clientid, ?string $formername): ?\core\oauth2\issuer {
    $id = (string) get_config('local_wheelwright', 'issuer');
    return ($id === '' ? null : seed_first_issuer('id', $id))
        ?? ($formername === null ? null : seed_first_issuer('name', $formername))
        ?? ($clientid === null ? null : seed_first_issuer('clientid', $clientid));
}

/** Returns why the provider cannot be used; null if it can. */
function seed_provider_problem(string $issuer, array|string $announced): ?string {
    if (is_string($announced)) {
        return "the site cannot read $issuer/.well-known/openid-configuration: $announced";
    }
    $name = $announced['issuer'] ?? '';
    if (!is_string($name) || rtrim($name, '/') !== $issuer) {
        return 'the provider has another issuer: ' . json_encode($name, JSON_UNESCAPED_SLASHES);
    }
    foreach (['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint'] as $endpoint) {
        $url = $announced[$endpoint] ?? null;
        if (!is_string($url) || !str_starts_with($url, 'https://')) {
            return "the provider publishes no https address as its $endpoint";
        }
    }
    return null;
}

/**
 * Leads from the login page to the OAuth 2 service with this ID. Moodle's setting alternateloginurl cannot do so, because
 * the service's address needs the session's key. The login page stays if Moodle reports something, or if the address has
 * Moodle's own parameter loginredirect=0, which Moodle keeps after a wrong password. It also stays after a redirect or a
 * sign-out, until someone has signed in: otherwise, a refused person would be sent around in a circle.
 */
const SEED_REDIRECT = <<<'HTML'
<script id="wheelwright-login-page">
document.addEventListener('DOMContentLoaded', () => {
  const key = 'wheelwright-login-page', { id, classList } = document.body;
  const stay = () => sessionStorage.setItem(key, 'stay');
  try {
    if (id !== 'page-login-index') {
      if (!classList.contains('notloggedin')) sessionStorage.removeItem(key);
      const signOut = 'a[href*="/login/logout.php"], form[action*="/login/logout.php"]';
      for (const kind of ['click', 'submit']) {
        document.addEventListener(kind, ({ target }) => { if (target.closest(signOut)) stay(); }, true);
      }
      return;
    }
    const link = [...document.querySelectorAll('a[href*="/auth/oauth2/login.php?"]')]
      .find((each) => new URL(each.href).searchParams.get('id') === 'ISSUER');
    const message = document.querySelector('#loginerrormessage, #logininfomessage, .login-maintenance');
    const isLocal = new URLSearchParams(location.search).get('loginredirect') === '0';
    if (!link || message || isLocal || sessionStorage.getItem(key)) return;
    stay();
    location.replace(link.href);
  } catch { /* a browser without storage shows the login page */ }
});
</script>
HTML;

/** Adds the script to the head of all pages, or removes it (null). Leaves everything else in Moodle's setting. */
function seed_login_page(?int $issuer): void {
    $present = (string) get_config('core', 'additionalhtmlhead');
    $others = preg_replace('~<script id="wheelwright-login-page">.*?</script>~s', '', $present);
    $html = $others . ($issuer === null ? '' : str_replace('ISSUER', (string) $issuer, SEED_REDIRECT));
    if ($html !== $present) {
        set_config('additionalhtmlhead', $html);
    }
}

/** Returns why the provider registers no clients (RFC 7591); null if it does. */
function seed_registration_problem(array $announced): ?string {
    $url = $announced['registration_endpoint'] ?? null;
    return is_string($url) && str_starts_with($url, 'https://') ? null
        : 'the provider does not offer that sites register (registration_endpoint)';
}

/** The condition for accounts that are linked to an OAuth 2 service. */
const SEED_LINKED = 'deleted = 0 AND id IN (SELECT userid FROM {auth_oauth2_linked_login} WHERE issuerid = ?)';

/**
 * Sets up the sign-in that the hub shares, or removes it if there are no values. Removal keeps all accounts: those
 * that have no password can then request one. They return to the provider when the sign-in is set up again. With the
 * token, the site registers its own client. `$site` has the spoke's ID and the site's redirect addresses.
 */
function seed_shared_sign_in(array $values, array $site, ?string $secret, ?string $token, ?string $formername): void {
    global $DB;
    $issuer = seed_find_issuer($values['clientId'] ?? null, $formername);
    $clients = seed_clients($site['id']);
    if (!$values) {
        seed_login_page(null);
        if ($issuer) {
            seed_change_record($issuer, ['enabled' => 0]);
            $DB->set_field_select('user', 'auth', 'manual', "auth = 'oauth2' AND " . SEED_LINKED, [$issuer->get('id')]);
        }
        mtrace('single sign-on removed');
        seed_end_clients(seed_change_clients($clients, seed_retire_client($clients)));
        return;
    }
    $url = rtrim($values['issuer'], '/');
    $announced = seed_discover($url);
    $problem = $secret === null && $token === null ? 'the client secret is missing' : seed_provider_problem($url, $announced);
    if ($problem === null && $token !== null) {
        $result = seed_own_client($clients, $url, $announced, $token, $site['redirectUris']);
        $problem = is_string($result) ? $result : null;
        $clients = is_string($result) ? $clients : $result;
        [$values['clientId'], $secret] = [$clients['current']['id'] ?? null, $clients['current']['secret'] ?? null];
    }
    if ($problem !== null) {
        mtrace('left out: single sign-on: ' . $problem);
        return;
    }
    $names = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint'];
    $scopes = $values['scopes'] ?? 'openid profile email';
    $id = seed_save_issuer($issuer, [
        'alloweddomains' => implode(', ', $values['domains'] ?? []),
        'requireconfirmation' => (int) ($values['confirmation'] ?? false),
    ] + seed_issuer_values($values['label'] ?? 'Single sign-on', $values['clientId'], $secret, $scopes),
        array_intersect_key($announced, array_flip($names)));
    if ((int) get_config('local_wheelwright', 'issuer') !== $id) {
        set_config('issuer', $id, 'local_wheelwright');
    }
    seed_login_page(($values['loginPage'] ?? 'button') === 'redirect' ? $id : null);
    // Moodle stores an empty password for an account that the provider has created.
    $returning = "auth = 'manual' AND password IN ('', '" . AUTH_PASSWORD_NOT_CACHED . "') AND " . SEED_LINKED;
    $DB->set_field_select('user', 'auth', 'oauth2', $returning, [$id]);
    mtrace('single sign-on set');
    seed_end_clients($token === null ? seed_change_clients($clients, seed_retire_client($clients)) : $clients);
}

/** Deletes the clients that the site no longer uses. A failure is reported, so that the site tries again. */
function seed_end_clients(array $clients): void {
    $problem = seed_delete_clients($clients);
    if ($problem !== null) {
        mtrace('left out: single sign-on: ' . $problem);
    }
}
