<?php
// Checks whether this site can use an identity provider. Prints "usable", or a line that starts with "refused:" and
// says why not. The functions of sign-on.php come first. This script is an argument of `php -r`.
define('CLI_SCRIPT', true);
require('/var/www/html/config.php');
require_once($CFG->libdir . '/filelib.php');

/** Returns why the provider's keys cannot be read; null if they can. */
function check_keys_problem(array $announced): ?string {
    $url = $announced['jwks_uri'] ?? null;
    if (!is_string($url) || !str_starts_with($url, 'https://')) {
        return 'the provider publishes no https address as its jwks_uri';
    }
    $keys = seed_read($url);
    return is_string($keys) ? "the site cannot read $url: $keys" : (empty($keys['keys']) ? "$url contains no key" : null);
}

function check_provider(string $issuer, bool $registers): ?string {
    $announced = seed_discover($issuer);
    return seed_provider_problem($issuer, $announced) ?? check_keys_problem($announced)
        ?? ($registers ? seed_registration_problem($announced) : null);
}

$problem = check_provider(rtrim((string) getenv('ISSUER'), '/'), getenv('REGISTERS') === 'yes');
mtrace($problem === null ? 'usable' : "refused: $problem");
