/** Written by `npm run generate`; commit it, do not edit it. */
export const blueprint: Readonly<Record<string, string>> = {
  "addons-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"addons-\${ADDONS_MODE}-\${FENCE}","labels":{"op":"addons-\${ADDONS_MODE}","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":3600,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"addons-\${ADDONS_MODE}"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"addons","image":"\${MOODLE_IMAGE}","command":["php","-r","\${ADDONS_SCRIPT}"],"env":[{"name":"MODE","value":"\${ADDONS_MODE}"},{"name":"ADDONS","value":"\${ADDONS}"},{"name":"MAINTENANCE","value":"\${MAINTENANCE_AFTER}"},{"name":"FENCE","value":"\${FENCE}"},{"name":"DB_PASS","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${APP_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"},{"name":"files","mountPath":"/volume"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "addons.php": `\
<?php
// Checks (MODE=check), or installs, upgrades and removes (MODE=apply), the add-ons that Wheelwright manages on this site.
// ADDONS is the list of wanted add-ons as JSON. The last line of the output is the result. This script is an argument of
// \`php -r\`. It does not load Moodle, because a broken add-on stops every program that does; other processes load it.
//
// It can be killed at any time: journal.json says how far it is. Before upgrade.php starts, the next run puts the old
// directories back. Afterwards it runs upgrade.php again, because Moodle continues after the last finished part.
//
// Facts about Moodle 4.5: upgrade.php checks all requirements before it changes anything, and prints "-->COMPONENT" when
// it begins with a plugin. A changed directory suspends cron until upgrade.php has run. uninstall_plugins.php leaves the
// directory, and exits with 0 whatever happens. The rows of mdl_config_plugins named "version" are the installed versions.
ini_set('display_errors', 'stderr');
set_error_handler(fn($level, $text) => error_reporting() & $level ? throw new ErrorException($text) : true);
$env = fn(string $name, string $default = ''): string => (string) (getenv($name) ?: $default);
$volume = $env('VOLUME_DIR', '/volume');
$html = $env('HTML_DIR', '/var/www/html'); // the same directory as $volume/html, from which nothing can be moved to moodledata
$work = "$volume/moodledata/wheelwright-addons";
$fence = $env('FENCE', '0');
$wanted = array_column(json_decode($env('ADDONS', '[]'), true, 8, JSON_THROW_ON_ERROR), null, 'component');

function finish(string $result, int $exit = 0): never {
    echo preg_replace('/\\s+/', ' ', $result), "\\n";
    exit($exit);
}
/** Runs a program. Returns its exit status and its lines. */
function run(string ...$words): array {
    exec(implode(' ', array_map('escapeshellarg', $words)) . ' 2>&1', $lines, $status);
    return [$status, array_map('trim', $lines)];
}
function remove_tree(string $directory): void {
    if (is_dir($directory) && run('rm', '-rf', $directory)[0] !== 0) {
        throw new ErrorException("Cannot delete $directory");
    }
}
/** Returns the line that says why a program failed. Moodle prints "!!! MESSAGE !!!" and then details. */
function cause(array $lines): string {
    $lines = array_filter($lines, fn($line) => trim($line, '! ') !== '' && !str_starts_with($line, 'Errors parsing'));
    $first = preg_grep('/^!!! /', $lines);
    $words = $first ?: preg_grep('/error|exception|fail|requires|!!/i', $lines) ?: $lines;
    return mb_substr(trim((string) ($first ? reset($words) : end($words)), '! '), 0, 400);
}

// Only one run at a time, and none that is older than another run.
if (!is_dir($work)) {
    mkdir($work);
}
$lock = fopen("$work/attempt", 'c+');
flock($lock, LOCK_EX);
if ((int) stream_get_contents($lock) > (int) $fence) {
    finish("stale: a later attempt has begun after this one, $fence", 1);
}
ftruncate($lock, 0);
rewind($lock);
fwrite($lock, $fence);
fflush($lock);

$password = addcslashes($env('DB_PASS'), "'\\\\");
$server = 'host=' . $env('DB_HOST', 'db') . ' port=' . $env('DB_PORT', '5432') . ' dbname=' . $env('DB_NAME', 'moodle');
$database = pg_connect("$server user=" . $env('DB_USER', 'moodle') . " password='$password' connect_timeout=10");
/** Returns the first column of a query's rows; with two columns, the second by the first. */
$query = function (string $sql, array $values = []) use ($database): array {
    $rows = pg_fetch_all(pg_query_params($database, $sql, $values), PGSQL_NUM);
    return array_column($rows, isset($rows[0][1]) ? 1 : 0, isset($rows[0][1]) ? 0 : null);
};
$versions = fn(): array => $query("select plugin, value from mdl_config_plugins where name = 'version' and plugin <> 'core'");
$records = fn(): array => $query("select substr(name, 7), value from mdl_config_plugins
    where plugin = 'local_wheelwright' and name like 'addon\\\\_%'"); // the add-ons that this script has installed
$forget = fn(string $component) => $query("delete from mdl_config_plugins
    where plugin = 'local_wheelwright' and name = $1", ["addon_$component"]);
/** Records the add-ons that are new on the site. One that somebody else has installed is upgraded, but never removed. */
$record = function (array $items) use ($query, $forget) {
    foreach ($items as ['component' => $component, 'version' => $version, 'had' => $had, 'from' => $from]) {
        if (!$had && $from === null) {
            $forget($component);
            $query("insert into mdl_config_plugins (plugin, name, value) values ('local_wheelwright', $1, $2)", ["addon_$component", $version]);
        }
    }
};
$locked = (int) ($query("select value from mdl_config where name = 'upgraderunning'")[0] ?? 0) - time();
if ($locked > 0) {
    finish("locked: $locked", 1); // a killed upgrade.php; Moodle releases its lock after some minutes
}

$cli = fn(string $script, string ...$words): array => run('php', '-d', 'max_input_vars=10000', "$html/admin/cli/$script.php", ...$words);
$upgrade = fn(): array => $cli('upgrade', '--non-interactive', '--allow-unstable');
$maintenance = function (bool $on) use ($cli, $env, $volume) {
    if ($on || ($env('MAINTENANCE') !== 'on' && is_file("$volume/moodledata/climaintenance.html"))) {
        [$status, $lines] = $cli('maintenance', $on ? '--enable' : '--disable');
        if ($status !== 0) {
            // A killed upgrade.php can leave its lock in a cache, too.
            preg_grep('/Site is being upgraded/', $lines) && finish('locked: 60', 1);
            throw new ErrorException('Maintenance mode cannot be changed: ' . cause($lines));
        }
    }
};
$read = fn(): ?array => is_file("$work/journal.json") ? json_decode(file_get_contents("$work/journal.json"), true) : null;
$write = function (array $journal) use ($work) {
    file_put_contents("$work/journal.new", json_encode($journal));
    rename("$work/journal.new", "$work/journal.json");
};
/** Deletes the journal first: what remains of the directories is then of no use to anybody. */
$clean = function () use ($work) {
    @unlink("$work/journal.json");
    array_map(fn($name) => remove_tree("$work/$name"), ['old', 'new', 'trash']);
    array_map('unlink', glob("$work/*.zip"));
};
/** Refuses the change before anything on the site has changed. An earlier run may have left maintenance mode on. */
$refuse = function (string $why) use ($clean, $maintenance): never {
    $clean();
    try {
        $maintenance(false);
    } catch (ErrorException $error) {
        $why .= '; ' . $error->getMessage();
    }
    finish("refused: $why", 3);
};
$discard = function (string $directory) use ($work) {
    if (is_dir($directory)) {
        is_dir("$work/trash") || mkdir("$work/trash");
        rename($directory, "$work/trash/" . uniqid('', true));
    }
};
$put_back = function (array $item) use ($volume, $work, $discard) {
    $target = "$volume/html/{$item['path']}";
    $old = "$work/old/{$item['component']}";
    if (is_dir($old)) {
        $discard($target);
        rename($old, $target);
    } else if (!$item['had']) {
        $discard($target);
    }
};
// Removes what a failed or killed installation of a plugin left, or finishes a killed upgrade: Moodle stores the version
// before the capabilities, tasks and services, and does not return to them.
$repair_code = <<<'CODE'
define('CLI_SCRIPT', true);
define('CACHE_DISABLE_ALL', true);
define('NO_UPGRADE_CHECK', true);
require $argv[1];
require_once($CFG->libdir . '/adminlib.php');
\\core\\session\\manager::set_user(get_admin());
if ($argv[3] === 'new') {
    uninstall_plugin(...core_component::normalize_component($argv[2]));
} else {
    require_once($CFG->libdir . '/upgradelib.php');
    upgrade_component_updated($argv[2]);
}
CODE;
$repair = fn(string $component, string $kind): bool => run('php', '-r', $repair_code, "$html/config.php", $component, $kind)[0] === 0;

/** Runs upgrade.php, and returns the site to what it was if that fails. Ends the program in that case. */
$complete = function (array $items) use ($upgrade, $versions, $forget, $put_back, $clean, $maintenance, $cli, $repair, $write) {
    [$status, $lines] = $upgrade();
    if ($status === 0) {
        return;
    }
    $cause = cause($lines);
    $begun = $ended = [];
    foreach ($lines as $line) {
        if (str_starts_with($line, '-->')) {
            $begun[] = substr($line, 3);
        } else if (str_starts_with($line, '++ Success')) {
            $ended[] = end($begun);
        }
    }
    $installed = $versions();
    $partly = $open = [];
    foreach ($items as $item) {
        ['component' => $component, 'from' => $from] = $item;
        $version = $installed[$component] ?? null;
        if (in_array($component, $ended, true)) {
            continue; // this one is complete, and Moodle cannot go back to an older version
        }
        $is_begun = in_array($component, $begun, true);
        if ($from === null && ($is_begun || $version !== null)) {
            $partly = $repair($component, 'new') ? $partly : [...$partly, $component];
        } else if ($from !== null && ($is_begun || $version !== $from)) {
            $partly[] = $component;
        }
        if ($from === null || $version === $from) {
            $put_back($item);
            if ($from === null && !$item['had']) {
                $forget($component);
            }
        } else {
            $open[] = $item;
        }
    }
    // After a refusal, the versions are those that Moodle has stored. Otherwise only upgrade.php ends the suspension of cron.
    [$status, $lines] = $begun ? $upgrade() : $cli('purge_caches');
    if ($status !== 0 || $partly) {
        // Maintenance mode stays on, and the journal too, so that the next run continues.
        $write(['phase' => 'upgrading', 'items' => $open]);
        $names = implode(', ', $partly) ?: 'the site';
        finish("partly: $names: $cause" . ($status !== 0 ? '; then: ' . cause($lines) : ''), 5);
    }
    $clean();
    $maintenance(false);
    finish("restored: $cause", 4);
};

$journal = $read();
if ($journal && $journal['phase'] === 'swapping') {
    array_map($put_back, $journal['items']);
    $clean();
    $cli('purge_caches');
    $maintenance(false);
    $journal = null;
}
if ($journal && $env('MODE') === 'check') {
    finish('interrupted: an earlier run has begun to change the site');
}
if ($journal) {
    $maintenance(true);
    $record($journal['items']);
    $installed = $versions();
    foreach ($journal['items'] as ['component' => $component, 'version' => $version, 'from' => $from, 'path' => $item_path]) {
        if (isset($installed[$component]) && is_dir("$volume/html/$item_path")) {
            $repair($component, $from === null ? 'new' : 'upgraded');
        }
    }
    $complete($journal['items']);
    $clean();
}

// What Moodle says about itself and its plugins.
$facts_code = <<<'CODE'
define('CLI_SCRIPT', true);
define('CACHE_DISABLE_ALL', true);
define('NO_UPGRADE_CHECK', true);
require $argv[1];
require "$CFG->dirroot/version.php";
$facts = ['version' => (float) $version, 'branch' => (int) $branch, 'theme' => $CFG->theme, 'paths' => [], 'plugins' => []];
foreach (core_component::get_plugin_types() as $type => $directory) {
    $facts['paths'][$type] = substr($directory, strlen(dirname($argv[1])) + 1);
}
foreach (core_plugin_manager::instance()->get_plugins() as $plugins) {
    foreach ($plugins as $plugin) {
        $facts['plugins'][$plugin->component] = [$plugin->versiondisk, (array) $plugin->dependencies, (bool) $plugin->is_uninstall_allowed()];
    }
}
echo "\\n", json_encode($facts);
CODE;
[$status, $lines] = run('php', '-r', $facts_code, "$html/config.php");
$facts = $status === 0 ? json_decode((string) end($lines), true) : null;
if (!$facts) {
    $refuse('Moodle cannot list its plugins: ' . cause($lines));
}
$path = function (string $component) use ($facts, $refuse): string {
    [$type, $name] = explode('_', $component, 2);
    $parent = $facts['paths'][$type] ?? null;
    return $parent === null ? $refuse("$component: this Moodle has no plugins of the type $type") : "$parent/$name";
};

// Decides what to change.
$installed = $versions();
$changes = [];
foreach ($wanted as $component => $addon) {
    $version = $installed[$component] ?? null;
    $on_disk = $facts['plugins'][$component][0] ?? null;
    if ($version !== null && (float) $version > $addon['version']) {
        echo "left out: $component: the site has the newer version $version\\n";
    } else if ((float) $version !== (float) $addon['version'] || (float) $on_disk !== (float) $addon['version']) {
        $changes[$component] = [
            'component' => $component, 'version' => $addon['version'], 'from' => $version,
            'path' => $path($component), 'had' => is_dir("$volume/html/" . $path($component)),
        ];
    }
}
$removals = array_diff_key($records(), $wanted);
do {
    $count = count($removals);
    foreach (array_keys($removals) as $component) {
        [$type, $name] = explode('_', $component, 2);
        $uses = $type !== 'mod' ? 0 : (int) $query('select count(*) from mdl_course_modules where module =
            (select id from mdl_modules where name = $1)', [$name])[0];
        $needs = array_filter($facts['plugins'], fn($plugin) => isset($plugin[1][$component]));
        $needs = array_diff(array_keys($needs), array_keys($removals));
        $why = match (true) {
            !isset($installed[$component]) => null, // an earlier run has removed it, but not its directory
            $uses > 0 => "$uses activities use it",
            $type === 'theme' && $facts['theme'] === $name => 'the site uses this theme',
            $needs !== [] => implode(', ', $needs) . ' needs it',
            !($facts['plugins'][$component][2] ?? true) => 'Moodle does not allow its removal, because it is in use',
            default => null,
        };
        if ($why !== null) {
            echo "left out: $component is not removed, because $why\\n";
            unset($removals[$component]);
        }
    }
} while (count($removals) < $count);
if (!$changes && !$removals) {
    $clean();
    $maintenance(false);
    finish('unchanged');
}

// Downloads and checks the new directories, next to the site.
/** Returns what an add-on's version.php declares. */
$declared = function (string $directory): ?array {
    $code = 'define("MOODLE_INTERNAL", 1); define("ANY_VERSION", "any");
        foreach ([50 => "ALPHA", 100 => "BETA", 150 => "RC", 200 => "STABLE"] as $number => $name) { define("MATURITY_$name", $number); }
        $module = $plugin = new stdClass; require $argv[1]; echo "\\n", json_encode($plugin);';
    [$status, $lines] = run('php', '-r', $code, "$directory/version.php");
    return $status === 0 ? json_decode((string) end($lines), true) : null;
};
foreach (['new', 'old', 'trash'] as $name) {
    remove_tree("$work/$name");
    mkdir("$work/$name");
}
$plans = [];
foreach ($changes as $component => $change) {
    $source = $wanted[$component]['source'];
    $fail = fn(string $why) => $refuse("$component: $why");
    $zip = "$work/$component.zip";
    if (!is_file($zip) || hash_file('sha256', $zip) !== $source['sha256']) {
        [$status, $lines] = run('curl', '-fsSL', '--proto', $env('PROTOCOLS', '=https'), '--max-redirs', '5', '--max-time', '600',
            '--connect-timeout', '20', '--max-filesize', '104857600', '-o', $zip, '--', $source['url']);
        $status === 0 || $fail("the download failed: " . cause($lines));
        hash_file('sha256', $zip) === $source['sha256'] || $fail('the downloaded file has another SHA-256 than the catalog');
    }
    $archive = new ZipArchive();
    $archive->open($zip) === true || $fail('the file is no zip archive');
    $size = 0;
    for ($i = 0; $i < $archive->numFiles; $i++) {
        $size += $archive->statIndex($i)['size'];
    }
    $size <= 524288000 && $archive->numFiles <= 50000 || $fail('the archive is too large');
    $archive->extractTo("$work/new/.$component");
    $tops = array_values(array_diff(scandir("$work/new/.$component"), ['.', '..', '__MACOSX']));
    count($tops) === 1 && is_file("$work/new/.$component/$tops[0]/version.php") || $fail('the archive has no plugin in one folder');
    rename("$work/new/.$component/$tops[0]", "$work/new/$component");
    $files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator("$work/new/$component", FilesystemIterator::SKIP_DOTS));
    foreach ($files as $file) {
        if ($file->getExtension() === 'php' && !$file->isLink()) {
            [$status, $lines] = run('php', '-n', '-l', $file->getPathname());
            $status === 0 || $fail(str_replace("$work/new/", '', cause($lines)));
        }
    }
    $plan = $declared("$work/new/$component") ?? $fail('its version.php cannot be read');
    ($plan['component'] ?? $component) === $component || $fail("the archive contains {$plan['component']}");
    (float) ($plan['version'] ?? 0) === (float) $change['version'] || $fail("the archive contains the version " . ($plan['version'] ?? '?'));
    (float) ($plan['requires'] ?? 0) <= $facts['version'] || $fail("it requires Moodle {$plan['requires']}, and the site has {$facts['version']}");
    isset($plan['incompatible']) && (int) $plan['incompatible'] <= $facts['branch']
        && $fail("it is incompatible with Moodle {$plan['incompatible']} and later");
    $plans[$component] = $plan;
}
foreach ($plans as $component => $plan) {
    foreach ((array) ($plan['dependencies'] ?? []) as $needed => $version) {
        $has = $plans[$needed]['version'] ?? (isset($removals[$needed]) ? null : $facts['plugins'][$needed][0] ?? null);
        if ($has === null || ($version !== 'any' && (float) $has < (float) $version)) {
            $refuse("$component: it needs $needed" . ($version === 'any' ? '' : " $version"));
        }
    }
}
foreach ($changes as $component => ['from' => $from, 'version' => $version]) {
    echo $from === null ? "installs: $component $version\\n" : "upgrades: $component $version\\n";
}
foreach (array_keys($removals) as $component) {
    echo "removes: $component\\n";
}
if ($env('MODE') === 'check') {
    finish('checked');
}

$maintenance(true);
if ($changes) {
    $items = array_values($changes);
    $write(['phase' => 'swapping', 'items' => $items]);
    foreach ($items as $item) {
        if ($item['had']) {
            rename("$volume/html/{$item['path']}", "$work/old/{$item['component']}");
        }
        rename("$work/new/{$item['component']}", "$volume/html/{$item['path']}");
    }
    $write(['phase' => 'upgrading', 'items' => $items]);
    $record($items);
    $complete($items);
    $clean();
}
if ($removals) {
    foreach (array_keys($removals) as $component) {
        if (isset($installed[$component])) {
            [, $lines] = $cli('uninstall_plugins', "--plugins=$component", '--run');
            isset($versions()[$component]) && finish("partly: $component cannot be removed: " . cause($lines), 5);
        }
        $discard("$volume/html/" . $path($component));
    }
    [$status, $lines] = $upgrade();
    $status === 0 || finish('partly: the add-ons are removed, but ' . cause($lines), 5);
    array_map($forget, array_keys($removals));
    $clean();
}
$maintenance(false);
finish('done');
`,
  "adopt.yaml": `\
{"apiVersion":"v1","kind":"PodTemplate","metadata":{"name":"adopt-database"},"template":{"spec":{"containers":[{"name":"adopt","image":"\${POSTGRES_IMAGE}","command":["sh","-c","set -e\\nif [ ! -s \\"$PGDATA/PG_VERSION\\" ]; then\\n  echo \\"not adopted: this volume contains no database\\"\\n  exit 1\\nfi\\npassword=\`printf %s \\"$DB_PASS\\" | sed \\"s/'/''/g\\"\`\\n{\\n  printf \\"alter role moodle password '%s';\\\\n\\\\n\\" \\"$password\\"\\n  cat <<'SQL'\\ndo $adopt$\\ndeclare\\n  adoption_id constant text := '\${ADOPTION_ID}';\\n  renewed constant boolean := '\${IDENTITY}' = 'new';\\n  part text;\\n  statement text;\\nbegin\\n  if to_regclass('public.mdl_config') is null then\\n    raise exception 'not adopted: this database contains no site';\\n  end if;\\n  if exists (select from public.mdl_config where name = 'wheelwright_adopted' and value = adoption_id) then\\n    return;\\n  end if;\\n  -- Sessions and tokens that give access to the site.\\n  foreach part in array array['sessions'] || case when renewed then array[\\n    'external_tokens', 'user_private_key', 'user_password_resets', 'user_devices', 'message_airnotifier_devices',\\n    'oauth2_access_token', 'oauth2_refresh_token', 'oauth2_system_account', 'badge_backpack_oauth2',\\n    'registration_hubs', 'mnet_session', 'lti_access_tokens', 'enrol_lti_reg_token', 'tool_mfa_secrets',\\n    'messageinbound_datakeys', 'communication_user', 'matrix_room', 'communication'\\n  ] else array[]::text[] end loop\\n    if to_regclass('public.mdl_' || part) is not null then\\n      execute format('delete from public.%I', 'mdl_' || part);\\n    end if;\\n  end loop;\\n  if renewed then\\n    -- Keys and salts. Moodle does not create a new salt.\\n    update public.mdl_config set value = gen_random_uuid()\\n      where name in ('calendar_exportsalt', 'cronremotepassword', 'badges_badgesalt') and value <> '';\\n    update public.mdl_config set value = '\${HOST}' where name = 'chat_serverhost';\\n    update public.mdl_config set value = '' where name = 'airnotifieraccesskey';\\n    -- Two sites that read the same mailbox would lose mail.\\n    update public.mdl_config set value = '0' where name = 'messageinbound_enabled';\\n    delete from public.mdl_config_plugins where (plugin, name) in (\\n      ('mnet', 'openssl'), ('mnet', 'openssl_history'), ('mod_lti', 'privatekey'), ('mod_lti', 'kid'),\\n      ('enrol_lti', 'lti_13_privatekey'), ('enrol_lti', 'lti_13_kid'), ('core_h5p', 'site_uuid')) or plugin = 'hub';\\n    update public.mdl_user set secret = '' where secret <> '';\\n    -- The client that the original site has registered at the hub's identity provider.\\n    if to_regclass('public.mdl_oauth2_issuer') is not null then\\n      update public.mdl_oauth2_issuer as issuer set clientid = '', clientsecret = ''\\n        from public.mdl_config_plugins as clients\\n        where clients.plugin = 'local_wheelwright' and clients.name = 'clients'\\n          and issuer.clientid = clients.value::jsonb #>> '{current,id}';\\n    end if;\\n    delete from public.mdl_config_plugins where plugin = 'local_wheelwright' and name = 'clients';\\n    -- Secrets and IDs of activities. Some versions of Moodle lack some of these columns.\\n    foreach part in array array[\\n      'enrol_lti_tools.secret', 'lti.servicesalt', 'auth_oauth2_linked_login.confirmtoken',\\n      'bigbluebuttonbn.meetingid', 'bigbluebuttonbn.moderatorpass', 'bigbluebuttonbn.viewerpass',\\n      'bigbluebuttonbn.guestlinkuid', 'bigbluebuttonbn.guestpassword'\\n    ] loop\\n      if exists (select from information_schema.columns where table_schema = 'public'\\n        and table_name = 'mdl_' || split_part(part, '.', 1) and column_name = split_part(part, '.', 2)) then\\n        execute format('update public.%1$I set %2$I = replace(gen_random_uuid()::text, ''-'', '''') where %2$I <> ''''',\\n          'mdl_' || split_part(part, '.', 1), split_part(part, '.', 2));\\n      end if;\\n    end loop;\\n    -- URLs that Moodle stored at its installation. Texts of users stay. Moodle creates the key at its first use.\\n    update public.mdl_config_plugins set value = 'https://\${HOST}' where plugin = 'mod_lti' and name = 'platformid';\\n    update public.mdl_config_plugins\\n      set value = regexp_replace(value, 'https?://[^/\\"<>[:space:]]+(?=/auth/shibboleth/index\\\\.php)', 'https://\${HOST}', 'g')\\n      where plugin = 'auth_shibboleth' and name = 'auth_instructions';\\n    for part, statement in values\\n      ('mnet_host', $x$update public.mdl_mnet_host set wwwroot = 'https://\${HOST}', ip_address = 'UNKNOWN',\\n        public_key = '', public_key_expires = 0, last_connect_time = 0\\n        where id::text = (select value from public.mdl_config where name = 'mnet_localhost_id')$x$),\\n      ('config_log', $x$update public.mdl_config_log set value = '', oldvalue = '' where plugin is null and name in\\n        ('badges_badgesalt', 'cronremotepassword', 'airnotifieraccesskey', 'chat_serverhost')$x$),\\n      ('user_preferences', $x$delete from public.mdl_user_preferences\\n        where name in ('newemail', 'newemailkey', 'newemailattemptsleft')$x$)\\n    loop\\n      if to_regclass('public.mdl_' || part) is not null then\\n        execute statement;\\n      end if;\\n    end loop;\\n    -- A new site identifier.\\n    insert into public.mdl_config (name, value) values\\n      ('siteidentifier', replace(gen_random_uuid()::text, '-', '') || '\${HOST}'), ('noemailever', '1')\\n      on conflict (name) do update set value = excluded.value;\\n  end if;\\n  insert into public.mdl_config (name, value) values ('wheelwright_adopted', adoption_id)\\n    on conflict (name) do update set value = excluded.value;\\nend\\n$adopt$;\\nSQL\\n} | postgres --single -j -D \\"$PGDATA\\" -c exit_on_error=on \\\\\\n  -c log_statement=none -c log_min_duration_statement=-1 -c log_min_error_statement=panic moodle >/dev/null\\necho adopted\\n"],"env":[{"name":"PGDATA","value":"/var/lib/postgresql/data/pgdata"},{"name":"DB_PASS","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${DATABASE_RESOURCES}","volumeMounts":[{"name":"\${DATA_CLAIM_TEMPLATE}","mountPath":"/var/lib/postgresql/data"}]}]}}}
---
{"apiVersion":"v1","kind":"PodTemplate","metadata":{"name":"adopt-files"},"template":{"spec":{"containers":[{"name":"adopt","image":"\${MOODLE_IMAGE}","command":["sh","-c","set -e\\ncd /v\\nif [ ! -d moodledata ]; then\\n  echo \\"not adopted: this volume contains no site\\"\\n  exit 1\\nfi\\nif [ \\"\`cat wheelwright-adopted 2>/dev/null\`\\" != \\"\${ADOPTION_ID}\\" ]; then\\n  ( cd moodledata && rm -rf cache localcache temp sessions lock climaintenance.html )\\n  if [ \\"\${IDENTITY}\\" = new ]; then rm -rf html/config.php moodledata/secret moodledata/muc; fi\\n  echo \\"\${ADOPTION_ID}\\" >wheelwright-adopted\\nfi\\necho adopted\\n"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"volumeMounts":[{"name":"files","mountPath":"/v"}]}]}}}`,
  "app.yaml": `\
{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"moodle"},"spec":{"strategy":{"type":"Recreate"},"progressDeadlineSeconds":900,"selector":{"matchLabels":{"app":"moodle"}},"template":{"metadata":{"labels":{"app":"moodle","role":"app","files-user":"true"}},"spec":{"automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"initContainers":["\${ADOPT_FILES}",{"name":"dirs","image":"\${MOODLE_IMAGE}","command":["sh","-c","mkdir -p /v/html /v/moodledata"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"volumeMounts":[{"name":"files","mountPath":"/v"}]}],"containers":[{"name":"moodle","image":"\${MOODLE_IMAGE}","ports":[{"name":"http","containerPort":8080}],"envFrom":[{"configMapRef":{"name":"moodle-env"}},{"secretRef":{"name":"moodle"}},{"secretRef":{"name":"mail"}}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${APP_RESOURCES}","startupProbe":{"exec":{"command":["curl","-fsS","http://127.0.0.1:8080/fpm-ping"]},"periodSeconds":5,"failureThreshold":120},"readinessProbe":{"exec":{"command":["sh","-c","file=/var/www/moodledata/wheelwright-workers.json\\ncurl -fsS --max-time 2 -o $file.new \\"http://127.0.0.1:8080/fpm-status?json\\" 2>/dev/null && mv $file.new $file\\nif [ -e /var/www/moodledata/climaintenance.html ]; then exec curl -fsS http://127.0.0.1:8080/fpm-ping; fi\\nurl=$SITE_URL\\nexec curl -fsS -o /dev/null --max-time 10 -H \\"Host: $\${url#*//}\\" -H \\"X-Forwarded-Proto: $\${url%%:*}\\" \\\\\\n  http://127.0.0.1:8080/login/index.php\\n"]},"periodSeconds":20,"timeoutSeconds":15,"failureThreshold":3},"livenessProbe":{"exec":{"command":["curl","-fsS","http://127.0.0.1:8080/fpm-ping"]},"periodSeconds":30,"timeoutSeconds":10,"failureThreshold":5},"volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"},{"name":"fpm","mountPath":"\${FPM_DIRECTORY}/zz-size.conf","subPath":"zz-size.conf"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}},{"name":"fpm","configMap":{"name":"fpm-size"}}]}}}}
---
{"apiVersion":"v1","kind":"Service","metadata":{"name":"moodle"},"spec":{"publishNotReadyAddresses":true,"selector":{"app":"moodle"},"ports":[{"name":"http","port":80,"targetPort":8080}]}}`,
  "check-sign-in-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"check-sign-in-\${FENCE}","labels":{"op":"check-sign-in","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":60,"ttlSecondsAfterFinished":30,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"check-sign-in"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"check-sign-in","image":"\${MOODLE_IMAGE}","command":["php","-r","\${CHECK_SIGN_IN_SCRIPT}"],"env":[{"name":"ISSUER","value":"\${ISSUER}"},{"name":"REGISTERS","value":"\${REGISTERS}"},{"name":"REQUEST","value":"\${REQUEST}"}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${CRON_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "check-sign-in.php": `\
<?php
// Checks whether this site can use an identity provider. Prints "usable", or a line that starts with "refused:" and
// says why not. The functions of sign-on.php come first. This script is an argument of \`php -r\`.
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
`,
  "client.php": `\
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
 * Returns the site's clients: \`current\` is in use, \`former\` are to be deleted at the provider, and \`requested\` is the
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
    return is_string($text) && preg_match('/^[\\x21-\\x7e]{1,4000}$/', $text) ? $text : null;
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
`,
  "closed-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"closed-\${FENCE}","labels":{"op":"closed","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":300,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"probe","op":"closed"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"seccompProfile":{"type":"RuntimeDefault"}},"containers":[{"name":"curl","image":"\${MOODLE_IMAGE}","command":["sh","-c","for try in 1 2 3 4 5 6 7 8 9 10; do\\n  status=\`curl -sS -o /dev/null -w '%{http_code}' --max-time 20 \\\\\\n    -H 'Host: \${HOST}' -H 'X-Forwarded-Proto: \${SCHEME}' http://moodle/login/index.php\`\\n  echo \\"$status\\"\\n  case \\"$status\\" in\\n    503) exit 0 ;;\\n    2??|3??) [ \\"$try\\" -gt 1 ] && exit 1 ;; # it is open, and was so a moment ago\\n  esac\\n  sleep 3\\ndone\\nexit 1\\n"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"20m","memory":"64Mi"},"limits":{"cpu":"200m","memory":"128Mi"}}}]}}}}`,
  "courses.php": `\
<?php
// Creates the initial courses of a site: empty, restored from a backup, or generated. An existing course with the same
// short name is kept. Before a course is restored or generated, the script stores a mark, and it removes the mark at
// the end. An existing mark means that an earlier run was killed. The script then deletes the incomplete course and
// creates it again.
defined('MOODLE_INTERNAL') || die();

function seed_course(array $course): void {
    global $DB;
    $shortname = $course['shortname'];
    $mark = 'making_' . sha1($shortname);
    $begun = get_config('wheelwright', $mark);
    $present = $DB->get_record('course', ['shortname' => $shortname], '*', IGNORE_MULTIPLE);
    if ($begun !== false) {
        $rest = (int) $begun > 0 ? $DB->get_record('course', ['id' => (int) $begun]) : $present;
        if ($rest && !seed_clear_course((int) $rest->id)) {
            seed_finish_course((int) $rest->id, ['shortname' => $shortname], $mark);
            mtrace('left out: course ' . $shortname . ': an incomplete course with this name is already in use');
            return;
        }
        unset_config($mark, 'wheelwright');
        $present = $DB->get_record('course', ['shortname' => $shortname], '*', IGNORE_MULTIPLE);
    }
    if ($present) {
        mtrace((int) $present->id === (int) SITEID
            ? 'left out: course ' . $shortname . ': its short name is that of the site'
            : 'course kept: ' . $shortname);
        return;
    }
    $category = (int) \\core_course_category::get_default()->id;
    if (isset($course['backup'])) {
        seed_restored_course($course, $mark, $category);
    } else if (isset($course['demo'])) {
        seed_demo_course($course, $mark);
    } else {
        create_course((object) (seed_names($course) + ['category' => $category]));
        mtrace('course created: ' . $shortname);
    }
}

function seed_names(array $course): array {
    return ['shortname' => $course['shortname'], 'fullname' => $course['title'] ?? $course['shortname']];
}

/** Deletes the incomplete course from an interrupted run, unless a user has visited the course. */
function seed_clear_course(int $id): bool {
    global $DB;
    if ($DB->record_exists('user_lastaccess', ['courseid' => $id])) {
        return false;
    }
    delete_course($id, false);
    return true;
}

/** Sets the final names of a course and removes the mark "being created", in one transaction. */
function seed_finish_course(int $id, array $names, string $mark): void {
    global $DB;
    $transaction = $DB->start_delegated_transaction();
    $DB->update_record('course', (object) ($names + ['id' => $id]));
    unset_config($mark, 'wheelwright');
    $transaction->allow_commit();
    rebuild_course_cache($id, true);
}

function seed_restored_course(array $course, string $mark, int $category): void {
    global $CFG, $DB;
    $shortname = $course['shortname'];
    $file = seed_download($course['backup'], 'course.mbz');
    if ($file === null) {
        mtrace('left out: course ' . $shortname . ': its backup is missing or has another hash');
        return;
    }
    require_once($CFG->dirroot . '/backup/util/includes/restore_includes.php');
    raise_memory_limit(MEMORY_HUGE);
    set_config($mark, '0', 'wheelwright');
    $names = seed_names($course);
    $id = (int) restore_dbops::create_new_course($names['fullname'], $shortname, $category);
    set_config($mark, (string) $id, 'wheelwright'); // the backup replaces the name
    try {
        $folder = 'seed_' . $id;
        get_file_packer('application/vnd.moodle.backup')->extract_to_pathname($file, make_backup_temp_directory($folder));
        $restore = new restore_controller(
            $folder,
            $id,
            backup::INTERACTIVE_NO,
            backup::MODE_GENERAL,
            get_admin()->id,
            backup::TARGET_NEW_COURSE
        );
        $restore->execute_precheck();
        $restore->execute_plan();
        $restore->destroy();
    } catch (\\Throwable $error) {
        mtrace('the restore says: ' . preg_replace('/\\s+/', ' ', $error->getMessage()));
        if ($DB->is_transaction_started()) {
            $DB->force_transaction_rollback();
        }
        seed_clear_course($id);
        unset_config($mark, 'wheelwright');
        mtrace('left out: course ' . $shortname . ': its backup could not be restored');
        return;
    }
    seed_finish_course($id, isset($course['title']) ? $names : ['shortname' => $shortname], $mark);
    mtrace('course restored: ' . $shortname);
}

/** Uses Moodle's test course generator to create a course with random users and content. */
function seed_demo_course(array $course, string $mark): void {
    global $CFG, $DB;
    $shortname = $course['shortname'];
    set_config($mark, '0', 'wheelwright');
    $script = $CFG->dirroot . '/admin/tool/generator/cli/maketestcourse.php';
    $options = ['--shortname=' . $shortname, '--size=' . $course['demo'], '--bypasscheck', '--quiet'];
    passthru(implode(' ', array_map('escapeshellarg', [PHP_BINARY, $script, ...$options])), $status);
    $made = $DB->get_record('course', ['shortname' => $shortname], '*', IGNORE_MULTIPLE);
    if ($status !== 0 || !$made) {
        if ($made) {
            seed_clear_course((int) $made->id);
        }
        unset_config($mark, 'wheelwright');
        mtrace('left out: course ' . $shortname . ': it could not be generated');
        return;
    }
    seed_finish_course((int) $made->id, seed_names($course), $mark);
    mtrace('course generated: ' . $shortname);
}
`,
  "cron.yaml": `\
{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"moodle-cron"},"spec":{"schedule":"* * * * *","concurrencyPolicy":"Forbid","startingDeadlineSeconds":45,"successfulJobsHistoryLimit":1,"failedJobsHistoryLimit":3,"jobTemplate":{"spec":{"backoffLimit":0,"activeDeadlineSeconds":3600,"ttlSecondsAfterFinished":3600,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"cron"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"cron","image":"\${MOODLE_IMAGE}","command":["sh","-c","timeout 180 php -r \\"$1\\"\\nexec php /var/www/html/admin/cli/cron.php --keep-alive=0\\n","cron","\${USAGE_SCRIPT}"],"env":[{"name":"DB_PASS","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${CRON_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}}}`,
  "database.yaml": `\
{"apiVersion":"v1","kind":"Service","metadata":{"name":"db"},"spec":{"clusterIP":"None","selector":{"role":"db"},"ports":[{"name":"pg","port":5432}]}}
---
{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"db"},"spec":{"serviceName":"db","selector":{"matchLabels":{"role":"db"}},"template":{"metadata":{"labels":{"role":"db","app":"db"}},"spec":{"automountServiceAccountToken":false,"enableServiceLinks":false,"terminationGracePeriodSeconds":120,"securityContext":{"runAsNonRoot":true,"runAsUser":70,"runAsGroup":70,"fsGroup":70,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"initContainers":["\${ADOPT_DATABASE}"],"containers":[{"name":"postgres","image":"\${POSTGRES_IMAGE}","ports":[{"containerPort":5432}],"env":[{"name":"POSTGRES_USER","value":"moodle"},{"name":"POSTGRES_DB","value":"moodle"},{"name":"PGDATA","value":"/var/lib/postgresql/data/pgdata"},{"name":"POSTGRES_PASSWORD","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${DATABASE_RESOURCES}","startupProbe":{"exec":{"command":["psql","-h","127.0.0.1","-U","moodle","-d","moodle","-tAc","select 1"]},"periodSeconds":5,"timeoutSeconds":5,"failureThreshold":60},"readinessProbe":{"exec":{"command":["psql","-h","127.0.0.1","-U","moodle","-d","moodle","-tAc","select 1"]},"periodSeconds":10,"timeoutSeconds":5},"livenessProbe":{"exec":{"command":["pg_isready","-h","127.0.0.1","-U","moodle","-d","moodle"]},"periodSeconds":30,"timeoutSeconds":5,"failureThreshold":6},"volumeMounts":[{"name":"\${DATA_CLAIM_TEMPLATE}","mountPath":"/var/lib/postgresql/data"}]}]}},"volumeClaimTemplates":[{"metadata":{"name":"\${DATA_CLAIM_TEMPLATE}","labels":{"backup-group":"spoke"}},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"\${STORAGE_CLASS}","resources":{"requests":{"storage":"\${DATABASE_DISK}"}}}}]}}`,
  "deliver-courses-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"deliver-courses-\${FENCE}","labels":{"op":"deliver-courses","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":3600,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"deliver-courses"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"courses","image":"\${MOODLE_IMAGE}","command":["php","-r","\${DELIVER_COURSES_SCRIPT}"],"env":[{"name":"COURSES","value":"\${COURSES}"},{"name":"LIBRARY_URL","value":"\${LIBRARY_URL}"},{"name":"FENCE","value":"\${FENCE}"}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${APP_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "deliver-courses.php": `\
<?php
// Brings the courses of the hub to this site, and takes back those that the hub no longer gives. Environment: COURSES (a
// JSON list), LIBRARY_URL and FENCE. Each version of a course is a course of its own. A former version that someone has
// used stays for those people, closed for new ones. A former version that nobody has used is deleted. A course that
// cannot be delivered is skipped. The last line is "delivered {...}". This script is an argument of \`php -r\`. It can run
// again at any time.
//
// The plugin settings of local_wheelwright have, per family of courses:
// - course_{family}: {"current":2,"versions":{"2":{"id":17,"sha256":"...","print":"...","closed":{...},"deleting":true}}}.
//   "print" is a hash of the restored course. "closed" has the enrolment settings from before the version was closed.
// - making_course_{family}: the short name or id of a course that is being restored. A later run deletes such a course.
define('CLI_SCRIPT', true);
require('/var/www/html/config.php');
require_once($CFG->dirroot . '/course/lib.php');
require_once($CFG->dirroot . '/backup/util/includes/restore_includes.php');

/** A course that cannot be delivered. The code is for the control plane, the message for people. */
final class DeliverySkipped extends Exception
{
    public function __construct(public readonly string $reason, string $message) {
        parent::__construct($message);
    }
}

function deliver_text(\\Throwable $error): string {
    return trim(preg_replace('/\\s+/', ' ', $error->getMessage() . ' ' . ($error->debuginfo ?? '')));
}

function deliver_roll_back(): void {
    global $DB;
    if ($DB->is_transaction_started()) {
        $DB->force_transaction_rollback();
    }
}

/** Ends the script if a later attempt has begun, so that a late Job does not undo it. */
function deliver_check_attempt(string $attempt): void {
    global $DB;
    // Read from the database, because a cache may be older.
    $last = (int) $DB->get_field('config_plugins', 'value', ['plugin' => 'local_wheelwright', 'name' => 'deliver_attempt']);
    if ($last > (int) $attempt) {
        mtrace("not changed: attempt $last has begun after this one, $attempt");
        exit(1);
    }
}

/** Waits until no other run is in progress. The lock ends with its process. */
function deliver_begin(string $attempt): void {
    deliver_check_attempt($attempt);
    set_config('deliver_attempt', $attempt, 'local_wheelwright'); // an earlier run ends before its next course
    $lock = \\core\\lock\\lock_config::get_lock_factory('local_wheelwright')->get_lock('deliver_courses', 1800);
    if (!$lock) {
        mtrace('not changed: another run is still in progress');
        exit(1);
    }
    core_shutdown_manager::register_function([$lock, 'release']);
    deliver_check_attempt($attempt);
}

function deliver_state(string $family): array {
    global $DB;
    $text = $DB->get_field('config_plugins', 'value', ['plugin' => 'local_wheelwright', 'name' => "course_$family"]);
    return (json_decode((string) $text, true) ?: []) + ['current' => null, 'versions' => []];
}

function deliver_save(string $family, array $state): void {
    if ($state['versions']) {
        $state['versions'] = (object) $state['versions'];
        set_config("course_$family", json_encode($state), 'local_wheelwright');
    } else {
        unset_config("course_$family", 'local_wheelwright');
    }
}

/** Returns the families whose settings begin with a prefix. */
function deliver_families(string $prefix): array {
    global $DB;
    $where = "plugin = 'local_wheelwright' AND " . $DB->sql_like('name', '?');
    $names = $DB->get_fieldset_select('config_plugins', 'name', $where, [$DB->sql_like_escape($prefix) . '%']);
    return array_map(fn($name) => substr($name, strlen($prefix)), $names);
}

/** Deletes a course without a copy in the recycle bin. */
function deliver_delete(int $id): void {
    global $CFG;
    $bins = ['coursebinenable' => false, 'categorybinenable' => false];
    $CFG->forced_plugin_settings['tool_recyclebin'] = $bins + ($CFG->forced_plugin_settings['tool_recyclebin'] ?? []);
    delete_course($id, false);
    fix_course_sortorder();
}

/** Deletes the incomplete course of a run that was killed, unless a person has visited or joined it. */
function deliver_clear(string $family): void {
    global $DB;
    $mark = $DB->get_field('config_plugins', 'value', ['plugin' => 'local_wheelwright', 'name' => "making_course_$family"]);
    if ($mark === false) {
        return;
    }
    $id = (int) $DB->get_field('course', 'id', ctype_digit($mark) ? ['id' => $mark] : ['shortname' => $mark]);
    if ($id && $id !== (int) SITEID) {
        if (deliver_is_visited($id)) {
            mtrace("$family: an incomplete course stays, because someone uses it: course $id");
        } else {
            deliver_delete($id);
            mtrace("$family: deleted an incomplete course");
        }
    }
    unset_config("making_course_$family", 'local_wheelwright');
}

function deliver_is_visited(int $id): bool {
    global $DB;
    return $DB->record_exists('user_lastaccess', ['courseid' => $id])
        || $DB->record_exists_sql('SELECT 1 FROM {user_enrolments} u JOIN {enrol} e ON e.id = u.enrolid WHERE e.courseid = ?', [$id]);
}

/** Returns the rows of a course that people edit, as a hash. Other tables change with one of these or leave a log. */
function deliver_print(int $id): string {
    global $DB;
    $hash = hash_init('sha256');
    $add = function (string $query, array $params) use ($DB, $hash): void {
        foreach ($rows = $DB->get_recordset_sql($query, $params) as $row) {
            hash_update($hash, json_encode($row, JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE));
        }
        $rows->close();
    };
    $path = context_course::instance($id)->path . '/%'; // compared with a slash at the end, as /1/25 begins /1/250
    $add('SELECT fullname, summary, format, visible, startdate, enddate, lang, theme, groupmode, groupmodeforce,
        enablecompletion, showgrades, newsitems, maxbytes FROM {course} WHERE id = ?', [$id]);
    $add('SELECT id, section, name, summary, sequence, visible, availability FROM {course_sections} WHERE course = ?
        ORDER BY id', [$id]);
    $add('SELECT id, module, instance, section, idnumber, visible, groupmode, completion, availability
        FROM {course_modules} WHERE course = ? ORDER BY id', [$id]);
    $add("SELECT b.id, b.blockname, b.configdata, b.parentcontextid, b.defaultregion FROM {block_instances} b
        JOIN {context} c ON c.id = b.parentcontextid WHERE c.path || '/' LIKE ? ORDER BY b.id", [$path]);
    $add("SELECT f.pathnamehash, f.contenthash FROM {files} f JOIN {context} c ON c.id = f.contextid
        WHERE c.path || '/' LIKE ? AND f.filename <> '.' ORDER BY f.pathnamehash", [$path]);
    $add("SELECT q.id, q.timemodified FROM {question} q JOIN {question_versions} v ON v.questionid = q.id
        JOIN {question_bank_entries} e ON e.id = v.questionbankentryid JOIN {question_categories} k
        ON k.id = e.questioncategoryid JOIN {context} c ON c.id = k.contextid WHERE c.path || '/' LIKE ? ORDER BY q.id", [$path]);
    $add('SELECT id, enrol FROM {enrol} WHERE courseid = ? ORDER BY id', [$id]);
    $add('SELECT id, name FROM {groups} WHERE courseid = ? ORDER BY id', [$id]);
    $names = 'SELECT DISTINCT m.name FROM {modules} m JOIN {course_modules} c ON c.module = m.id WHERE c.course = ?';
    foreach ($DB->get_fieldset_sql("$names ORDER BY m.name", [$id]) as $table) {
        $columns = array_intersect(['id', 'name', 'intro', 'timemodified'], array_keys($DB->get_columns($table)));
        $add('SELECT ' . implode(', ', $columns) . ' FROM {' . $table . '} WHERE course = ? ORDER BY id', [$id]);
    }
    return substr(hash_final($hash), 0, 32);
}

/** Says whether someone has joined, visited, worked in or edited a course. Every doubt counts as a use. */
function deliver_is_used(int $id, string $print): bool {
    global $DB;
    if (deliver_is_visited($id) || deliver_print($id) !== $print) {
        return true;
    }
    $tables = $DB->get_manager();
    if ($tables->table_exists('logstore_standard_log') && $DB->record_exists_select(
        'logstore_standard_log',
        "courseid = ? AND origin IN ('web', 'ws') AND userid NOT IN (0, ?)",
        [$id, guest_user()->id]
    )) {
        return true;
    }
    $grade = 'g JOIN {grade_items} i ON i.id = g.itemid WHERE i.courseid = ?';
    $rows = ["{grade_grades} $grade", "{grade_grades_history} $grade", '{course_completions} WHERE course = ?',
        '{course_modules_completion} d JOIN {course_modules} m ON m.id = d.coursemoduleid WHERE m.course = ?'];
    foreach ($rows as $one) {
        if ($DB->record_exists_sql("SELECT 1 FROM $one", [$id])) {
            return true;
        }
    }
    // Moodle's privacy interface knows the people in attempts, submissions and posts, also in add-ons. For an activity or
    // a block, only its own code and Moodle's core are called, which is six times faster.
    $privacy = new class extends \\core_privacy\\manager {
        public array $types = [];

        protected static function get_log_tracer() {
            return new null_progress_trace(); // otherwise 500 lines per activity
        }

        protected function get_component_list() {
            $components = parent::get_component_list();
            return $this->types ? array_filter($components, fn($one) => in_array(strtok($one, '_'), $this->types, true)
                || in_array($one, $this->types, true)) : $components;
        }
    };
    $admin = (int) get_admin()->id; // has restored the course
    $contexts = $DB->get_fieldset_select('context', 'id', "path || '/' LIKE ?", [context_course::instance($id)->path . '/%']);
    foreach ($contexts as $contextid) {
        $context = context::instance_by_id($contextid);
        $privacy->types = deliver_types($context);
        foreach ($privacy->get_users_in_context($context) as $list) {
            if (array_diff(array_map('intval', $list->get_userids()), [$admin])) {
                return true;
            }
        }
    }
    return false;
}

/** Returns the components, or types of components, that have data in an activity or a block. Empty: all of them. */
function deliver_types(context $context): array {
    global $DB;
    if ($context instanceof context_block) {
        return ['core', 'block_' . $DB->get_field('block_instances', 'blockname', ['id' => $context->instanceid])];
    }
    if (!($context instanceof context_module)) {
        return [];
    }
    $module = $DB->get_field_sql('SELECT m.name FROM {modules} m JOIN {course_modules} c ON c.module = m.id
        WHERE c.id = ?', [$context->instanceid]);
    $parts = core_component::get_subplugins("mod_$module") ?: [];
    return ['core', 'plagiarism', 'local', 'tool', "mod_$module", ...array_keys($parts)];
}

/** Closes a course for new people, and returns the former values. People who are in the course keep their access. */
function deliver_close(int $id): array {
    global $DB;
    $closed = [];
    $changes = [ // a disabled method would lock out its people, except for guests, who are no members
        'self' => fn($one) => $one->customint6 ? ['customint6' => 0] : [],
        'guest' => fn($one) => (int) $one->status === 0 ? ['status' => 1] : [],
        'fee' => fn($one) => (int) $one->enrolenddate === 0 || $one->enrolenddate > time() ? ['enrolenddate' => 1] : [],
    ];
    $changes['paypal'] = $changes['fee'];
    foreach ($DB->get_records('enrol', ['courseid' => $id]) as $one) {
        foreach (isset($changes[$one->enrol]) ? $changes[$one->enrol]($one) : [] as $column => $value) {
            $closed[$one->id] = [$column => $one->$column, 'set' => $value];
            $DB->set_field('enrol', $column, $value, ['id' => $one->id]);
        }
    }
    context_course::instance($id)->mark_dirty();
    return $closed;
}

/** Restores the values from before a course was closed. A value that someone has changed in the meantime stays. */
function deliver_open(int $id, array $closed): void {
    global $DB;
    foreach ($closed as $instance => $former) {
        $column = array_key_first($former);
        if (in_array($column, ['customint6', 'status', 'enrolenddate'], true)) {
            $where = ['id' => $instance, 'courseid' => $id, $column => $former['set']];
            $DB->set_field('enrol', $column, $former[$column], $where);
        }
    }
    context_course::instance($id)->mark_dirty();
}

/** Makes a version the current one, in one transaction with the caller's changes of the state. */
function deliver_make_current(string $family, array $state, ?int $version): array {
    global $DB;
    $transaction = $DB->start_delegated_transaction();
    $DB->set_field('course', 'idnumber', '', ['idnumber' => "wheelwright:$family"]);
    $state['current'] = $version;
    if ($version !== null) {
        $entry = &$state['versions'][$version];
        $DB->set_field('course', 'idnumber', "wheelwright:$family", ['id' => $entry['id']]);
        deliver_open($entry['id'], $entry['closed'] ?? []);
        unset($entry['closed']);
        unset_config("making_course_$family", 'local_wheelwright');
    }
    deliver_save($family, $state);
    $transaction->allow_commit();
    foreach ($state['versions'] as $one) {
        rebuild_course_cache((int) $one['id'], true);
    }
    return $state;
}

/** Closes or deletes every version but the current one. Returns the fate of each of them, and the state. */
function deliver_retire(string $family, array $state): array {
    global $DB;
    $fates = [];
    foreach ($state['versions'] as $version => $entry) {
        $id = (int) $entry['id'];
        if ((string) $version === (string) $state['current']) {
            continue;
        }
        $exists = $DB->record_exists('course', ['id' => $id]);
        if ($exists && !isset($entry['closed'])) {
            $transaction = $DB->start_delegated_transaction();
            $state['versions'][$version]['closed'] = deliver_close($id);
            deliver_save($family, $state);
            $transaction->allow_commit();
        }
        if ($exists && !isset($entry['deleting']) && deliver_is_used($id, $entry['print'] ?? '')) {
            $fates[$version] = 'closed';
            continue;
        }
        if ($exists) {
            $state['versions'][$version]['deleting'] = true; // after this mark, a killed deletion is not taken for a use
            deliver_save($family, $state);
            deliver_delete($id);
        }
        unset($state['versions'][$version]);
        deliver_save($family, $state);
        $fates[$version] = 'deleted';
    }
    return [$fates, $state];
}

/** Throws if the site lacks what a package needs. */
function deliver_check(array $wanted): void {
    global $CFG;
    // The first eight digits are the date of the branch. A package of a later patch release of the same branch fits.
    if (intdiv((int) $wanted['moodle'], 100) > intdiv((int) $CFG->version, 100)) {
        throw new DeliverySkipped('OlderMoodle', 'the course comes from a newer Moodle than this site has');
    }
    $missing = array_filter($wanted['plugins'] ?? [], function ($component): bool {
        $plugin = core_plugin_manager::instance()->get_plugin_info((string) $component);
        return !$plugin || $plugin->versiondb === null || $plugin->versiondisk === null;
    });
    if ($missing) {
        throw new DeliverySkipped('MissingPlugin', 'the site lacks ' . implode(', ', $missing));
    }
    $free = @disk_free_space($CFG->dataroot);
    if ($free !== false && $free < 3 * $wanted['bytes'] + 67108864) { // the package, its unpacked files, the stored files
        throw new DeliverySkipped('SiteFull', 'the site has not enough free space');
    }
}

function deliver_download(array $wanted, string $path): void {
    $hash = hash_init('sha256');
    $bytes = 0;
    $file = fopen($path, 'w');
    $request = curl_init(getenv('LIBRARY_URL') . '/packages/' . $wanted['sha256']);
    curl_setopt_array($request, [
        CURLOPT_HTTPHEADER => ['Authorization: Ticket ' . $wanted['ticket']],
        CURLOPT_FAILONERROR => true,
        CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
        CURLOPT_PROXY => '',
        CURLOPT_CONNECTTIMEOUT => 20,
        CURLOPT_LOW_SPEED_LIMIT => 1,
        CURLOPT_LOW_SPEED_TIME => 120,
        CURLOPT_WRITEFUNCTION => function ($request, $part) use ($hash, $file, $wanted, &$bytes): int {
            hash_update($hash, $part);
            $bytes += strlen($part);
            return $bytes > $wanted['bytes'] ? 0 : (int) fwrite($file, $part);
        },
    ]);
    $isdone = curl_exec($request);
    $status = (int) curl_getinfo($request, CURLINFO_RESPONSE_CODE);
    $isstored = fclose($file);
    $isright = $bytes === (int) $wanted['bytes'] && hash_final($hash) === $wanted['sha256'];
    if ($bytes > $wanted['bytes'] || ($isdone && !$isright)) {
        throw new DeliverySkipped('WrongHash', 'the package in the library is not the one that was published');
    }
    if (!$isdone || !$isstored) {
        throw new DeliverySkipped($status === 404 ? 'PackageMissing' : 'DownloadFailed', $status >= 400
            ? "the library answered with status $status"
            : 'the download ended early: error ' . curl_errno($request) . ' of curl');
    }
}

/** Restores a package as a new course with a mark. Returns its id and the short name that it had originally. */
function deliver_restore(array $wanted): array {
    global $CFG, $DB;
    $family = $wanted['family'];
    $folder = "wheelwright_$family";
    $directory = "$CFG->backuptempdir/$folder";
    $package = "$directory.mbz";
    fulldelete($directory);
    $id = 0;
    try {
        make_backup_temp_directory($folder);
        deliver_download($wanted, $package);
        if (!get_file_packer('application/vnd.moodle.backup')->extract_to_pathname($package, $directory)) {
            throw new moodle_exception('cannotunzipfile');
        }
        unlink($package);
        $name = "wheelwright_{$family}_" . bin2hex(random_bytes(8));
        set_config("making_course_$family", $name, 'local_wheelwright');
        $category = (int) \\core_course_category::get_default()->id;
        $id = (int) restore_dbops::create_new_course($name, $name, $category);
        set_config("making_course_$family", (string) $id, 'local_wheelwright'); // the restore replaces the name
        $restore = new restore_controller(
            $folder,
            $id,
            backup::INTERACTIVE_NO,
            backup::MODE_GENERAL,
            get_admin()->id,
            backup::TARGET_NEW_COURSE
        );
        $restore->execute_precheck();
        $restore->execute_plan();
        $names = $restore->get_info();
        $restore->destroy();
        // Moodle adds "copy 1" to the title if the former version has it, too.
        $DB->set_field('course', 'fullname', $names->original_course_fullname, ['id' => $id]);
        return [$id, $names->original_course_shortname];
    } catch (DeliverySkipped $error) {
        throw $error;
    } catch (\\Throwable $error) {
        mtrace("$family: the restore says: " . deliver_text($error));
        deliver_roll_back();
        foreach (['backup_ids_temp', 'backup_files_temp'] as $table) { // otherwise Moodle complains after the last line
            if ($DB->get_manager()->table_exists($table)) {
                $DB->get_manager()->drop_table(new xmldb_table($table));
            }
        }
        deliver_clear($family);
        throw new DeliverySkipped('RestoreFailed', 'Moodle could not restore the package');
    } finally {
        fulldelete($directory);
        @unlink($package);
    }
}

function deliver_family(array $wanted): array {
    global $DB;
    [$family, $version] = [$wanted['family'], (int) $wanted['version']];
    $state = deliver_state($family);
    $before = $state['current'];
    $entry = $state['versions'][$version] ?? null;
    $outcome = 'kept';
    $exists = $entry && !isset($entry['deleting']) && $DB->record_exists('course', ['id' => $entry['id']]);
    if (!$exists || $entry['sha256'] !== $wanted['sha256']) {
        deliver_check($wanted);
        [$id, $shortname] = deliver_restore($wanted);
        if ($entry) { // the same number with other content; the entry remains until its course is retired
            $state['versions']["$version.$entry[id]"] = $entry;
            $before = $before === $version ? "$version.$entry[id]" : $before;
        }
        $state['versions'][$version] = ['id' => $id, 'sha256' => $wanted['sha256'], 'print' => deliver_print($id)];
        $state = deliver_make_current($family, $state, $version);
        $outcome = 'restored';
    } else if ((string) $state['current'] !== (string) $version) {
        $state = deliver_make_current($family, $state, $version);
        $outcome = 'reopened';
    }
    [$fates, $state] = deliver_retire($family, $state);
    $former = $fates[$before] ?? (in_array('closed', $fates, true) ? 'closed' : (end($fates) ?: 'none'));
    $id = (int) $state['versions'][$version]['id'];
    if (isset($shortname) && !$DB->record_exists('course', ['shortname' => $shortname])) {
        $DB->set_field('course', 'shortname', $shortname, ['id' => $id]); // the deleted version no longer has it
        rebuild_course_cache($id, true);
    }
    return ['family' => $family, 'version' => $version, 'id' => $id, 'outcome' => $outcome, 'former' => $former];
}

function deliver_all(array $courses): array {
    $result = ['courses' => [], 'removed' => []];
    foreach (deliver_families('making_course_') as $family) {
        deliver_clear($family);
    }
    foreach ($courses as $wanted) {
        deliver_check_attempt((string) getenv('FENCE'));
        $family = $wanted['family'];
        $name = "$family: version $wanted[version] of $wanted[title]";
        try {
            $one = deliver_family($wanted);
            mtrace("$name: $one[outcome] as course $one[id], former version: $one[former]");
        } catch (\\Throwable $error) {
            deliver_roll_back();
            [$reason, $detail] = $error instanceof DeliverySkipped
                ? [$error->reason, $error->getMessage()]
                : ['DeliveryFailed', 'Moodle reported an error, which the log of the Job shows'];
            $one = ['family' => $family, 'version' => (int) $wanted['version'], 'outcome' => 'skipped', 'reason' => $reason,
                'detail' => $detail];
            mtrace("$name: skipped: " . deliver_text($error));
        }
        $result['courses'][] = $one;
    }
    foreach (array_diff(deliver_families('course_'), array_column($courses, 'family')) as $family) {
        deliver_check_attempt((string) getenv('FENCE'));
        try {
            $state = deliver_state($family);
            if ($state['current'] !== null) {
                $state = deliver_make_current($family, $state, null);
            }
            [, $state] = deliver_retire($family, $state);
            $outcome = $state['versions'] ? 'closed' : 'deleted';
            $result['removed'][] = ['family' => $family, 'outcome' => $outcome];
            mtrace("$family: no longer from the hub: $outcome");
        } catch (\\Throwable $error) {
            deliver_roll_back();
            $result['removed'][] = ['family' => $family, 'outcome' => 'failed'];
            mtrace("$family: not withdrawn: " . deliver_text($error));
        }
    }
    return $result;
}

$courses = json_decode((string) getenv('COURSES'), true, 8, JSON_THROW_ON_ERROR);
raise_memory_limit(MEMORY_HUGE);
\\core\\session\\manager::set_user(get_admin());
deliver_begin((string) getenv('FENCE'));
$result = deliver_all($courses);
echo 'delivered ', json_encode($result, JSON_UNESCAPED_SLASHES), "\\n";
`,
  "facts.php": `\
<?php
// Prints facts from the site's database, one name|value per line. Fails if the site is not completely installed, or if
// its identifier is not the expected identifier. Queries the database directly, because Moodle would use its cache.
// This script is an argument of \`php -r\` and is not stored in the site.
ini_set('display_errors', 'stderr');
$password = addcslashes((string) getenv('DB_PASS'), "'\\\\");
$database = pg_connect("host=db dbname=moodle user=moodle password='$password' connect_timeout=10");
if (!$database) {
    exit(1); // PHP has printed the error
}
$tables = pg_query($database, "select count(*) from pg_tables where schemaname = 'public'");
$facts = ['tables' => pg_fetch_result($tables, 0), 'rolesactive' => '']; // always printed, so that Wheelwright detects an incomplete log
if (pg_fetch_result(pg_query($database, "select to_regclass('public.mdl_config') is not null"), 0) === 't') {
    $names = "'rolesactive', 'siteidentifier', 'version', 'release'";
    $rows = pg_query($database, "select name, value from public.mdl_config where name in ($names)");
    foreach ($rows ? pg_fetch_all($rows) : [] as ['name' => $name, 'value' => $value]) {
        $facts[$name] = $value;
    }
}
foreach ($facts as $name => $value) {
    echo "$name|$value\\n";
}
$expected = (string) getenv('SITE_IDENTIFIER');
if ($facts['rolesactive'] !== '1' || $expected !== '' && ($facts['siteidentifier'] ?? '') !== $expected) {
    exit(1);
}
`,
  "files.yaml": `\
{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"\${FILES_CLAIM}","labels":{"backup-group":"spoke"}},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"\${STORAGE_CLASS}","resources":{"requests":{"storage":"\${FILES_DISK}"}}}}`,
  "former.yaml": `\
{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"moodle-former-\${FORMER_KEY}","annotations":{"nginx.ingress.kubernetes.io/permanent-redirect":"\${URL}"}},"spec":{"ingressClassName":"\${INGRESS_CLASS}","tls":[{"hosts":["\${FORMER_CERTIFICATE_HOST}"],"secretName":"\${FORMER_CERTIFICATE_SECRET}"}],"rules":[{"host":"\${FORMER_HOST}","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"moodle","port":{"name":"http"}}}}]}}]}}`,
  "health-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"health-\${FENCE}","labels":{"op":"health","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":300,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"probe","op":"health"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"seccompProfile":{"type":"RuntimeDefault"}},"containers":[{"name":"curl","image":"\${MOODLE_IMAGE}","command":["curl","-sS","--fail","-o","/dev/null","-w","%{http_code}\\\\n","--max-time","20","--retry","10","--retry-delay","3","--retry-all-errors","--retry-max-time","120","-H","Host: \${HOST}","-H","X-Forwarded-Proto: \${SCHEME}","http://moodle/login/index.php"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"20m","memory":"32Mi"},"limits":{"cpu":"200m","memory":"128Mi"}}}]}}}}`,
  "hub.yaml": `\
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"\${NAMESPACE}","labels":{"pod-security.kubernetes.io/enforce":"restricted","pod-security.kubernetes.io/enforce-version":"latest","pod-security.kubernetes.io/audit":"restricted","pod-security.kubernetes.io/warn":"restricted"}}}
---
{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"hub"},"spec":{"hard":{"pods":"4","persistentvolumeclaims":"2","requests.storage":"100Gi","services.loadbalancers":"0","services.nodeports":"0"}}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"default-deny"},"spec":{"podSelector":{},"policyTypes":["Ingress","Egress"]}}
---
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"identity"}}
---
{"apiVersion":"v1","kind":"Secret","metadata":{"name":"identity"}}
---
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"content"}}
---
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"brand"}}`,
  "images.yaml": `\
{"postgres":"postgres:17-alpine","versions":{"4.5.12":{"image":"erseco/alpine-moodle:v4.5.12","fpmDirectory":"/etc/php83/php-fpm.d","postgres":13,"upgradesFrom":"4.1.2"},"5.2.2":{"image":"erseco/alpine-moodle:v5.2.2-php84","fpmDirectory":"/etc/php84/php-fpm.d","postgres":16,"upgradesFrom":"4.4","preview":true}},"families":[{"from":"5.3","image":"erseco/alpine-moodle:v\${VERSION}-php84","fpmDirectory":"/etc/php84/php-fpm.d","postgres":17,"upgradesFrom":"4.4"},{"from":"5.2","image":"erseco/alpine-moodle:v\${VERSION}-php84","fpmDirectory":"/etc/php84/php-fpm.d","postgres":16,"upgradesFrom":"4.4"},{"from":"5.1","image":"erseco/alpine-moodle:v\${VERSION}-php84","fpmDirectory":"/etc/php84/php-fpm.d","postgres":15,"upgradesFrom":"4.2.3"},{"from":"5","image":"erseco/alpine-moodle:v\${VERSION}-php84","fpmDirectory":"/etc/php84/php-fpm.d","postgres":14,"upgradesFrom":"4.2.3"},{"from":"0","image":"erseco/alpine-moodle:v\${VERSION}","fpmDirectory":"/etc/php83/php-fpm.d"}]}`,
  "ingress.yaml": `\
{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"moodle","annotations":{"cert-manager.io/cluster-issuer":"\${CERTIFICATE_ISSUER}","nginx.ingress.kubernetes.io/proxy-body-size":"100m"}},"spec":{"ingressClassName":"\${INGRESS_CLASS}","tls":[{"hosts":["\${CERTIFICATE_HOST}"],"secretName":"\${CERTIFICATE_SECRET}"}],"rules":[{"host":"\${HOST}","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"moodle","port":{"name":"http"}}}}]}}]}}`,
  "install-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"install-\${FENCE}","labels":{"op":"install","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":1800,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"install"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"initContainers":[{"name":"guard","image":"\${POSTGRES_IMAGE}","command":["psql","-h","db","-U","moodle","-d","moodle","-w","-q","-v","ON_ERROR_STOP=1","-c","do $guard$\\ndeclare\\n  mine constant bigint := \${FENCE};\\n  noted text;\\n  active text;\\nbegin\\n  perform pg_advisory_xact_lock(hashtext('wheelwright attempt'));\\n  select shobj_description(oid, 'pg_database') into noted\\n    from pg_database where datname = current_database();\\n  if substring(noted from '^wheelwright \\\\w+ (\\\\d+)$')::bigint > mine then\\n    raise exception 'not installed: attempt % has begun after this one, %', noted, mine;\\n  end if;\\n  if to_regclass('public.mdl_config') is not null then\\n    select value into active from public.mdl_config where name = 'rolesactive';\\n    if active = '1' then\\n      raise exception 'not installed: rolesactive is 1, an installed site is here';\\n    end if;\\n  end if;\\n  execute format('comment on database %I is %L', current_database(), 'wheelwright install ' || mine);\\nend\\n$guard$\\n"],"env":[{"name":"PGPASSWORD","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}},{"name":"PGCONNECT_TIMEOUT","value":"10"},{"name":"PGOPTIONS","value":"-c lock_timeout=60s -c client_min_messages=warning"}],"securityContext":{"runAsUser":70,"runAsGroup":70,"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"50m","memory":"64Mi"},"limits":{"cpu":"500m","memory":"256Mi"}}},{"name":"dirs","image":"\${MOODLE_IMAGE}","command":["sh","-c","mkdir -p /v/html /v/moodledata"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"volumeMounts":[{"name":"files","mountPath":"/v"}]}],"containers":[{"name":"moodle","image":"\${MOODLE_IMAGE}","command":["sh","-c","sed -e 's/^exec runsvdir .*/:/' -e 's/^sleep 5$/:/' -e 's/^ *sv status .*/:/' \\\\\\n  /bin/docker-entrypoint.sh > /tmp/install.sh && exec sh /tmp/install.sh \\"$@\\"\\n","install"],"args":["php","-r","\${FACTS_SCRIPT}"],"envFrom":[{"configMapRef":{"name":"moodle-env"}},{"secretRef":{"name":"moodle"}},{"secretRef":{"name":"mail"}}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${APP_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "issuer.yaml": `\
{"apiVersion":"cert-manager.io/v1","kind":"ClusterIssuer","metadata":{"name":"\${CERTIFICATE_ISSUER}"},"spec":{"acme":{"server":"\${ACME_SERVER}","email":"\${ACME_EMAIL}","privateKeySecretRef":{"name":"\${CERTIFICATE_ISSUER}-account"},"solvers":[{"http01":{"ingress":{"ingressClassName":"\${INGRESS_CLASS}","serviceType":"ClusterIP"}}}]}}}`,
  "library-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"library-\${MODE}-\${FENCE}","labels":{"op":"library","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":3600,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"op":"library","library-user":"true"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"library-user":"true"}}}]}},"containers":[{"name":"packages","image":"\${LIBRARY_IMAGE}","command":["php","-r","\${PACKAGES_SCRIPT}"],"env":[{"name":"MODE","value":"\${MODE}"},{"name":"PACKAGES","value":"\${PACKAGES}"}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"20m","memory":"64Mi"},"limits":{"cpu":"1","memory":"256Mi"}},"volumeMounts":[{"name":"library","mountPath":"/library"},"\${BACKUP_MOUNT}"]}],"volumes":[{"name":"library","persistentVolumeClaim":{"claimName":"library"}},"\${BACKUP_VOLUME}"]}}}}`,
  "library-key.yaml": `\
{"apiVersion":"v1","kind":"Secret","metadata":{"name":"library"},"stringData":{"LIBRARY_KEY":"\${LIBRARY_KEY}"}}`,
  "library.php": `\
<?php
// Stores the course packages of a hub in a directory and serves them over HTTP. Runs without Moodle, as \`php -r\` or from
// a file, in one process. Environment: LIBRARY_KEY (hexadecimal), LIBRARY_DIR, LIBRARY_LIMIT (bytes of one package), LIBRARY_PORT.
//
//   PUT /uploads/{name}         stores the body as {sha256}.mbz: 201 {"sha256":"...","bytes":1}
//   GET, HEAD /packages/{sha256}
//   GET /healthz                needs no ticket
//
// A request has the header "Authorization: Ticket {expires}.{hex}", with expires in Unix seconds and hex = HMAC-SHA256 of
// "METHOD PATH EXPIRES". HEAD uses the ticket of GET.
//
// PHP's built-in server is no choice. It keeps a whole request body in memory before a script can check the ticket: an
// upload of 300 MB takes 300 MB. This server checks the ticket first and needs about 1 MiB per connection.
ini_set('display_errors', 'stderr');

final class PackageLibrary
{
    private const CHUNK = 262144;
    private const HEAD_LIMIT = 8192;
    private const HEAD_SECONDS = 15;
    private const IDLE_SECONDS = 60;
    private const DRAIN_SECONDS = 10;
    private const CONNECTIONS = 100;
    private const RESERVE = 33554432; // bytes of the disk that remain free
    private const SYNC_BYTES = 33554432; // written to the disk in parts, so that no single write takes long
    private const REASONS = [
        200 => 'OK', 201 => 'Created', 400 => 'Bad Request', 401 => 'Unauthorized', 403 => 'Forbidden', 404 => 'Not Found',
        405 => 'Method Not Allowed', 411 => 'Length Required', 413 => 'Content Too Large',
        431 => 'Request Header Fields Too Large', 500 => 'Internal Server Error', 507 => 'Insufficient Storage',
    ];

    /** @var array<int, object> the open connections, by the id of their socket */
    private array $connections = [];
    private int $cleanedat = 0;

    public function __construct(private string $key, private string $directory, private int $limit) {
    }

    public function run(int $port): never {
        $options = stream_context_create(['socket' => ['backlog' => 64]]);
        $flags = STREAM_SERVER_BIND | STREAM_SERVER_LISTEN;
        $server = stream_socket_server("tcp://0.0.0.0:$port", $number, $message, $flags, $options);
        if (!$server) {
            fwrite(STDERR, "Cannot listen on port $port: $message\\n");
            exit(1);
        }
        stream_set_blocking($server, false);
        echo 'Listening on port ', substr(strrchr(stream_socket_get_name($server, false), ':'), 1), "\\n";
        while (true) {
            $this->clean();
            $read = count($this->connections) < self::CONNECTIONS ? [$server] : [];
            $write = [];
            foreach ($this->connections as $one) {
                if ($one->state === 'answer') {
                    $write[] = $one->socket;
                } else {
                    $read[] = $one->socket;
                }
            }
            $except = null;
            if (@stream_select($read, $write, $except, 1) === false) {
                continue; // a signal
            }
            foreach ($read as $socket) {
                if ($socket === $server) {
                    $this->accept($server);
                } else {
                    $this->receive($this->connections[get_resource_id($socket)]);
                }
            }
            foreach ($write as $socket) {
                if (isset($this->connections[get_resource_id($socket)])) {
                    $this->send($this->connections[get_resource_id($socket)]);
                }
            }
        }
    }

    /** Closes connections that make no progress. Removes temporary files over a day old, once an hour. */
    private function clean(): void {
        $now = time();
        foreach ($this->connections as $one) {
            $limits = ['head' => self::HEAD_SECONDS, 'drain' => self::DRAIN_SECONDS];
            if ($now - $one->at > ($limits[$one->state] ?? self::IDLE_SECONDS)) {
                $this->close($one);
            }
        }
        if ($now - $this->cleanedat > 3600) {
            $this->cleanedat = $now;
            foreach (glob("$this->directory/.upload-*") ?: [] as $file) {
                if ((int) @filemtime($file) < $now - 86400) {
                    @unlink($file);
                }
            }
        }
    }

    private function accept($server): void {
        $socket = @stream_socket_accept($server, 0);
        if ($socket) {
            stream_set_blocking($socket, false);
            stream_set_read_buffer($socket, 0);
            $this->connections[get_resource_id($socket)] = (object) [
                'socket' => $socket, 'state' => 'head', 'at' => time(), 'head' => '', 'sending' => '', 'request' => '-',
                'upload' => null, 'file' => null, 'left' => 0, 'isdraining' => false,
            ];
        }
    }

    private function close(object $one): void {
        unset($this->connections[get_resource_id($one->socket)]);
        fclose($one->socket);
        if ($one->file) {
            fclose($one->file);
        }
        $this->dropUpload($one);
    }

    private function dropUpload(object $one): void {
        if ($one->upload) {
            fclose($one->upload->file);
            @unlink($one->upload->path);
            $one->upload = null;
        }
    }

    private function receive(object $one): void {
        $bytes = @fread($one->socket, $one->state === 'head' ? self::HEAD_LIMIT : self::CHUNK);
        if ($bytes === false || $bytes === '') {
            if ($bytes === false || feof($one->socket)) {
                $this->close($one);
            }
            return;
        }
        if ($one->state === 'body') {
            $this->store($one, $bytes);
        } else if ($one->state === 'head') {
            $one->head .= $bytes;
            $end = strpos($one->head, "\\r\\n\\r\\n");
            if ($end === false && strlen($one->head) > self::HEAD_LIMIT) {
                $this->refuse($one, 431, 'The head of the request is too long');
            } else if ($end !== false) {
                $this->handle($one, substr($one->head, 0, $end), substr($one->head, $end + 4));
            }
        }
    }

    private function handle(object $one, string $head, string $body): void {
        $lines = explode("\\r\\n", $head);
        $headers = [];
        foreach (array_slice($lines, 1) as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $headers[strtolower($name)][] = trim($value);
        }
        if (!preg_match('~^([A-Z]{1,16}) (/[\\x21-\\x7e]{0,400}) HTTP/1\\.[01]$~D', $lines[0], $parts)) {
            $this->refuse($one, 400, 'This is no HTTP request');
            return;
        }
        [, $method, $path] = $parts;
        if ($path === '/healthz') {
            $this->answer($one, in_array($method, ['GET', 'HEAD'], true) ? 200 : 405, 'ok', 'text/plain');
            return;
        }
        $isupload = (bool) preg_match('~^/uploads/[a-z0-9_]{1,64}$~D', $path);
        if (!$isupload && !preg_match('~^/packages/[0-9a-f]{64}$~D', $path)) {
            $this->refuse($one, 404, 'This address does not exist');
            return;
        }
        $one->request = "$method $path";
        if (!in_array($method, $isupload ? ['PUT'] : ['GET', 'HEAD'], true)) {
            $this->refuse($one, 405, 'This address does not allow the method');
            return;
        }
        $refusal = $this->checkTicket(($method === 'HEAD' ? 'GET' : $method) . " $path", $headers['authorization'] ?? []);
        if ($refusal) {
            $this->refuse($one, $refusal, $refusal === 403 ? 'The ticket has expired' : 'The ticket is missing or wrong');
        } else if ($isupload) {
            $this->beginUpload($one, $headers, substr($path, strlen('/uploads/')), $body);
        } else {
            $this->beginDownload($one, $method, substr($path, strlen('/packages/')));
        }
    }

    private function checkTicket(string $request, array $given): int {
        $isone = count($given) === 1 && preg_match('/^Ticket (\\d{1,12})\\.([0-9a-f]{64})$/D', $given[0], $parts);
        if (!$isone || !hash_equals(hash_hmac('sha256', "$request $parts[1]", $this->key), $parts[2])) {
            return 401;
        }
        return (int) $parts[1] < time() ? 403 : 0;
    }

    private function beginUpload(object $one, array $headers, string $name, string $body): void {
        $lengths = $headers['content-length'] ?? [];
        if (isset($headers['transfer-encoding']) || !$lengths) {
            $this->refuse($one, 411, 'The request has no Content-Length');
        } else if (count($lengths) > 1 || !preg_match('/^0*([1-9]\\d{0,14})$/D', $lengths[0], $parts)) {
            $this->refuse($one, 400, 'The Content-Length is wrong');
        } else if ((int) $parts[1] > $this->limit) {
            $this->refuse($one, 413, "A package has at most $this->limit bytes");
        } else {
            $expected = 0; // bytes that other uploads still write
            foreach ($this->connections as $other) {
                $expected += $other->upload->left ?? 0;
            }
            $path = "$this->directory/.upload-$name-" . bin2hex(random_bytes(8));
            $free = (float) @disk_free_space($this->directory);
            $file = $free - $expected - self::RESERVE < (int) $parts[1] ? false : @fopen($path, 'x');
            if (!$file) {
                $this->refuse($one, 507, 'The disk of the library is full or cannot be written');
                return;
            }
            $one->upload = (object) [
                'path' => $path, 'file' => $file, 'hash' => hash_init('sha256'), 'bytes' => (int) $parts[1],
                'left' => (int) $parts[1], 'unsynced' => 0,
            ];
            $one->state = 'body';
            if (strtolower($headers['expect'][0] ?? '') === '100-continue') {
                @fwrite($one->socket, "HTTP/1.1 100 Continue\\r\\n\\r\\n");
            }
            $this->store($one, $body);
        }
    }

    private function store(object $one, string $bytes): void {
        $one->at = time();
        $upload = $one->upload;
        $bytes = substr($bytes, 0, $upload->left);
        if ($bytes !== '' && @fwrite($upload->file, $bytes) !== strlen($bytes)) {
            $this->refuse($one, 507, 'The disk of the library is full');
            return;
        }
        hash_update($upload->hash, $bytes);
        $upload->left -= strlen($bytes);
        $upload->unsynced += strlen($bytes);
        $isdone = $upload->left === 0;
        if (($isdone || $upload->unsynced >= self::SYNC_BYTES) && !@fdatasync($upload->file)) {
            $this->refuse($one, 507, 'The disk of the library cannot be written');
            return;
        }
        $upload->unsynced = $upload->unsynced >= self::SYNC_BYTES ? 0 : $upload->unsynced;
        if ($isdone) {
            $sha256 = hash_final($upload->hash);
            if (!@rename($upload->path, "$this->directory/$sha256.mbz")) {
                $this->refuse($one, 500, 'The package cannot be stored');
                return;
            }
            fclose($upload->file);
            $one->upload = null;
            $this->answer($one, 201, json_encode(['sha256' => $sha256, 'bytes' => $upload->bytes]));
        }
    }

    private function beginDownload(object $one, string $method, string $sha256): void {
        $file = @fopen("$this->directory/$sha256.mbz", 'r');
        if (!$file) {
            $this->refuse($one, 404, 'The library has no such package');
            return;
        }
        $one->left = fstat($file)['size'];
        $this->answer($one, 200, '', 'application/vnd.moodle.backup', $one->left);
        if ($method === 'GET') {
            $one->file = $file;
        } else {
            fclose($file);
        }
    }

    private function refuse(object $one, int $status, string $message): void {
        $this->dropUpload($one);
        $one->isdraining = true; // a client that still sends would otherwise lose the answer
        $this->answer($one, $status, json_encode(['error' => $message]));
    }

    private function answer(object $one, int $status, string $body, string $type = 'application/json', ?int $length = null): void {
        $one->state = 'answer';
        $one->at = time();
        $length ??= strlen($body);
        $one->sending = "HTTP/1.1 $status " . self::REASONS[$status] . "\\r\\nContent-Type: $type\\r\\nContent-Length: $length\\r\\n"
            . "X-Content-Type-Options: nosniff\\r\\nCache-Control: no-store\\r\\nConnection: close\\r\\n\\r\\n$body";
        if ($type !== 'text/plain') { // not the health checks
            echo "$one->request $status\\n";
        }
    }

    private function send(object $one): void {
        if ($one->sending === '' && $one->file && $one->left > 0) {
            $one->sending = (string) fread($one->file, min(self::CHUNK, $one->left));
            if ($one->sending === '') { // the file is shorter than before; the client notices
                $this->close($one);
                return;
            }
            $one->left -= strlen($one->sending);
        }
        $count = @fwrite($one->socket, $one->sending);
        if ($count === false) {
            $this->close($one);
            return;
        }
        $one->at = $count > 0 ? time() : $one->at;
        $one->sending = substr($one->sending, $count);
        if ($one->sending === '' && !($one->file && $one->left > 0)) {
            stream_socket_shutdown($one->socket, STREAM_SHUT_WR);
            $one->state = 'drain';
            if (!$one->isdraining) {
                $this->close($one);
            }
        }
    }
}

if (PHP_SAPI !== 'cli') {
    error_log('Start library.php with "php library.php", not with "php -S"');
    http_response_code(500);
    exit;
}
$key = (string) getenv('LIBRARY_KEY');
$directory = (string) (getenv('LIBRARY_DIR') ?: '/library');
if (!preg_match('/^([0-9a-f]{2}){32,}$/Di', $key) || !is_dir($directory)) {
    fwrite(STDERR, "LIBRARY_KEY must have 64 or more hexadecimal digits, and LIBRARY_DIR must be a directory\\n");
    exit(1);
}
if (function_exists('pcntl_async_signals')) { // process 1 of a container ignores SIGTERM otherwise
    pcntl_async_signals(true);
    pcntl_signal(SIGTERM, fn() => exit(0));
}
(new PackageLibrary(hex2bin($key), $directory, (int) (getenv('LIBRARY_LIMIT') ?: 2147483648)))
    ->run((int) (getenv('LIBRARY_PORT') === false ? 8080 : getenv('LIBRARY_PORT')));
`,
  "library.yaml": `\
{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"library"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"\${STORAGE_CLASS}","resources":{"requests":{"storage":"20Gi"}}}}
---
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"library-script"},"data":{"library.php":"\${LIBRARY_SCRIPT}"}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"library-from-spokes"},"spec":{"podSelector":{"matchLabels":{"app":"library"}},"policyTypes":["Ingress"],"ingress":[{"from":[{"namespaceSelector":{"matchLabels":{"wheelwright.dev/federation":"\${FEDERATION}"}},"podSelector":{"matchExpressions":[{"key":"op","operator":"In","values":["publish-course","deliver-courses"]}]}}],"ports":[{"protocol":"TCP","port":8080}]}]}}
---
{"apiVersion":"v1","kind":"Service","metadata":{"name":"library"},"spec":{"selector":{"app":"library"},"ports":[{"name":"http","port":8080,"targetPort":8080}]}}
---
{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"library"},"spec":{"strategy":{"type":"Recreate"},"selector":{"matchLabels":{"app":"library"}},"template":{"metadata":{"labels":{"app":"library","library-user":"true"}},"spec":{"terminationGracePeriodSeconds":5,"automountServiceAccountToken":false,"enableServiceLinks":false,"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"library-user":"true"}}}]}},"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"containers":[{"name":"library","image":"\${LIBRARY_IMAGE}","command":["php","-d","memory_limit=256M","/script/library.php"],"env":[{"name":"LIBRARY_DIR","value":"/library"},{"name":"LIBRARY_KEY","valueFrom":{"secretKeyRef":{"name":"library","key":"LIBRARY_KEY"}}}],"ports":[{"name":"http","containerPort":8080}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"20m","memory":"64Mi"},"limits":{"cpu":"1","memory":"512Mi"}},"readinessProbe":{"httpGet":{"path":"/healthz","port":8080},"periodSeconds":5},"livenessProbe":{"httpGet":{"path":"/healthz","port":8080},"periodSeconds":30,"timeoutSeconds":10,"failureThreshold":5},"volumeMounts":[{"name":"library","mountPath":"/library"},{"name":"script","mountPath":"/script","readOnly":true}]}],"volumes":[{"name":"library","persistentVolumeClaim":{"claimName":"library"}},{"name":"script","configMap":{"name":"library-script"}}]}}}}`,
  "limits.yaml": `\
{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"spoke"},"spec":{"hard":{"requests.cpu":"\${QUOTA_CPU_REQUESTS}","requests.memory":"\${QUOTA_MEMORY_REQUESTS}","limits.cpu":"\${QUOTA_CPU_LIMITS}","limits.memory":"\${QUOTA_MEMORY_LIMITS}","requests.storage":"\${QUOTA_STORAGE}","persistentvolumeclaims":"10","pods":"12","services.loadbalancers":"0","services.nodeports":"0","count/jobs.batch":"30","count/volumesnapshots.snapshot.storage.k8s.io":"40"}}}
---
{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"spoke"},"spec":{"limits":[{"type":"Container","default":{"cpu":"500m","memory":"512Mi"},"defaultRequest":{"cpu":"50m","memory":"128Mi"},"max":{"cpu":"\${CONTAINER_MAX_CPU}","memory":"\${CONTAINER_MAX_MEMORY}"}},{"type":"PersistentVolumeClaim","max":{"storage":"\${CLAIM_MAX_STORAGE}"}}]}}`,
  "mail.yaml": `\
{"apiVersion":"v1","kind":"Secret","metadata":{"name":"mail"},"stringData":{"SMTP_PASSWORD":"\${SMTP_PASSWORD}"}}`,
  "maintenance-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"maintenance-\${MAINTENANCE}-\${FENCE}","labels":{"op":"maintenance-\${MAINTENANCE}","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":240,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"maintenance-\${MAINTENANCE}"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"maintenance","image":"\${MOODLE_IMAGE}","command":["sh","-c","note=/var/www/moodledata/wheelwright-maintenance\\nlast=0\\n[ -s \\"$note\\" ] && read -r last < \\"$note\\"\\nif [ \\"$last\\" -gt \${FENCE} ]; then\\n  echo \\"not switched: attempt $last has begun after this one, \${FENCE}\\"\\n  exit 1\\nfi\\necho \${FENCE} > \\"$note\\" || echo \\"cannot note this attempt\\"\\nexec php /var/www/html/admin/cli/maintenance.php --\${MAINTENANCE}\\n"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${CRON_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "namespace.yaml": `\
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"\${NAMESPACE}","labels":{"pod-security.kubernetes.io/enforce":"restricted","pod-security.kubernetes.io/enforce-version":"latest","pod-security.kubernetes.io/audit":"restricted","pod-security.kubernetes.io/warn":"restricted"}}}`,
  "network.yaml": `\
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"default-deny"},"spec":{"podSelector":{},"policyTypes":["Ingress","Egress"]}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"allow-dns"},"spec":{"podSelector":{},"policyTypes":["Egress"],"egress":[{"to":[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"\${DNS_NAMESPACE}"}}}],"ports":[{"protocol":"UDP","port":53},{"protocol":"TCP","port":53}]}]}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"allow-app-to-db"},"spec":{"podSelector":{"matchExpressions":[{"key":"role","operator":"In","values":["app","reader"]}]},"policyTypes":["Egress"],"egress":[{"to":[{"podSelector":{"matchLabels":{"role":"db"}}}],"ports":[{"protocol":"TCP","port":5432}]}]}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"db-from-app"},"spec":{"podSelector":{"matchLabels":{"role":"db"}},"policyTypes":["Ingress"],"ingress":[{"from":[{"podSelector":{"matchExpressions":[{"key":"role","operator":"In","values":["app","reader"]}]}}],"ports":[{"protocol":"TCP","port":5432}]}]}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"app-internet-egress"},"spec":{"podSelector":{"matchLabels":{"role":"app"}},"policyTypes":["Egress"],"egress":[{"to":[{"ipBlock":{"cidr":"0.0.0.0/0","except":["10.0.0.0/8","172.16.0.0/12","192.168.0.0/16","100.64.0.0/10","169.254.0.0/16"]}}],"ports":[{"protocol":"TCP","port":443},{"protocol":"TCP","port":587},{"protocol":"TCP","port":465},{"protocol":"\${MAIL_PORT_PROTOCOL}","port":"\${MAIL_PORT}"}]}]}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"web-from-ingress"},"spec":{"podSelector":{"matchLabels":{"app":"moodle"}},"policyTypes":["Ingress"],"ingress":[{"from":[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"\${INGRESS_NAMESPACE}"}}},{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"\${CONTROL_PLANE_NAMESPACE}"}}}],"ports":[{"protocol":"TCP","port":8080}]}]}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"challenge-from-ingress"},"spec":{"podSelector":{"matchLabels":{"acme.cert-manager.io/http01-solver":"true"}},"policyTypes":["Ingress"],"ingress":[{"from":[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"\${INGRESS_NAMESPACE}"}}}],"ports":[{"protocol":"TCP","port":8089}]}]}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"probe-egress"},"spec":{"podSelector":{"matchLabels":{"role":"probe"}},"policyTypes":["Egress"],"egress":[{"to":[{"podSelector":{"matchLabels":{"app":"moodle"}}}],"ports":[{"protocol":"TCP","port":8080}]}]}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"setup-egress"},"spec":{"podSelector":{"matchLabels":{"op":"setup"}},"policyTypes":["Egress"],"egress":[{"to":[{"podSelector":{"matchLabels":{"app":"moodle"}}}],"ports":[{"protocol":"TCP","port":8080}]}]}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"web-from-probe"},"spec":{"podSelector":{"matchLabels":{"app":"moodle"}},"policyTypes":["Ingress"],"ingress":[{"from":[{"podSelector":{"matchLabels":{"role":"probe"}}},{"podSelector":{"matchLabels":{"op":"setup"}}}],"ports":[{"protocol":"TCP","port":8080}]}]}}
---
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"library-egress"},"spec":{"podSelector":{"matchExpressions":[{"key":"op","operator":"In","values":["publish-course","deliver-courses"]}]},"policyTypes":["Egress"],"egress":[{"to":[{"namespaceSelector":{"matchLabels":{"wheelwright.dev/federation":"\${FEDERATION}"}},"podSelector":{"matchLabels":{"app":"library"}}}],"ports":[{"protocol":"TCP","port":8080}]}]}}`,
  "packages.php": `\
<?php
// Checks, deletes or restores packages in the volume of a hub's library. Runs without Moodle, as \`php -r\` or from a file.
// Environment: MODE (check, delete or restore), PACKAGES (JSON: [["sha256", bytes], ...]), LIBRARY_DIR, BACKUP_DIR.
//
// The last line has the packages that the library has afterwards, in the order of PACKAGES: 1 for a package, 0 for none.
//   packages {"present":"101","used":1234,"free":5678,"copied":1,"damaged":0}
ini_set('display_errors', 'stderr');

const PACKAGES_RESERVE = 33554432; // bytes of the disk that remain free

/** Returns whether the file is there and has the right size. The server writes a package to another name first. */
function packages_has(string $directory, string $sha256, int $bytes): bool {
    clearstatcache();
    return @filesize("$directory/$sha256.mbz") === $bytes;
}

/** Copies a package from the backup. Returns false if its content is not the right one. */
function packages_copy(string $from, string $to, string $sha256): bool {
    $path = "$to/.upload-restore-" . bin2hex(random_bytes(8)); // the server deletes such files after a day
    $source = fopen("$from/$sha256.mbz", 'r');
    $target = fopen($path, 'x');
    $hash = hash_init('sha256');
    while (!feof($source)) {
        $part = (string) fread($source, 1048576);
        hash_update($hash, $part);
        if (fwrite($target, $part) !== strlen($part)) {
            @unlink($path);
            throw new RuntimeException('the disk of the library is full');
        }
    }
    $issynced = fflush($target) && fsync($target);
    fclose($source);
    fclose($target);
    if (!$issynced) {
        @unlink($path);
        throw new RuntimeException('the disk of the library cannot be written');
    }
    if (hash_final($hash) !== $sha256) {
        unlink($path);
        return false;
    }
    return rename($path, "$to/$sha256.mbz");
}

function packages_run(string $mode, array $packages, string $library, string $backup): array {
    $result = ['present' => '', 'used' => null, 'free' => null, 'copied' => 0, 'damaged' => 0];
    foreach ($packages as [$sha256, $bytes]) {
        if (!preg_match('/^[0-9a-f]{64}$/D', $sha256)) {
            throw new RuntimeException('PACKAGES has a name that is no SHA-256');
        }
        $ishere = packages_has($library, $sha256, $bytes);
        if ($mode === 'delete') {
            if (file_exists("$library/$sha256.mbz") && !unlink("$library/$sha256.mbz")) {
                throw new RuntimeException("the package $sha256 cannot be deleted");
            }
            $ishere = false;
        } else if ($mode === 'restore' && !$ishere && packages_has($backup, $sha256, $bytes)) {
            if ((float) disk_free_space($library) < $bytes + PACKAGES_RESERVE) {
                throw new RuntimeException('the disk of the library is full');
            }
            $ishere = packages_copy($backup, $library, $sha256);
            $result[$ishere ? 'copied' : 'damaged']++;
        }
        $result['present'] .= $ishere ? '1' : '0';
    }
    $free = @disk_free_space($library);
    $total = @disk_total_space($library);
    if ($free !== false && $total !== false) {
        $result['free'] = (int) $free;
        $result['used'] = (int) ($total - $free);
    }
    return $result;
}

try {
    $packages = json_decode((string) getenv('PACKAGES'), true, 4, JSON_THROW_ON_ERROR);
    $library = (string) (getenv('LIBRARY_DIR') ?: '/library');
    $backup = (string) (getenv('BACKUP_DIR') ?: '/backup');
    $result = packages_run((string) getenv('MODE'), $packages, $library, $backup);
    echo 'packages ', json_encode($result), "\\n";
} catch (\\Throwable $error) {
    echo 'failed: ', $error->getMessage(), "\\n";
    exit(1);
}
`,
  "password-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"password-\${FENCE}","labels":{"op":"password","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":600,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"password"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"password","image":"\${MOODLE_IMAGE}","command":["php","-r","\${PASSWORD_SCRIPT}"],"env":[{"name":"FENCE","value":"\${FENCE}"},{"name":"ADMIN_PASSWORD","valueFrom":{"secretKeyRef":{"name":"admin","key":"ADMIN_PASSWORD"}}}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${CRON_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "password.php": `\
<?php
// Sets the administrator's password to the password in the Secret, and ends the account's sessions. The script is
// idempotent. On success, the last line is "agreed". "refused: ..." means that the account cannot have a password and
// was not changed. This script is an argument of \`php -r\` and is not stored in the site.
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
    $renamed = method_exists(\\core\\session\\manager::class, 'destroy_user_sessions'); // in 4.5
    $end = $renamed ? 'destroy_user_sessions' : 'kill_user_sessions';
    \\core\\session\\manager::$end($user->id);
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

\\core\\session\\manager::set_user(get_admin());
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
`,
  "person-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"\${PERSON_ACTION}-person-\${FENCE}","labels":{"op":"\${PERSON_ACTION}-person","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":600,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"\${PERSON_ACTION}-person"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"person","image":"\${MOODLE_IMAGE}","command":["php","-r","\${PERSON_SCRIPT}"],"env":[{"name":"ACTION","value":"\${PERSON_ACTION}-person"},{"name":"EMAIL","value":"\${EMAIL}"},{"name":"FENCE","value":"\${FENCE}"}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${CRON_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "person.php": `\
<?php
// Suspends a person on this site and ends the person's sessions, or lets the person sign in again. The environment
// variable EMAIL has the address. Prints the number of changed accounts, or a line that starts with "refused:". This
// script is an argument of \`php -r\`. It can run again at any time.
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
        \\core\\session\\manager::destroy_user_sessions($account->id);
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
`,
  "preflight-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"preflight-\${FENCE}","labels":{"op":"preflight","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":1800,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"preflight","files-user":"true","op":"preflight"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"code","image":"\${MOODLE_IMAGE}","command":["sh","-c","for file in /usr/src/moodle/version.php /usr/src/moodle/public/version.php; do\\n  [ -f \\"$file\\" ] || continue\\n  sed -n -e 's/^ *$version *= *\\\\([0-9.]*[0-9]\\\\).*/version|\\\\1/p' \\\\\\n    -e \\"s/^ *\\\\$release *= *'\\\\([^']*\\\\)'.*/release|\\\\1/p\\" \\"$file\\"\\ndone\\n"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"20m","memory":"64Mi"},"limits":{"cpu":"200m","memory":"128Mi"}}}]}}}}`,
  "protect-sign-in-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"protect-sign-in-\${FENCE}","labels":{"op":"protect-sign-in","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":300,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"reader","op":"protect-sign-in"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":70,"runAsGroup":70,"seccompProfile":{"type":"RuntimeDefault"}},"containers":[{"name":"psql","image":"\${POSTGRES_IMAGE}","command":["psql","-h","db","-U","moodle","-d","moodle","-w","-q","-v","ON_ERROR_STOP=1","--single-transaction","-c","select pg_advisory_xact_lock(hashtext('wheelwright sign-in'))","-c","create or replace function public.wheelwright_protect_sign_in() returns trigger\\nlanguage plpgsql set search_path = pg_catalog as $protect$\\nbegin\\n  if tg_op = 'UPDATE' then\\n    if new.userid = old.userid then\\n      return new;\\n    end if;\\n  end if;\\n  if exists (select from public.mdl_config where name = 'siteadmins'\\n      and new.userid::text = any (string_to_array(replace(value, ' ', ''), ','))) then\\n    raise exception 'single sign-on is not linked to an administrator of this site';\\n  end if;\\n  if exists (select from public.mdl_user where id = new.userid and (suspended <> 0 or deleted <> 0)) then\\n    raise exception 'single sign-on is not linked to a suspended account';\\n  end if;\\n  return new;\\nend\\n$protect$\\n","-c","do $protect$\\nbegin\\n  if to_regclass('public.mdl_auth_oauth2_linked_login') is not null then\\n    drop trigger if exists wheelwright_protect_sign_in on public.mdl_auth_oauth2_linked_login;\\n    create trigger wheelwright_protect_sign_in before insert or update\\n      on public.mdl_auth_oauth2_linked_login\\n      for each row execute function public.wheelwright_protect_sign_in();\\n    -- Links from before. An administrator whose account is the provider's own has no other way in.\\n    delete from public.mdl_auth_oauth2_linked_login as link using public.mdl_user as person\\n      where person.id = link.userid and person.auth <> 'oauth2' and exists (\\n        select from public.mdl_config where name = 'siteadmins'\\n        and person.id::text = any (string_to_array(replace(value, ' ', ''), ',')));\\n  end if;\\n  if to_regclass('public.mdl_oauth2_user_field_mapping') is not null then\\n    insert into public.mdl_oauth2_user_field_mapping\\n        (issuerid, externalfield, internalfield, timecreated, timemodified, usermodified)\\n      select issuerid, 'sub', 'username', extract(epoch from now())::bigint,\\n        extract(epoch from now())::bigint, usermodified\\n      from public.mdl_oauth2_user_field_mapping as known\\n      where externalfield = 'sub' and internalfield = 'idnumber' and not exists (\\n        select from public.mdl_oauth2_user_field_mapping as other\\n        where other.issuerid = known.issuerid and other.internalfield = 'username');\\n  end if;\\nend\\n$protect$\\n"],"env":[{"name":"PGPASSWORD","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}},{"name":"PGCONNECT_TIMEOUT","value":"10"},{"name":"PGOPTIONS","value":"-c lock_timeout=60s -c client_min_messages=warning"}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"20m","memory":"64Mi"},"limits":{"cpu":"200m","memory":"128Mi"}}}]}}}}`,
  "publish-course-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"publish-course-\${FENCE}","labels":{"op":"publish-course","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":3600,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"publish-course"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"courses","image":"\${MOODLE_IMAGE}","command":["php","-r","\${PUBLISH_COURSE_SCRIPT}"],"env":[{"name":"COURSE","value":"\${COURSE}"},{"name":"LIBRARY_URL","value":"\${LIBRARY_URL}"},{"name":"UPLOAD","value":"\${UPLOAD}"},{"name":"TICKET","value":"\${TICKET}"},{"name":"FENCE","value":"\${FENCE}"}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${APP_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "publish-course.php": `\
<?php
// Makes a package of a course, a backup without users, and uploads it to the library of the hub. Environment: COURSE
// (short name), LIBRARY_URL, UPLOAD (name of the upload), TICKET and FENCE. The last line is "published {...}", or
// "refused {...}" with status 3. This script is an argument of \`php -r\`. It can run again at any time.
define('CLI_SCRIPT', true);
require('/var/www/html/config.php');
require_once($CFG->dirroot . '/backup/util/includes/backup_includes.php');

/** The settings that are off: they contain people, or texts about the people of this site. */
const PUBLISH_OFF = ['users', 'anonymize', 'role_assignments', 'permissions', 'comments', 'badges', 'calendarevents',
    'userscompletion', 'logs', 'grade_histories', 'groups', 'customfield', 'xapistate'];

/** The settings that are on, also where the site's own backups leave such content out. */
const PUBLISH_ON = ['activities', 'blocks', 'files', 'filters', 'questionbank', 'competencies', 'contentbankcontent', 'legacyfiles'];

/** The elements of a backup that name a plugin, with the type of the plugin. */
const PUBLISH_ELEMENTS = ['modulename' => 'mod', 'blockname' => 'block', 'qtype' => 'qtype', 'format' => 'format',
    'preferredbehaviour' => 'qbehaviour', 'activemethod' => 'gradingform', 'filter' => 'filter'];

function publish_refuse(string $reason, string $detail): never {
    echo 'refused ', json_encode(['reason' => $reason, 'detail' => $detail], JSON_UNESCAPED_SLASHES), "\\n";
    exit(3);
}

/** Ends the script if a later attempt has begun, so that a late Job does not disturb it. */
function publish_begin(string $attempt): void {
    $last = (string) get_config('local_wheelwright', 'publish_attempt');
    if ((int) $last > (int) $attempt) {
        mtrace("not changed: attempt $last has begun after this one, $attempt");
        exit(1);
    }
    set_config('publish_attempt', $attempt, 'local_wheelwright');
}

function publish_course(string $shortname): stdClass {
    global $DB;
    $course = $DB->get_record('course', ['shortname' => $shortname]);
    if (!$course) {
        publish_refuse('NoSuchCourse', 'The site has no course with this short name');
    }
    if ((int) $course->id === (int) SITEID) {
        publish_refuse('SiteCourse', 'This is the front page of the site, which is no course');
    }
    return $course;
}

/** Deletes what this or an earlier attempt left. */
function publish_clean(): void {
    publish_clean_directory();
    $context = context_user::instance(get_admin()->id);
    foreach (get_file_storage()->get_area_files($context->id, 'user', 'backup', 0, 'id', false) as $file) {
        if (str_starts_with($file->get_filename(), 'wheelwright-')) {
            publish_delete($file);
        }
    }
}

/** Deletes a file, and also its content in the trash, where Moodle would keep it for a day. */
function publish_delete(stored_file $file): void {
    global $CFG;
    $hash = $file->get_contenthash();
    $file->delete();
    $trash = $CFG->trashdir ?? "$CFG->dataroot/trashdir";
    @unlink("$trash/" . substr($hash, 0, 2) . '/' . substr($hash, 2, 2) . "/$hash");
}

/** A backup needs the course's files up to three times for a moment: as copies, in the package, and stored. */
function publish_check_space(stdClass $course): void {
    global $CFG, $DB;
    $context = context_course::instance($course->id);
    $bytes = (int) $DB->get_field_sql("SELECT SUM(size) FROM (SELECT MAX(f.filesize) AS size FROM {files} f
        JOIN {context} c ON c.id = f.contextid WHERE (c.id = ? OR c.path LIKE ?) AND f.component <> 'backup'
        GROUP BY f.contenthash) stored", [$context->id, "$context->path/%"]);
    $free = @disk_free_space($CFG->dataroot);
    if ($free !== false && $free < 3 * $bytes + 67108864) {
        publish_refuse('SiteFull', 'The site has not enough free space for the backup of this course');
    }
}

/** Returns the stored package and the add-ons that it needs. */
function publish_backup(stdClass $course): array {
    global $CFG;
    raise_memory_limit(MEMORY_HUGE);
    $CFG->keeptempdirectoriesonbackup = true; // the add-ons are read from it
    $backup = new backup_controller(
        backup::TYPE_1COURSE,
        $course->id,
        backup::FORMAT_MOODLE,
        backup::INTERACTIVE_NO,
        backup::MODE_GENERAL,
        get_admin()->id
    );
    set_config('publish_directory', $backup->get_backupid(), 'local_wheelwright');
    $directory = "$CFG->backuptempdir/" . $backup->get_backupid();
    publish_set($backup->get_plan());
    core_php_time_limit::raise();
    $backup->set_status(backup::STATUS_EXECUTING);
    $progress = $backup->get_plan()->get_progress();
    $progress->start_progress('', array_sum(array_map(fn($task) => $task->get_weight(), $backup->get_plan()->get_tasks())));
    foreach ($backup->get_plan()->get_tasks() as $task) {
        if ($task instanceof backup_final_task) { // packs the directory
            @unlink("$directory/course/enrolments.xml"); // has the enrolment keys of this site
        }
        $task->build();
        $task->execute();
    }
    $progress->end_progress();
    $backup->set_status(backup::STATUS_FINISHED_OK);
    $file = $backup->get_results()['backup_destination'];
    $addons = publish_addons($directory);
    $backup->destroy();
    publish_clean_directory();
    return [$file, $addons];
}

/** Sets what the package contains, also if the site has other defaults and locks them. */
function publish_set(backup_plan $plan): void {
    foreach ([0 => PUBLISH_OFF, 1 => PUBLISH_ON] as $value => $names) {
        foreach ($names as $name) {
            if ($plan->setting_exists($name) && (int) $plan->get_setting($name)->get_value() !== $value) {
                $plan->get_setting($name)->set_status(base_setting::NOT_LOCKED);
                $plan->get_setting($name)->set_value($value);
            }
        }
    }
    $plan->get_setting('filename')->set_value('wheelwright-' . (int) getenv('FENCE') . '.mbz');
}

function publish_clean_directory(): void {
    global $CFG;
    $name = (string) get_config('local_wheelwright', 'publish_directory');
    if (preg_match('/^[0-9a-f]{32}$/D', $name)) {
        fulldelete("$CFG->backuptempdir/$name");
    }
    unset_config('publish_directory', 'local_wheelwright');
}

/** Returns the add-ons of the site that an unpacked package names. */
function publish_addons(string $directory): array {
    $found = [];
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($directory)) as $file) {
        if ($file->getExtension() !== 'xml' || $file->getFilename() === 'files.xml') {
            continue;
        }
        $reader = new XMLReader();
        $reader->open($file->getPathname());
        $filter = '';
        while ($reader->read()) {
            if ($reader->nodeType !== XMLReader::ELEMENT) {
                continue;
            }
            $type = PUBLISH_ELEMENTS[$reader->name] ?? null;
            if ($type === 'filter') {
                $filter = $reader->readString(); // counts only if it is on in this course
            } else if ($reader->name === 'active' && (int) $reader->readString() === 1) {
                $found["filter_$filter"] = true;
            } else if ($type) {
                $found[$type . '_' . $reader->readString()] = true;
            } else if ($reader->name === 'availability') {
                preg_match_all('/"type":"(\\w+)"/', $reader->readString(), $conditions);
                $found += array_fill_keys(array_map(fn($name) => "availability_$name", $conditions[1]), true);
            }
        }
        $reader->close();
    }
    $addons = [];
    foreach (array_keys($found) as $component) {
        $plugin = preg_match('/^[a-z]+_\\w+$/D', $component) ? core_plugin_manager::instance()->get_plugin_info($component) : null;
        if ($plugin && $plugin->source === core_plugin_manager::PLUGIN_SOURCE_EXTENSION) {
            $addons[] = $component;
        }
    }
    sort($addons);
    return $addons;
}

/** Returns the status of the answer, its text, and the error of the connection. */
function publish_send(stored_file $file): array {
    $handle = $file->get_content_file_handle();
    $request = curl_init(getenv('LIBRARY_URL') . '/uploads/' . getenv('UPLOAD'));
    curl_setopt_array($request, [
        CURLOPT_UPLOAD => true,
        CURLOPT_INFILE => $handle,
        CURLOPT_INFILESIZE => (int) $file->get_filesize(),
        CURLOPT_HTTPHEADER => ['Authorization: Ticket ' . getenv('TICKET')],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
        CURLOPT_PROXY => '',
        CURLOPT_CONNECTTIMEOUT => 20,
        CURLOPT_LOW_SPEED_LIMIT => 1,
        CURLOPT_LOW_SPEED_TIME => 120,
    ]);
    $body = (string) curl_exec($request);
    $result = [(int) curl_getinfo($request, CURLINFO_RESPONSE_CODE), $body, curl_errno($request)];
    fclose($handle);
    return $result;
}

/** Returns the hash and size of the package that the library has stored. */
function publish_upload(stored_file $file): array {
    $hash = hash_init('sha256');
    $handle = $file->get_content_file_handle();
    hash_update_stream($hash, $handle);
    fclose($handle);
    $package = ['sha256' => hash_final($hash), 'bytes' => (int) $file->get_filesize()];
    [$status, $body, $error] = publish_send($file);
    $refusals = [
        401 => ['TicketRefused', 'The library did not accept the ticket of this upload'],
        403 => ['TicketExpired', 'The ticket of this upload expired before the backup was complete'],
        413 => ['TooLarge', "The package has $package[bytes] bytes, which is more than the library accepts"],
        507 => ['LibraryFull', 'The library of the hub has no space for this package'],
    ];
    if ($status === 201 && json_decode($body, true) === $package) {
        return $package;
    }
    publish_delete($file);
    if (isset($refusals[$status])) {
        publish_refuse(...$refusals[$status]);
    }
    publish_refuse('UploadFailed', $status
        ? "The library answered with status $status"
        : "The library did not answer: error $error of curl");
}

\\core\\session\\manager::set_user(get_admin());
publish_begin((string) getenv('FENCE'));
$course = publish_course((string) getenv('COURSE'));
publish_clean();
publish_check_space($course);
try {
    [$file, $addons] = publish_backup($course);
} catch (\\Throwable $error) {
    mtrace('the backup says: ' . preg_replace('/\\s+/', ' ', $error->getMessage()));
    if ($DB->is_transaction_started()) {
        $DB->force_transaction_rollback();
    }
    if ($DB->get_manager()->table_exists('backup_ids_temp')) { // otherwise Moodle complains after the last line
        $DB->get_manager()->drop_table(new xmldb_table('backup_ids_temp'));
    }
    publish_clean();
    publish_refuse('BackupFailed', 'Moodle could not make a backup of this course');
}
mtrace('backup made: ' . $file->get_filesize() . ' bytes');
$package = publish_upload($file);
publish_delete($file);
$names = ['title' => $course->fullname, 'shortname' => $course->shortname];
$site = ['branch' => intdiv((int) $CFG->branch, 100) . '.' . (int) $CFG->branch % 100, 'plugins' => $addons];
$json = fn(array $part): string => substr(json_encode($part, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), 1, -1);
echo 'published {', $json($package + $names), ',"moodle":', sprintf('%.2f', $CFG->version), ',', $json($site), "}\\n";
`,
  "purge-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"purge-\${FENCE}","labels":{"op":"purge","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":480,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"purge"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"purge","image":"\${MOODLE_IMAGE}","command":["php","/var/www/html/admin/cli/purge_caches.php"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${CRON_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "reset-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"reset-\${FENCE}","labels":{"op":"reset","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":300,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"reset"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"initContainers":[{"name":"schema","image":"\${POSTGRES_IMAGE}","command":["psql","-h","db","-U","moodle","-d","moodle","-w","-q","-v","ON_ERROR_STOP=1","--single-transaction","-c","do $guard$\\ndeclare\\n  mine constant bigint := \${FENCE};\\n  noted text;\\n  active text;\\nbegin\\n  perform pg_advisory_xact_lock(hashtext('wheelwright attempt'));\\n  select shobj_description(oid, 'pg_database') into noted\\n    from pg_database where datname = current_database();\\n  if substring(noted from '^wheelwright \\\\w+ (\\\\d+)$')::bigint > mine then\\n    raise exception 'not reset: attempt % has begun after this one, %', noted, mine;\\n  end if;\\n  if exists (select from pg_stat_activity\\n      where datname = current_database() and backend_type = 'client backend'\\n        and pid <> pg_backend_pid() and client_addr is distinct from '127.0.0.1'\\n        and application_name <> 'wheelwright reset') then\\n    raise exception 'not reset: another session is at work in this database';\\n  end if;\\n  if to_regclass('public.mdl_config') is not null then\\n    lock table public.mdl_config in access exclusive mode;\\n    select value into active from public.mdl_config where name = 'rolesactive';\\n    if active = '1' then\\n      raise exception 'not reset: rolesactive is 1, an installed site is here';\\n    end if;\\n  end if;\\n  execute format('comment on database %I is %L', current_database(), 'wheelwright reset ' || mine);\\nend\\n$guard$\\n","-c","drop schema if exists public cascade","-c","create schema public"],"env":[{"name":"PGPASSWORD","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}},{"name":"PGCONNECT_TIMEOUT","value":"10"},{"name":"PGAPPNAME","value":"wheelwright reset"},{"name":"PGOPTIONS","value":"-c lock_timeout=60s -c client_min_messages=warning"}],"securityContext":{"runAsUser":70,"runAsGroup":70,"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"50m","memory":"64Mi"},"limits":{"cpu":"500m","memory":"256Mi"}}}],"containers":[{"name":"files","image":"\${MOODLE_IMAGE}","command":["sh","-c","rm -rf /v/moodledata /v/html/config.php && mkdir -p /v/html /v/moodledata"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"50m","memory":"64Mi"},"limits":{"cpu":"500m","memory":"256Mi"}},"volumeMounts":[{"name":"files","mountPath":"/v"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "secrets.yaml": `\
{"apiVersion":"v1","kind":"Secret","metadata":{"name":"moodle"},"stringData":{"DB_PASS":"\${DATABASE_PASSWORD}","MOODLE_PASSWORD":"\${CONTROL_PASSWORD}"}}
---
{"apiVersion":"v1","kind":"Secret","metadata":{"name":"admin"},"stringData":{"ADMIN_PASSWORD":"\${ADMIN_PASSWORD}"}}`,
  "seed-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"seed-\${FENCE}","labels":{"op":"seed","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":1800,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"seed"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"initContainers":[{"name":"guard","image":"\${POSTGRES_IMAGE}","command":["psql","-h","db","-U","moodle","-d","moodle","-w","-q","-v","ON_ERROR_STOP=1","-c","do $guard$\\ndeclare\\n  mine constant bigint := \${FENCE};\\n  noted text;\\nbegin\\n  perform pg_advisory_xact_lock(hashtext('wheelwright attempt'));\\n  select shobj_description(oid, 'pg_database') into noted\\n    from pg_database where datname = current_database();\\n  if substring(noted from '^wheelwright \\\\w+ (\\\\d+)$')::bigint > mine or noted = 'wheelwright seed ' || mine then\\n    raise exception 'not seeded: attempt % has begun after this one, %', noted, mine;\\n  end if;\\n  execute format('comment on database %I is %L', current_database(), 'wheelwright seed ' || mine);\\nend\\n$guard$\\n"],"env":[{"name":"PGPASSWORD","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}},{"name":"PGCONNECT_TIMEOUT","value":"10"},{"name":"PGOPTIONS","value":"-c lock_timeout=60s -c client_min_messages=warning"}],"securityContext":{"runAsUser":70,"runAsGroup":70,"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"50m","memory":"64Mi"},"limits":{"cpu":"500m","memory":"256Mi"}}}],"containers":[{"name":"seed","image":"\${MOODLE_IMAGE}","command":["php","-d","max_input_vars=10000","/seed/seed.php"],"envFrom":[{"secretRef":{"name":"admin"}},{"secretRef":{"name":"seed"}}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${APP_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"},{"name":"script","mountPath":"/seed","readOnly":true},{"name":"settings","mountPath":"/settings","readOnly":true}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}},{"name":"script","configMap":{"name":"seed-script"}},{"name":"settings","configMap":{"name":"seed"}}]}}}}`,
  "seed.php": `\
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
        get_file_storage()->delete_area_files(\\context_system::instance()->id, 'core_admin', $area);
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
        (new \\tool_langimport\\controller())->install_languagepacks($language);
    } catch (\\Throwable $error) {
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
    $place = ['contextid' => \\context_system::instance()->id, 'component' => 'core_admin', 'itemid' => 0];
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

\\core\\session\\manager::set_user(get_admin());
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
`,
  "seed.yaml": `\
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"seed-script"},"data":{"seed.php":"\${SEED_SCRIPT}","courses.php":"\${COURSES_SCRIPT}","sign-on.php":"\${SIGN_ON_SCRIPT}","client.php":"\${CLIENT_SCRIPT}"}}
---
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"seed"},"data":{"SEED_CHANGES":"\${CHANGES}","SEED_TITLE":"\${TITLE}","SEED_ADMIN_EMAIL":"\${ADMIN_EMAIL}","SEED_MAIL":"\${MAIL}","SEED_BRAND_COLOR":"\${BRAND_COLOR}","SEED_BRAND_SCSS":"\${BRAND_SCSS}","SEED_BRAND_LOGO":"\${BRAND_LOGO}","SEED_SETTINGS":"\${SETTINGS}","SEED_COURSES":"\${COURSES}","SEED_SIGN_IN":"\${SIGN_IN}","SEED_SITE":"\${SITE}","SEED_ISSUER_NAME":"\${ISSUER_NAME}","SEED_ISSUER_URL":"\${ISSUER_URL}","SEED_ISSUER_CLIENT_ID":"\${ISSUER_CLIENT_ID}","SEED_ISSUER_SCOPES":"\${ISSUER_SCOPES}","SEED_ISSUER_AUTHORIZATION_ENDPOINT":"\${ISSUER_AUTHORIZATION_ENDPOINT}","SEED_ISSUER_TOKEN_ENDPOINT":"\${ISSUER_TOKEN_ENDPOINT}","SEED_ISSUER_USERINFO_ENDPOINT":"\${ISSUER_USERINFO_ENDPOINT}"}}
---
{"apiVersion":"v1","kind":"Secret","metadata":{"name":"seed"},"stringData":{"SEED_ISSUER_CLIENT_SECRET":"\${ISSUER_CLIENT_SECRET}","SEED_ISSUER_REGISTRATION_TOKEN":"\${ISSUER_REGISTRATION_TOKEN}"}}`,
  "settings.yaml": `\
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"moodle-env"},"data":{"SITE_URL":"\${URL}","SSLPROXY":"\${BEHIND_TLS}","REVERSEPROXY":"false","DB_TYPE":"pgsql","DB_HOST":"db","DB_PORT":"5432","DB_NAME":"moodle","DB_USER":"moodle","PGCONNECT_TIMEOUT":"10","MOODLE_USERNAME":"cpadmin","MOODLE_EMAIL":"cpadmin@wheelwright.invalid","MOODLE_SITENAME":"\${SLUG}","MOODLE_MAIL_PREFIX":"\${SLUG}:","MOODLE_LANGUAGE":"en","SMTP_HOST":"\${SMTP_HOST}","SMTP_PORT":"\${SMTP_PORT}","SMTP_USER":"\${SMTP_USER}","SMTP_PROTOCOL":"\${SMTP_PROTOCOL}","MOODLE_MAIL_NOREPLY_ADDRESS":"\${MAIL_FROM}","AUTO_UPDATE_MOODLE":"false","SYNC_MOODLE_CODE":"auto","SYNC_PRESERVE_PLUGINS":"true","PLUGINS":"","RUN_CRON_TASKS":"false","PRE_CONFIGURE_COMMANDS":"touch /etc/service/cron/down","POST_CONFIGURE_COMMANDS":"sed -i -e '/CFG->disableupdateautodeploy/d' -e '/require_once.*setup\\\\.php/i $CFG->disableupdateautodeploy = \${WEB_INSTALLER_OFF};' /var/www/html/config.php; php -d max_input_vars=10000 /var/www/html/admin/cli/cfg.php --name=noemailever --set=\${MAIL_OFF}","memory_limit":"256M","post_max_size":"100M","upload_max_filesize":"100M","client_max_body_size":"100M","opcache_enable":"1","opcache_validate_timestamps":"1"}}
---
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"fpm-size"},"data":{"zz-size.conf":"\${FPM_CONFIGURATION}"}}`,
  "setup-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"setup-\${FENCE}","labels":{"op":"setup","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":1800,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"setup"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"initContainers":[{"name":"guard","image":"\${POSTGRES_IMAGE}","command":["psql","-h","db","-U","moodle","-d","moodle","-w","-q","-v","ON_ERROR_STOP=1","-c","do $guard$\\ndeclare\\n  mine constant bigint := \${FENCE};\\n  noted text;\\nbegin\\n  perform pg_advisory_xact_lock(hashtext('wheelwright attempt'));\\n  select shobj_description(oid, 'pg_database') into noted\\n    from pg_database where datname = current_database();\\n  if substring(noted from '^wheelwright \\\\w+ (\\\\d+)$')::bigint > mine or noted = 'wheelwright seed ' || mine then\\n    raise exception 'not seeded: attempt % has begun after this one, %', noted, mine;\\n  end if;\\n  execute format('comment on database %I is %L', current_database(), 'wheelwright seed ' || mine);\\nend\\n$guard$\\n"],"env":[{"name":"PGPASSWORD","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}},{"name":"PGCONNECT_TIMEOUT","value":"10"},{"name":"PGOPTIONS","value":"-c lock_timeout=60s -c client_min_messages=warning"}],"securityContext":{"runAsUser":70,"runAsGroup":70,"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"50m","memory":"64Mi"},"limits":{"cpu":"500m","memory":"256Mi"}}}],"containers":[{"name":"setup","image":"\${MOODLE_IMAGE}","command":["sh","-c","php -r \\"$FACTS\\" || exit\\nphp -d max_input_vars=10000 /seed/seed.php || exit\\nphp -r \\"$FACTS\\" || exit\\nexec curl -sS --fail -o /dev/null -w '%{http_code}\\\\n' --max-time 20 \\\\\\n  --retry 10 --retry-delay 3 --retry-all-errors --retry-max-time 120 \\\\\\n  -H 'Host: \${HOST}' -H 'X-Forwarded-Proto: \${SCHEME}' http://moodle/login/index.php\\n"],"env":[{"name":"FACTS","value":"\${FACTS_SCRIPT}"},{"name":"SITE_IDENTIFIER","value":"\${SITE_IDENTIFIER}"},{"name":"DB_PASS","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}}],"envFrom":[{"secretRef":{"name":"admin"}},{"secretRef":{"name":"seed"}}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${APP_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"},{"name":"script","mountPath":"/seed","readOnly":true},{"name":"settings","mountPath":"/settings","readOnly":true}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}},{"name":"script","configMap":{"name":"seed-script"}},{"name":"settings","configMap":{"name":"seed"}}]}}}}`,
  "sign-in-link-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"sign-in-link-\${FENCE}","labels":{"op":"sign-in-link","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":60,"ttlSecondsAfterFinished":30,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"sign-in-link"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"sign-in-link","image":"\${MOODLE_IMAGE}","command":["php","-r","\${LINK_SCRIPT}"],"env":[{"name":"LINK_KEY","value":"\${LINK_KEY}"}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${CRON_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "sign-in-link.php": `\
<?php
// Creates a sign-in link for the site's administrator: a password reset link of Moodle, which makes earlier links
// invalid. The log contains the link's token only in encrypted form, for the requester's public key. On success, the
// last line is "sealed: ...". A line that starts with "refused:" states why the account cannot use a link; in that
// case, the account is left unchanged. This script is an argument of \`php -r\` and is not stored in the site.
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
    $sealed = openssl_encrypt($text, 'aes-256-gcm', $key, OPENSSL_RAW_DATA, str_repeat("\\0", 12), $tag);
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
`,
  "sign-on.php": `\
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
function seed_change_record(\\core\\persistent $record, array $values): void {
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
function seed_save_issuer(?\\core\\oauth2\\issuer $issuer, array $values, array $endpoints): int {
    global $DB;
    \\core_plugin_manager::resolve_plugininfo_class('auth')::enable_plugin('oauth2', 1);
    $transaction = $DB->start_delegated_transaction();
    if ($issuer) {
        seed_change_record($issuer, $values);
    } else {
        $issuer = \\core\\oauth2\\api::create_issuer((object) ($values + [
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
        $endpoint = \\core\\oauth2\\endpoint::get_record(['issuerid' => $id, 'name' => $name]);
        if ($endpoint) {
            seed_change_record($endpoint, ['url' => $url]);
        } else {
            \\core\\oauth2\\api::create_endpoint((object) ['issuerid' => $id, 'name' => $name, 'url' => $url]);
        }
    }
    // Without a mapping, the email address would be the username, and a changed address would create a second account.
    $fields = ['email' => 'email', 'firstname' => 'given_name', 'lastname' => 'family_name', 'idnumber' => 'sub'];
    $fields['username'] = 'sub';
    foreach ($fields as $internal => $external) {
        $mapping = ['issuerid' => $id, 'internalfield' => $internal];
        if (!\\core\\oauth2\\user_field_mapping::get_record($mapping)) {
            \\core\\oauth2\\api::create_user_field_mapping((object) ($mapping + ['externalfield' => $external]));
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
        'showonloginpage' => \\core\\oauth2\\issuer::EVERYWHERE,
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
function seed_first_issuer(string $property, string $value): ?\\core\\oauth2\\issuer {
    foreach (\\core\\oauth2\\issuer::get_records([], 'id') as $issuer) {
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
function seed_find_issuer(?string $clientid, ?string $formername): ?\\core\\oauth2\\issuer {
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
 * token, the site registers its own client. \`$site\` has the spoke's ID and the site's redirect addresses.
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
`,
  "sizes.yaml": `\
{"default":"medium","sizes":{"small":{"app":{"requests":{"cpu":"250m","memory":"512Mi"},"limits":{"cpu":"1","memory":"1Gi"}},"database":{"requests":{"cpu":"100m","memory":"256Mi"},"limits":{"cpu":"500m","memory":"512Mi"}},"cron":{"requests":{"cpu":"100m","memory":"256Mi"},"limits":{"cpu":"500m","memory":"768Mi"}},"workers":8,"disks":{"files":"10Gi","database":"5Gi"},"quota":{"requests":{"cpu":"1","memory":"1792Mi"},"limits":{"cpu":"4","memory":"4Gi"},"storage":"40Gi"},"largest":{"cpu":"2","memory":"2Gi","disk":"20Gi"}},"medium":{"app":{"requests":{"cpu":"500m","memory":"1Gi"},"limits":{"cpu":"2","memory":"2Gi"}},"database":{"requests":{"cpu":"250m","memory":"512Mi"},"limits":{"cpu":"1","memory":"1Gi"}},"cron":{"requests":{"cpu":"100m","memory":"256Mi"},"limits":{"cpu":"500m","memory":"768Mi"}},"workers":16,"disks":{"files":"50Gi","database":"10Gi"},"quota":{"requests":{"cpu":"2","memory":"3584Mi"},"limits":{"cpu":"8","memory":"8Gi"},"storage":"140Gi"},"largest":{"cpu":"2","memory":"2Gi","disk":"100Gi"}},"large":{"app":{"requests":{"cpu":"1","memory":"2Gi"},"limits":{"cpu":"4","memory":"4Gi"}},"database":{"requests":{"cpu":"500m","memory":"1Gi"},"limits":{"cpu":"2","memory":"2Gi"}},"cron":{"requests":{"cpu":"250m","memory":"512Mi"},"limits":{"cpu":"1","memory":"1Gi"}},"workers":32,"disks":{"files":"200Gi","database":"50Gi"},"quota":{"requests":{"cpu":"4","memory":"7Gi"},"limits":{"cpu":"14","memory":"14Gi"},"storage":"520Gi"},"largest":{"cpu":"4","memory":"4Gi","disk":"400Gi"}}}}`,
  "surroundings.yaml": `\
{"ingressClass":"nginx","ingressNamespace":"ingress-nginx","dnsNamespace":"kube-system","tls":"acme","acmeServer":"https://acme-v02.api.letsencrypt.org/directory"}`,
  "upgrade-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"upgrade-\${FENCE}","labels":{"op":"upgrade","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":21600,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"app","files-user":"true","op":"upgrade"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"initContainers":[{"name":"guard","image":"\${POSTGRES_IMAGE}","command":["psql","-h","db","-U","moodle","-d","moodle","-w","-q","-v","ON_ERROR_STOP=1","-c","do $guard$\\ndeclare\\n  mine constant bigint := \${FENCE};\\n  noted text;\\n  active text;\\nbegin\\n  perform pg_advisory_xact_lock(hashtext('wheelwright attempt'));\\n  select shobj_description(oid, 'pg_database') into noted\\n    from pg_database where datname = current_database();\\n  if substring(noted from '^wheelwright \\\\w+ (\\\\d+)$')::bigint > mine then\\n    raise exception 'not upgraded: attempt % has begun after this one, %', noted, mine;\\n  end if;\\n  if to_regclass('public.mdl_config') is not null then\\n    select value into active from public.mdl_config where name = 'rolesactive';\\n  end if;\\n  if active is distinct from '1' then\\n    raise exception 'not upgraded: no installed site is here';\\n  end if;\\n  execute format('comment on database %I is %L', current_database(), 'wheelwright upgrade ' || mine);\\nend\\n$guard$\\n"],"env":[{"name":"PGPASSWORD","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}},{"name":"PGCONNECT_TIMEOUT","value":"10"},{"name":"PGOPTIONS","value":"-c lock_timeout=60s -c client_min_messages=warning"}],"securityContext":{"runAsUser":70,"runAsGroup":70,"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"50m","memory":"64Mi"},"limits":{"cpu":"500m","memory":"256Mi"}}},{"name":"dirs","image":"\${MOODLE_IMAGE}","command":["sh","-c","mkdir -p /v/html /v/moodledata"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"volumeMounts":[{"name":"files","mountPath":"/v"}]}],"containers":[{"name":"moodle","image":"\${MOODLE_IMAGE}","args":["true"],"env":[{"name":"AUTO_UPDATE_MOODLE","value":"true"}],"envFrom":[{"configMapRef":{"name":"moodle-env"}},{"secretRef":{"name":"moodle"}},{"secretRef":{"name":"mail"}}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${APP_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html"},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata"}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "usage.php": `\
<?php
// Writes what the site uses to the termination message of its pod: one line of JSON with numbers and names of code. The
// CronJob runs this script before Moodle's scheduled tasks, which may fail or take long. Each run writes the message,
// but the numbers are measured only every 15 minutes, Moodle's own checks run and its add-ons are listed once an hour, and
// the size of the folders is measured once a day. The script queries the database directly, so it also works during maintenance and before a
// pending upgrade. It is an argument of \`php -r\`.
//
// Facts about Moodle 4.1 to 5.2 (lib/db/install.xml describes the tables):
// - mdl_files has one row per use of a file. Files with the same contenthash are stored once (lib/filestorage).
// - mdl_user keeps deleted users with deleted = 1. The user guest is no person. lastaccess is the time of the last
//   request, at most a minute late (user_accesstime_log in lib/datalib.php).
// - mdl_course contains the site's front page, with category 0 (lib/db/install.php).
// - lastcronstart of the plugin tool_task is when the scheduled tasks last started (lib/classes/cron.php, before 4.2
//   lib/cronlib.php).
// - faildelay of mdl_task_scheduled and mdl_task_adhoc is the wait in seconds after a failure, 0 after a success
//   (lib/classes/task/manager.php). attemptsavailable exists since 4.2; a task without attempts never runs again.
// - admin/cli/checks.php prints a line such as "CRITICAL: Upgrade (core_upgradecheck)" for each failed check.
// - php-fpm's status counts how often the number of workers reached its limit ("max children reached"), since the start
//   of php-fpm ("start time"). The count stays the same while the workers remain at the limit. An unused worker ends after
//   10 seconds. The app's readiness probe stores the status every 20 seconds (measured with PHP 8.2).
// - core_plugin_manager lists all plugins. The source of an add-on is 'ext' (lib/classes/plugin_manager.php). An add-on
//   with an error in its code stops the program that lists them, so it is a process of its own.
ini_set('display_errors', 'stderr');
$env = fn(string $name, string $default): string => (string) (getenv($name) ?: $default);
$data = $env('DATA_DIR', '/var/www/moodledata');
$html = $env('HTML_DIR', '/var/www/html');
$file = "$data/wheelwright-usage.json";
$write = fn(array $line) => file_put_contents($env('MESSAGE_FILE', '/dev/termination-log'), json_encode($line));

$now = time();
$last = json_decode((string) @file_get_contents($file), true);
$last = is_array($last) && is_int($last['at'] ?? null) && $last['at'] <= $now ? $last : [];
if ($last) {
    $write($last); // also if the database does not answer
    if ($last['at'] > $now - (int) $env('MEASURE_SECONDS', '900')) {
        exit(0);
    }
}

$password = addcslashes((string) getenv('DB_PASS'), "'\\\\");
$server = 'host=' . $env('DB_HOST', 'db') . ' port=' . $env('DB_PORT', '5432') . ' dbname=' . $env('DB_NAME', 'moodle');
$limits = "connect_timeout=10 options='-c statement_timeout=20s'";
$database = pg_connect("$server user=" . $env('DB_USER', 'moodle') . " password='$password' $limits");
if (!$database) {
    exit(1); // PHP has printed the error
}
// Returns null if the query fails, for example because the table does not exist yet, or finds nothing.
$number = function (string $query) use ($database): ?int {
    $result = @pg_query($database, $query);
    $value = $result && pg_num_rows($result) > 0 ? pg_fetch_result($result, 0, 0) : null;
    return $value === null ? null : (int) $value;
};
// Returns texts that contain nothing but the name of a class.
$names = function (string $query) use ($database): array {
    $result = @pg_query($database, $query);
    $texts = $result ? array_map('strval', pg_fetch_all_columns($result)) : [];
    return array_values(array_filter($texts, fn($text) => preg_match('/^[\\\\\\\\\\w]{1,120}$/D', $text)));
};
$failing = "(select classname, faildelay from mdl_task_scheduled where faildelay > 0 and disabled = 0
    union all select classname, faildelay from mdl_task_adhoc where faildelay > 0) as failing";
$people = "from mdl_user where deleted = 0 and username <> 'guest'";
$log = "select (has_function_privilege('pg_ls_waldir()', 'execute'))::int"; // the write-ahead log is on the same disk

// Prints texts such as "mod_attendance 2024101100", with " off" if the add-on is disabled.
$listAddons = <<<'CODE'
define('CLI_SCRIPT', true);
define('CACHE_DISABLE_ALL', true);
define('NO_UPGRADE_CHECK', true);
require $argv[1];
$texts = [];
foreach (core_plugin_manager::instance()->get_plugins() as $plugins) {
    foreach ($plugins as $plugin) {
        if ($plugin->source === 'ext') {
            $version = $plugin->versiondisk ?? $plugin->versiondb;
            $texts[] = "$plugin->component $version" . ($plugin->is_enabled() === false ? ' off' : '');
        }
    }
}
sort($texts);
echo "\\n", json_encode($texts);
CODE;

$line = [
    'usage' => 1, // the version of this format
    'at' => $now,
    'content' => $number('select coalesce(sum(size), 0) from (select max(filesize) as size from mdl_files
        where referencefileid is null group by contenthash) as stored'),
    'database' => $number('select pg_database_size(current_database())'),
    'databaseLog' => $number($log) === 1 ? $number('select coalesce(sum(size), 0) from pg_ls_waldir()') : null,
    'users' => $number("select count(*) $people"),
    'activeUsers' => $number("select count(*) $people and lastaccess > $now - 30 * 86400"),
    'courses' => $number('select count(*) from mdl_course where category <> 0'),
    'tasksAt' => $number("select value::bigint from mdl_config_plugins
        where plugin = 'tool_task' and name = 'lastcronstart'"),
    'failingTasks' => $number("select count(distinct classname) from $failing"),
    'failingTaskNames' => $names("select classname from $failing group by 1 order by max(faildelay) desc, 1 limit 5"),
    'tasksWaitingSince' => $number("select min(nextruntime) from mdl_task_adhoc as task where nextruntime < $now
        and coalesce((to_jsonb(task) ->> 'attemptsavailable')::integer, 1) > 0"),
    // The seed stores the values that the hub shares under these names.
    'changedSettings' => $names("select substr(shared.name, 8) from mdl_config_plugins as shared
        left join mdl_config as own on own.name = substr(shared.name, 8) where shared.plugin = 'local_wheelwright'
        and shared.name like 'shared\\\\_%' and own.value is distinct from shared.value order by 1 limit 10"),
];
$total = @disk_total_space($data);
$free = @disk_free_space($data);
if ($total !== false && $free !== false) {
    $line['disk'] = (int) $total;
    $line['diskUsed'] = (int) ($total - $free);
}
foreach (['folders', 'foldersAt', 'failedChecks', 'checkedAt', 'addons', 'addonCount', 'addonsAt',
    'workersBusy', 'workersBusyAt', 'workersReached', 'workersStarted'] as $name) {
    if (isset($last[$name])) {
        $line[$name] = $last[$name];
    }
}
$workers = json_decode((string) @file_get_contents("$data/wheelwright-workers.json"), true);
$reached = $workers['max children reached'] ?? null;
$started = $workers['start time'] ?? null;
if (is_int($reached) && is_int($started)) {
    $new = $reached - (($last['workersStarted'] ?? null) === $started ? (int) $last['workersReached'] : 0);
    if ($new === 0 && $reached > 0 && ($workers['total processes'] ?? 0) >= ($workers['max active processes'] ?? 1)) {
        $new = 1; // still at the limit
    }
    if ($new > 0) {
        $line['workersBusyAt'] = $now;
    }
    $line['workersBusy'] = ($last['workersBusy'] ?? 0) + max(0, $new);
    $line['workersReached'] = $reached;
    $line['workersStarted'] = $started;
}
if (($line['checkedAt'] ?? 0) < $now - (int) $env('CHECK_SECONDS', '3600')) {
    exec('timeout 60 php ' . escapeshellarg("$html/admin/cli/checks.php") . ' --type=status 2>/dev/null', $lines, $status);
    $line['checkedAt'] = $now; // also after a failure, so that the next attempt is not at once
    $line['failedChecks'] = null;
    if ($status <= 3) { // 0: passed, 1: warnings, 2: failed, 3: unknown
        preg_match_all('/^\\s*CRITICAL: .*\\(((?:core|tool_task)_\\w{1,60})\\)\\s*$/m', implode("\\n", $lines), $found);
        $line['failedChecks'] = array_slice(array_unique($found[1]), 0, 10);
    }
    exec('timeout 30 php -r ' . escapeshellarg($listAddons) . ' ' . escapeshellarg("$html/config.php") . ' 2>/dev/null', $texts, $status);
    $addons = $status === 0 ? json_decode((string) end($texts), true) : null; // a plugin may print lines before the list
    if (is_array($addons)) { // otherwise the earlier list remains, with its time
        $line = ['addons' => $addons, 'addonCount' => count($addons), 'addonsAt' => $now] + $line;
    }
}
if (($line['foldersAt'] ?? 0) < $now - 86400) {
    $line['foldersAt'] = $now;
    exec('timeout 30 du -sk ' . escapeshellarg($html) . ' ' . escapeshellarg($data) . ' 2>/dev/null', $sizes, $status);
    if ($status === 0) {
        $line['folders'] = 1024 * array_sum(array_map('intval', $sizes));
    }
}
while (!empty($line['addons']) && strlen(json_encode($line)) > 4000) { // Kubernetes cuts a message at 4096 bytes
    array_pop($line['addons']);
}
$write($line);
// A full disk prevents this; the next run then measures again.
if (@file_put_contents("$file.new", json_encode($line)) === strlen(json_encode($line))) {
    rename("$file.new", $file);
}
`,
  "verify-files-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"verify-files-\${FENCE}","labels":{"op":"verify-files","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":5400,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"reader","files-user":"true","op":"verify-files"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":65534,"runAsGroup":65534,"fsGroup":65534,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"files-user":"true"}}}]}},"containers":[{"name":"php","image":"\${MOODLE_IMAGE}","command":["php","-r","\${VERIFY_FILES_SCRIPT}"],"env":[{"name":"SINCE","value":"\${SINCE}"},{"name":"DB_PASS","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":"\${CRON_RESOURCES}","volumeMounts":[{"name":"files","mountPath":"/var/www/html","subPath":"html","readOnly":true},{"name":"files","mountPath":"/var/www/moodledata","subPath":"moodledata","readOnly":true}]}],"volumes":[{"name":"files","persistentVolumeClaim":{"claimName":"\${FILES_CLAIM}"}}]}}}}`,
  "verify-files.php": `\
<?php
// Compares the list of files in mdl_files with the files in moodledata/filedir: existence and size of all files, and
// the hash of a random sample. Prints one name|value per line, and "verified" at the end. A restore test runs this
// script before Moodle could repair files. This script is an argument of \`php -r\` and is not stored in the site.
ini_set('display_errors', 'stderr');
ini_set('memory_limit', '128M');
$env = fn(string $name, string $default): string => (string) (getenv($name) ?: $default);
$html = $env('HTML_DIR', '/var/www/html');
$data = $env('DATA_DIR', '/var/www/moodledata');

// Reads the version of the code on the volume. Since Moodle 5.1, most of the code is in the directory public/.
foreach (["$html/version.php", "$html/public/version.php"] as $file) {
    if (is_file($file)) {
        $code = (string) file_get_contents($file);
        foreach (['version' => '/^\\s*\\$version\\s*=\\s*([0-9.]+)/m', 'release' => "/^\\s*\\\\\\$release\\s*=\\s*'([^']*)'/m"] as $name => $pattern) {
            if (preg_match($pattern, $code, $found)) {
                echo "code$name|$found[1]\\n";
            }
        }
        break;
    }
}
if (is_file("$html/config.php") && strpos((string) file_get_contents("$html/config.php"), 'alternative_file_system_class') !== false) {
    echo "elsewhere|1\\nverified\\n"; // the site stores its files in an object store
    exit(0);
}

$password = addcslashes((string) getenv('DB_PASS'), "'\\\\");
$host = $env('DB_HOST', 'db');
$port = $env('DB_PORT', '5432');
$name = $env('DB_NAME', 'moodle');
$user = $env('DB_USER', 'moodle');
$database = pg_connect("host=$host port=$port dbname=$name user=$user password='$password' connect_timeout=10");
if (!$database) {
    exit(1); // PHP has printed the error
}
function rows($database, string $query, array $values = []): array {
    $result = $values ? pg_query_params($database, $query, $values) : pg_query($database, $query);
    if ($result === false) {
        exit(1); // PHP has printed the error
    }
    return pg_fetch_all($result);
}

// Omits references to files in other systems, and the empty file, which some Moodle versions do not store.
const STORED = "referencefileid is null and contenthash <> 'da39a3ee5e6b4b0d3255bfef95601890afd80709' and filename <> '.'";
$since = (int) $env('SINCE', '0');
$facts = ['files' => 0, 'bytes' => 0, 'hashed' => 0, 'missing' => 0, 'othersize' => 0, 'othercontent' => 0, 'newer' => 0];
$facts['references'] = (int) rows($database, 'select count(*) as n from mdl_files where referencefileid is not null')[0]['n'];
$facts['filedir'] = is_dir("$data/filedir") ? 1 : 0;
$examples = [];
$end = time() + (int) $env('HASH_SECONDS', '300');
$most = (int) $env('HASH_BYTES', '2147483648');
rows($database, 'begin isolation level repeatable read read only');
// Sorts the files in a new random order. The first files are hashed, until the time or byte limit is reached.
$order = bin2hex(random_bytes(8));
rows($database, "declare stored no scroll cursor for
    select contenthash, max(filesize) as size, max(greatest(timecreated, timemodified)) as time from mdl_files
    where " . STORED . " group by contenthash order by md5(contenthash || '$order')");
while ($part = rows($database, 'fetch 5000 from stored')) {
    foreach ($part as ['contenthash' => $hash, 'size' => $size, 'time' => $time]) {
        $facts['files']++;
        $facts['bytes'] += (int) $size;
        $path = "$data/filedir/" . substr($hash, 0, 2) . '/' . substr($hash, 2, 2) . "/$hash";
        $is = @filesize($path);
        $wrong = null;
        if ($is === false) {
            $wrong = 'missing';
        } else if ($is !== (int) $size) {
            $wrong = 'othersize';
        } else if ($most >= $is && time() < $end) {
            $most -= $is;
            $facts['hashed']++;
            $wrong = sha1_file($path) === $hash ? null : 'othercontent';
        }
        if ($wrong === 'missing' && $since > 0 && (int) $time >= $since) {
            $wrong = 'newer'; // uploaded while the two snapshots were taken
        }
        if ($wrong !== null) {
            $facts[$wrong]++;
        }
        if ($wrong !== null && $wrong !== 'newer' && count($examples) < 3) {
            $examples[] = $hash;
        }
    }
}
foreach ($facts as $name => $value) {
    echo "$name|$value\\n";
}
foreach ($examples as $hash) {
    echo "example|$hash\\n";
}
echo "verified\\n";
`,
  "verify-job.yaml": `\
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"\${JOB}-\${FENCE}","labels":{"op":"\${JOB}","wheelwright.dev/fence":"\${FENCE}"}},"spec":{"backoffLimit":0,"activeDeadlineSeconds":300,"ttlSecondsAfterFinished":86400,"template":{"metadata":{"labels":{"role":"reader","op":"\${JOB}"}},"spec":{"restartPolicy":"Never","automountServiceAccountToken":false,"enableServiceLinks":false,"securityContext":{"runAsNonRoot":true,"runAsUser":70,"runAsGroup":70,"seccompProfile":{"type":"RuntimeDefault"}},"containers":[{"name":"psql","image":"\${POSTGRES_IMAGE}","command":["sh","-c","exec psql -h db -U moodle -d moodle -w -qtA -v ON_ERROR_STOP=1 <<'SQL'\\nselect 'tables', count(*) from pg_tables where schemaname = 'public' having count(*) > 0;\\nselect 'attempt', shobj_description(oid, 'pg_database') from pg_database\\n  where datname = current_database() and shobj_description(oid, 'pg_database') like 'wheelwright %'\\n  and shobj_description(oid, 'pg_database') not like 'wheelwright claim %';\\nselect to_regclass('public.mdl_config') is not null as found \\\\gset\\n\\\\if :found\\nselect name, value from public.mdl_config\\n  where name in ('rolesactive', 'siteidentifier', 'version', 'release', 'upgraderunning') order by name;\\n\\\\endif\\nselect to_regclass('public.mdl_course') is not null and to_regclass('public.mdl_user') is not null as peopled \\\\gset\\n\\\\if :peopled\\nselect 'courses', count(*) from public.mdl_course where category <> 0; -- 0: the site's own front page\\nselect 'users', count(*) from public.mdl_user where deleted = 0 and username <> 'guest';\\n\\\\endif\\ndo $guard$\\ndeclare\\n  mine constant bigint := \${CLAIM};\\n  noted text;\\nbegin\\n  perform pg_advisory_xact_lock(hashtext('wheelwright attempt'));\\n  select shobj_description(oid, 'pg_database') into noted\\n    from pg_database where datname = current_database();\\n  if coalesce(substring(noted from '^wheelwright \\\\w+ (\\\\d+)$')::bigint, 0) < mine then\\n    execute format('comment on database %I is %L', current_database(),\\n      coalesce(replace(substring(noted from '^wheelwright \\\\w+ '), ' seed ', ' install '), 'wheelwright claim ') || mine);\\n  end if;\\nend\\n$guard$;\\nSQL\\n"],"env":[{"name":"PGPASSWORD","valueFrom":{"secretKeyRef":{"name":"moodle","key":"DB_PASS"}}},{"name":"PGCONNECT_TIMEOUT","value":"10"}],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}},"resources":{"requests":{"cpu":"20m","memory":"64Mi"},"limits":{"cpu":"200m","memory":"128Mi"}}}]}}}}`,
};
