<?php
// Compares the list of files in mdl_files with the files in moodledata/filedir: existence and size of all files, and
// the hash of a random sample. Prints one name|value per line, and "verified" at the end. A restore test runs this
// script before Moodle could repair files. This script is an argument of `php -r` and is not stored in the site.
ini_set('display_errors', 'stderr');
ini_set('memory_limit', '128M');
$env = fn(string $name, string $default): string => (string) (getenv($name) ?: $default);
$html = $env('HTML_DIR', '/var/www/html');
$data = $env('DATA_DIR', '/var/www/moodledata');

// Reads the version of the code on the volume. Since Moodle 5.1, most of the code is in the directory public/.
foreach (["$html/version.php", "$html/public/version.php"] as $file) {
    if (is_file($file)) {
        $code = (string) file_get_contents($file);
        foreach (['version' => '/^\s*\$version\s*=\s*([0-9.]+)/m', 'release' => "/^\s*\\\$release\s*=\s*'([^']*)'/m"] as $name => $pattern) {
            if (preg_match($pattern, $code, $found)) {
                echo "code$name|$found[1]\n";
            }
        }
        break;
    }
}
if (is_file("$html/config.php") && strpos((string) file_get_contents("$html/config.php"), 'alternative_file_system_class') !== false) {
    echo "elsewhere|1\nverified\n"; // the site stores its files in an object store
    exit(0);
}

$password = addcslashes((string) getenv('DB_PASS'), "'\\");
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
    echo "$name|$value\n";
}
foreach ($examples as $hash) {
    echo "example|$hash\n";
}
echo "verified\n";
