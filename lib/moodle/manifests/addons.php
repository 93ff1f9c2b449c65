<?php
// Checks (MODE=check), or installs, upgrades and removes (MODE=apply), the add-ons that Wheelwright manages on this site.
// ADDONS is the list of wanted add-ons as JSON. The last line of the output is the result. This script is an argument of
// `php -r`. It does not load Moodle, because a broken add-on stops every program that does; other processes load it.
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
    echo preg_replace('/\s+/', ' ', $result), "\n";
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

$password = addcslashes($env('DB_PASS'), "'\\");
$server = 'host=' . $env('DB_HOST', 'db') . ' port=' . $env('DB_PORT', '5432') . ' dbname=' . $env('DB_NAME', 'moodle');
$database = pg_connect("$server user=" . $env('DB_USER', 'moodle') . " password='$password' connect_timeout=10");
/** Returns the first column of a query's rows; with two columns, the second by the first. */
$query = function (string $sql, array $values = []) use ($database): array {
    $rows = pg_fetch_all(pg_query_params($database, $sql, $values), PGSQL_NUM);
    return array_column($rows, isset($rows[0][1]) ? 1 : 0, isset($rows[0][1]) ? 0 : null);
};
$versions = fn(): array => $query("select plugin, value from mdl_config_plugins where name = 'version' and plugin <> 'core'");
$records = fn(): array => $query("select substr(name, 7), value from mdl_config_plugins
    where plugin = 'local_wheelwright' and name like 'addon\\_%'"); // the add-ons that this script has installed
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
\core\session\manager::set_user(get_admin());
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
echo "\n", json_encode($facts);
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
        echo "left out: $component: the site has the newer version $version\n";
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
            echo "left out: $component is not removed, because $why\n";
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
        $module = $plugin = new stdClass; require $argv[1]; echo "\n", json_encode($plugin);';
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
    echo $from === null ? "installs: $component $version\n" : "upgrades: $component $version\n";
}
foreach (array_keys($removals) as $component) {
    echo "removes: $component\n";
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
