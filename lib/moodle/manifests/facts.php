<?php
// Prints facts from the site's database, one name|value per line. Fails if the site is not completely installed, or if
// its identifier is not the expected identifier. Queries the database directly, because Moodle would use its cache.
// This script is an argument of `php -r` and is not stored in the site.
ini_set('display_errors', 'stderr');
$password = addcslashes((string) getenv('DB_PASS'), "'\\");
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
    echo "$name|$value\n";
}
$expected = (string) getenv('SITE_IDENTIFIER');
if ($facts['rolesactive'] !== '1' || $expected !== '' && ($facts['siteidentifier'] ?? '') !== $expected) {
    exit(1);
}
