<?php
// Prints what the database says of the site in it, one name|value a line, and fails unless that is a whole site, and the one
// that is expected where one is. It asks the database and nobody else: Moodle would answer from what it has cached. This
// text is given to `php -r`: no file of it lies in the site.
ini_set('display_errors', 'stderr');
$password = addcslashes((string) getenv('DB_PASS'), "'\\");
$database = pg_connect("host=db dbname=moodle user=moodle password='$password' connect_timeout=10");
if (!$database) {
    exit(1); // PHP has said why
}
$tables = pg_query($database, "select count(*) from pg_tables where schemaname = 'public'");
$facts = ['tables' => pg_fetch_result($tables, 0), 'rolesactive' => '']; // said in any case: a log without them was not heard
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
