import { suite } from "uvu";
import * as assert from "uvu/assert";
import { generateSitePassword } from "#lib/moodle/secrets.ts";
import { redactLogLines, redactSecrets } from "#lib/base/redact.ts";

const test = suite("redactSecrets");

const HIDDEN: readonly string[] = [
  "PGPASSWORD=hunter2 psql -h db",
  "--adminpass=hunter2 --agree-license",
  "--adminpass hunter2",
  "$CFG->dbpass    = 'hunter2';",
  "'dbpass' => 'hunter2',",
  '{"password":"hunter2","user":"x"}',
  '{"password": "hunt er\\"hunter2"}',
  "MOODLE_PASSWORD: hunter2",
  "SMTP_PASSWORD='hun hunter2'",
  "postgres://moodle:hunter2@db:5432/moodle",
  "Authorization: Basic hunter2==",
  "curl -H 'Authorization: Bearer hunter2hunter2hunter2'",
  "#1 /lib/dml/pgsql.php(1): pgsql_native_moodle_database->raw_connect('db', 'moodle', 'hunter2', 'moodle')",
  "pg_connect('host=db user=moodle password=hunter2')",
  "GET /pluginfile.php?token=hunter2&x=1 HTTP/1.1",
  "client_secret=hunter2",
  "api-key=hunter2",
];
for (const line of HIDDEN) {
  test(`hides the secret in ${line.replaceAll("hunter2", "…")}`, () => {
    const redacted = redactSecrets(line);
    assert.not.match(redacted, "hunter2");
    assert.match(redacted, /\*\*\*/);
  });
}

const KEPT: readonly string[] = [
  'FATAL:  password authentication failed for user "moodle"',
  'Error: secret "moodle" not found',
  "wrong password: try again later",
  "Password changed",
  'PHP Parse error:  syntax error, unexpected token ";", expecting "," in x.php',
  "You have reached your unauthenticated pull rate limit",
  'connection to server at "db" (10.0.0.1), port 5432 failed: Connection refused',
  "server message: insufficient_scope: authorization failed: authorization: denied for all",
  "may require authorization: authorization failed",
  "tab\tis kept",
];
for (const line of KEPT) test(`leaves ${line}`, () => assert.is(redactSecrets(line), line));

test("recognizes every password that Wheelwright creates by its format", () => {
  for (let i = 0; i < 200; i++) {
    const password = generateSitePassword();
    assert.is(redactSecrets(`connecting with ${password}, again`), "connecting with ***, again");
  }
  // A hash, a pod's name and Moodle's site identifier are not passwords.
  for (const word of ["d41d8cd98f00b204e9800998ecf8427e", "aZ3".repeat(10) + "ab"]) {
    assert.is(redactSecrets(word), word);
  }
});

test("removes characters that PostgreSQL or a terminal cannot handle", () => {
  assert.is(
    redactSecrets("\u001b[31mred\u001b[0m \u0000\u0007nul \ud800 \u001b]0;title\u0007end"),
    "red nul \ufffd end",
  );
  assert.is(redactSecrets("turned \u202eround"), "turned \\u202eround");
});

test("redacts a private key of several lines", () => {
  const lines = ["a", "x -----BEGIN RSA PRIVATE KEY-----", "MIIE", "-----END RSA PRIVATE KEY-----", "b"];
  assert.equal(redactLogLines(lines), ["a", "x *** (a private key)", "b"]);
});

test("is fast for hostile lines", () => {
  const seeds = [
    "a",
    "pass",
    'pass="',
    "connect(",
    "eyJaaaaaaaa.",
    "a://a:",
    "-----BEGIN ",
    "password:",
    "\u001b[",
    'pass="\\',
  ];
  const lines = seeds.flatMap((seed) => Array.from({ length: 20 }, () => seed.repeat(4096 / seed.length)));
  const before = performance.now();
  redactLogLines(lines);
  // Each takes a tenth of a millisecond. With backtracking, it would take minutes.
  assert.ok(performance.now() - before < 5000);
});

test.run();
