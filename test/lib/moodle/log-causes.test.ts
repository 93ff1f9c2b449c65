import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findFailureCause, findLikelyErrorLine, findServiceWaitLine } from "#lib/moodle/log-causes.ts";

const test = suite("findFailureCause");

const CAUSES: readonly (readonly [line: string, code: string])[] = [
  ['FATAL:  password authentication failed for user "moodle"', "DatabasePassword"],
  ['psql: error: could not translate host name "db" to address: Name or service not known', "DatabaseNotFound"],
  ["PHP Warning:  pg_connect(): php_network_getaddresses: getaddrinfo for db failed", "DatabaseNotFound"],
  ['connection to server at "db" (10.0.0.1), port 5432 failed: Connection timed out', "DatabaseUnreachable"],
  ['psql: error: connection to server at "db", port 5432 failed: timeout expired', "DatabaseUnreachable"],
  ['connection to server at "db" (10.0.0.1), port 5432 failed: Connection refused', "DatabaseUnreachable"],
  ["FATAL:  the database system is starting up", "DatabaseUnreachable"],
  ['FATAL:  database "moodle" does not exist', "DatabaseMissing"],
  ["FATAL:  sorry, too many clients already", "DatabaseBusy"],
  ["rsync: write failed: No space left on device (28)", "DiskFull"],
  ["ERROR:  could not extend file: No space left on device", "DiskFull"],
  ["PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted", "PhpMemory"],
  ["ERROR:  not reset: rolesactive is 1, an installed site is here", "NotEmpty"],
  ["ERROR:  not upgraded: no installed site is here", "NotUpgradable"],
  ["ERROR!!! The code you are using is OLDER than the version that made these databases!", "OlderCode"],
  ["version 4.4 is required and you are running 4.1.3", "Environment"],
  ["!!! Site is being upgraded, please retry later. !!!", "HalfInstalled"],
  ["Unrecognised options: School", "BadSetting"],
  ["mkdir: can't create directory '/v/html': Permission denied", "NotWritable"],
  ["ERROR:  invalid page in block 1 of relation base/16384/16923", "DatabaseDamaged"],
  ["PANIC:  could not locate a valid checkpoint record at 0/1A2B3C8", "DatabaseDamaged"],
  ["FATAL:  terminating connection due to administrator command", "DatabaseWentAway"],
  ["WARNING:  terminating connection because of crash of another server process", "DatabaseWentAway"],
  [
    "Default exception handler: Error writing to database Debug: server closed the connection unexpectedly",
    "DatabaseWentAway",
  ],
  ["PHP Warning:  pg_query(): Query failed: no connection to the server", "DatabaseWentAway"],
  ["could not connect to server: No such file or directory", "DatabaseWentAway"],
  ["FATAL:  the database system is shutting down", "DatabaseUnreachable"],
  ["FATAL:  the database system is in recovery mode", "DatabaseWentAway"],
  ["Error: Database connection failed", "DatabaseWentAway"],
  ["PHP Fatal error:  Uncaught Error in /var/www/html/lib/setup.php:7", "PhpFatal"],
  ["Default exception handler: Coding error detected", "PhpFatal"],
];

for (const [line, code] of CAUSES) {
  test(`finds ${code} in "${line}"`, () => {
    const cause = findFailureCause(["Syncing Moodle code...", `  ${line}`, "*** Failed with return value: 0"]);
    assert.equal([cause?.code, cause?.line], [code, line]);
    assert.match(cause!.hint, /^[A-Z].*\.$/);
  });
}

test("prefers a lost database connection to Moodle's error about it", () => {
  const log = [
    "PHP Warning:  pg_query(): server closed the connection unexpectedly in /var/www/html/lib/dml/pgsql.php",
    "Default exception handler: Error reading from database",
    "PHP Fatal error:  Uncaught dml_read_exception",
  ];
  const { code, blame } = findFailureCause(log)!;
  assert.equal([code, blame], ["DatabaseWentAway", "cluster"]);
});

test("returns undefined for unknown lines and for a normal log", () => {
  assert.is(findFailureCause(["Installing Moodle database...", "-->System", "++ Success ++"]), undefined);
  assert.is(findFailureCause([]), undefined);
});

test("returns the condition that the script was waiting for", () => {
  assert.is(findServiceWaitLine(["Waiting for db:5432 to be ready", "...."]), "Waiting for db:5432 to be ready");
  assert.is(findServiceWaitLine(["Waiting for db:5432 to be ready....."]), "Waiting for db:5432 to be ready");
  assert.is(findServiceWaitLine(["Installing"]), undefined);
  assert.is(findServiceWaitLine(["Waiting for db:5432 to be ready", "Installing"]), undefined, "the wait is over");
});

test("finds the line that looks most like an error, and skips the entry point's last line", () => {
  const last = "*** Failed with return value: 0";
  assert.is(findLikelyErrorLine(["step 1", "it cannot be done", "bye", last]), "it cannot be done");
  assert.is(findLikelyErrorLine(["step 1", "bye", "....", last]), "bye");
  assert.is(findLikelyErrorLine([last, "..."]), undefined);
});

test.run();
