<?php
// Registers the site as a client of the hub's identity provider (RFC 7591), and changes and deletes the client (RFC 7592).
// The client's secret never leaves the site. seed.php includes this file.

/** Sends a request to the provider. Returns the status (0 without an answer), the JSON object, and the reason of a failure. */
function seed_call(string $method, string $url, ?string $token, ?array $body = null): array {
    $curl = new curl();
    $curl->setHeader(['Accept: application/json', 'Content-Type: application/json']);
    if ($token !== null) {
        $curl->setHeader('Authorization: Bearer ' . $token);
    }
    $options = ['CURLOPT_CONNECTTIMEOUT' => 10, 'CURLOPT_TIMEOUT' => 30];
    $text = $method === 'GET' ? $curl->get($url, [], $options) : $curl->post(
        $url,
        $body === null ? '' : json_encode($body, JSON_UNESCAPED_SLASHES),
        $options + ['CURLOPT_CUSTOMREQUEST' => $method]
    );
    $status = $curl->error ? 0 : (int) ($curl->get_info()['http_code'] ?? 0);
    $answer = json_decode((string) $text, true);
    $answer = is_array($answer) ? $answer : [];
    $code = is_string($answer['error'] ?? null) && preg_match('/^[a-z_]{1,64}$/', $answer['error']) ? ' ' . $answer['error'] : '';
    return [$status, $answer, $curl->error ?: "it answers $status$code"];
}

/**
 * Returns the site's clients: `current` is in use, `former` are to be deleted at the provider, and `requested` is the
 * time of a registration without an answer. Clients of another site, of which this site is a copy, are not its own.
 */
function seed_clients(string $site): array {
    $clients = json_decode((string) get_config('local_wheelwright', 'clients'), true);
    $none = ['site' => $site, 'current' => null, 'former' => [], 'requested' => null];
    return is_array($clients) && ($clients['site'] ?? null) === $site ? $clients + $none : $none;
}

/** Stores a change of the clients, which are one value, so that a crash cannot store a part of the change. */
function seed_change_clients(array $clients, array $change): array {
    $clients = array_replace($clients, $change);
    $text = json_encode($clients, JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
    if ((string) get_config('local_wheelwright', 'clients') !== $text) {
        set_config('clients', $text, 'local_wheelwright');
    }
    return $clients;
}

/** Returns the metadata of the client. Moodle sends the secret in the body of its requests. */
function seed_client_metadata(array $uris): array {
    return [
        'client_name' => parse_url($uris[0], PHP_URL_HOST),
        'redirect_uris' => $uris,
        'grant_types' => ['authorization_code'],
        'response_types' => ['code'],
        'application_type' => 'web',
        'token_endpoint_auth_method' => 'client_secret_post',
    ];
}

/** Returns a text of the provider's answer; null if it has none that can be a part of a request. */
function seed_text(array $answer, string $name): ?string {
    $text = $answer[$name] ?? null;
    return is_string($text) && preg_match('/^[\x21-\x7e]{1,4000}$/', $text) ? $text : null;
}

/** Returns the client that the provider describes; null without an ID and a secret. */
function seed_read_client(array $answer, string $issuer, array $uris): ?array {
    $address = seed_text($answer, 'registration_client_uri');
    $client = [
        'issuer' => $issuer,
        'uris' => $uris,
        'id' => seed_text($answer, 'client_id'),
        'secret' => seed_text($answer, 'client_secret'),
        // Null if the provider cannot change clients.
        'address' => $address !== null && str_starts_with($address, 'https://') ? $address : null,
        'token' => seed_text($answer, 'registration_access_token'),
    ];
    return $client['id'] === null || $client['secret'] === null ? null : $client;
}

/** Returns the clients with the current one among those to delete. */
function seed_retire_client(array $clients): array {
    $former = $clients['current'] === null ? [] : [$clients['current']];
    return ['current' => null, 'former' => [...$clients['former'], ...$former]] + $clients;
}

/** Registers a client, and retires the current one. Returns the clients, or the reason of a failure. */
function seed_register_client(array $clients, string $issuer, string $url, string $token, array $uris): array|string {
    if ($clients['requested'] !== null) {
        mtrace('the provider may have an unused client ' . parse_url($uris[0], PHP_URL_HOST) . ', from an interrupted registration');
    }
    $clients = seed_change_clients($clients, ['requested' => time()]);
    [$status, $answer, $reason] = seed_call('POST', $url, $token, seed_client_metadata($uris));
    if ($status === 0 || $status >= 500) {
        return "the provider has not registered the site: $reason"; // it may have, so the time stays
    }
    $client = $status < 300 ? seed_read_client($answer, $issuer, $uris) : null;
    if ($client === null) {
        seed_change_clients($clients, ['requested' => null]);
        return 'the provider has not registered the site: ' . ($status < 300 ? 'it gives no client secret' : $reason);
    }
    return seed_change_clients($clients, ['current' => $client, 'requested' => null] + seed_retire_client($clients));
}

/**
 * Brings the client at the provider up to date. Returns the clients, or the reason of a failure. Without a current client
 * in the result, the provider no longer knows it, or no longer accepts its token.
 */
function seed_update_client(array $clients, array $uris): array|string {
    $client = $clients['current'];
    if ($client['address'] === null || $client['token'] === null) {
        return $client['uris'] === $uris ? $clients : seed_change_clients($clients, seed_retire_client($clients));
    }
    $change = ['client_id' => $client['id'], 'client_secret' => $client['secret']] + seed_client_metadata($uris);
    [$status, $answer, $reason] = $client['uris'] === $uris
        ? seed_call('GET', $client['address'], $client['token'])
        : seed_call('PUT', $client['address'], $client['token'], $change);
    if ($status === 401 || $status === 404) {
        return seed_change_clients($clients, ['current' => null]);
    }
    if ($status !== 200) {
        return "the provider has not updated the site's client: $reason";
    }
    // The provider may have renewed the secret and the token.
    $current = array_replace($client, [
        'uris' => $uris,
        'secret' => seed_text($answer, 'client_secret') ?? $client['secret'],
        'token' => seed_text($answer, 'registration_access_token') ?? $client['token'],
    ]);
    return seed_change_clients($clients, ['current' => $current]);
}

/** Returns the site's clients with a current one, or the reason why the site has none. */
function seed_own_client(array $clients, string $issuer, array $announced, string $token, array $uris): array|string {
    if (($clients['current']['issuer'] ?? null) === $issuer) {
        $clients = seed_update_client($clients, $uris);
        if (is_string($clients) || $clients['current'] !== null) {
            return $clients;
        }
    }
    return seed_registration_problem($announced)
        ?? seed_register_client($clients, $issuer, $announced['registration_endpoint'], $token, $uris);
}

/** Deletes the clients that the site no longer uses. Returns the reason if the provider must be asked again. */
function seed_delete_clients(array $clients): ?string {
    $problem = null;
    foreach ($clients['former'] as $client) {
        [$status, , $reason] = $client['address'] === null || $client['token'] === null
            ? [405, [], 'it gave no address for this']
            : seed_call('DELETE', $client['address'], $client['token']);
        if ($status === 0 || $status === 429 || $status >= 500) {
            $problem = "the provider has not deleted the client {$client['id']}: $reason";
            continue;
        }
        mtrace($status < 300 ? "client {$client['id']} deleted" : "the provider does not delete {$client['id']}: $reason");
        $left = array_filter($clients['former'], fn (array $each): bool => $each['id'] !== $client['id']);
        $clients = seed_change_clients($clients, ['former' => array_values($left)]);
    }
    return $problem;
}
