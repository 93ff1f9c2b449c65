<?php
// Writes what the site uses to the termination message of its pod: one line of JSON with numbers and names of code. The
// CronJob runs this script before Moodle's scheduled tasks, which may fail or take long. Each run writes the message,
// but the numbers are measured only every 15 minutes, Moodle's own checks run and its add-ons are listed once an hour, and
// the size of the folders is measured once a day. The script queries the database directly, so it also works during maintenance and before a
// pending upgrade. It is an argument of `php -r`.
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

$password = addcslashes((string) getenv('DB_PASS'), "'\\");
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
    return array_values(array_filter($texts, fn($text) => preg_match('/^[\\\\\w]{1,120}$/D', $text)));
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
echo "\n", json_encode($texts);
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
        and shared.name like 'shared\\_%' and own.value is distinct from shared.value order by 1 limit 10"),
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
        preg_match_all('/^\s*CRITICAL: .*\(((?:core|tool_task)_\w{1,60})\)\s*$/m', implode("\n", $lines), $found);
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
