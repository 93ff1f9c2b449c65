import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DatabaseAddressError, describeDatabase, parseConnectionString } from "#lib/base/database-address.ts";
import type { ProcessVariables } from "#lib/base/environment.ts";

const test = suite("parseConnectionString");

const problemOf = (text: string, env: ProcessVariables = {}): string => {
  try {
    parseConnectionString(text, env);
  } catch (error) {
    if (error instanceof DatabaseAddressError) return error.message;
    throw error;
  }
  return "";
};
const hostsOf = (text: string, env: ProcessVariables = {}) =>
  parseConnectionString(text, env).hosts.map(({ host, port }) => `${host} ${port}`);

test("parses hosts like libpq", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["postgres://db.example/x", ["db.example 5432"]],
    ["postgresql://me@db.example:5433/x", ["db.example 5433"]],
    ["postgres://me@[2001:db8::1]:5433/x", ["2001:db8::1 5433"]],
    ["postgres://me@a:1,b,[::1]:3/x", ["a 1", "b 5432", "::1 3"]],
    ["postgres://me@%2Fvar%2Frun%2Fpostgresql/x", ["/var/run/postgresql 5432"]],
    ["postgres:///x?host=/var/run/postgresql&port=5433", ["/var/run/postgresql 5433"]],
    ["postgres:///x?host=a,b&port=1,2", ["a 1", "b 2"]],
    ["postgres:///x?host=a,b&port=1", ["a 1", "b 1"]],
    ["host=a,b port=1,2 dbname=x", ["a 1", "b 2"]],
    ["postgres://", ["localhost 5432"]],
  ];
  for (const [text, hosts] of cases) assert.equal(hostsOf(text), hosts, text);
});

test("decodes each part and keeps plus signs", () => {
  const { user, password, database } = parseConnectionString("postgres://a%40b:p%2Fa%3As+w%23%25@db/n%20a%2Fme+1");
  assert.equal([user, password, database], ["a@b", "p/a:s+w#%", "n a/me+1"]);
  const pairs = parseConnectionString("user = 'it\\'s' password='a b\\\\c' dbname=x\\ y host=db");
  assert.equal([pairs.user, pairs.password, pairs.database], ["it's", "a b\\c", "x y"]);
});

test("uses PG variables as defaults", () => {
  const env = {
    ...{ PGHOST: "b", PGPORT: "5433", PGDATABASE: "two", PGUSER: "you", PGPASSWORD: "hush", PGSSLMODE: "require" },
    ...{ PGAPPNAME: "hubs", PGOPTIONS: "-c work_mem=8MB", PGCONNECT_TIMEOUT: "3", PGTARGETSESSIONATTRS: "read-write" },
  };
  const read = parseConnectionString("postgres://", env);
  assert.equal([describeDatabase(read), read.password, read.tls.mode], ["you@b:5433/two", "hush", "require"]);
  assert.equal([read.applicationName, read.options, read.connectTimeout, read.target], [
    ...["hubs", "-c work_mem=8MB", 3000, "read-write"],
  ]);
  const other = parseConnectionString("postgres://me:pass@a:1/one?sslmode=disable", env);
  assert.equal([describeDatabase(other), other.password, other.tls.mode], ["me@a:1/one", "pass", "disable"]);
});

test("derives the TLS mode from the parameters", () => {
  const modeOf = (query: string) => parseConnectionString(`postgres://me@db/x?${query}`).tls.mode;
  assert.equal(["", "sslmode=allow", "sslmode=require", "ssl=true", "sslmode=verify-full"].map(modeOf), [
    ...["prefer", "prefer", "require", "require", "verify-full"],
  ]);
  assert.is(modeOf("sslmode=require&sslrootcert=/ca.pem"), "verify-ca");
  assert.is(modeOf("sslrootcert=system"), "verify-full");
  assert.match(problemOf("postgres://db/x?sslrootcert=system&sslmode=require"), /needs sslmode=verify-full/);
  assert.match(problemOf("postgres://db/x?sslnegotiation=direct"), /needs sslmode=require/);
  assert.match(problemOf("postgres://db/x?sslcert=/a.pem"), /both sslcert and sslkey/);
});

test("names unsupported parameters and never reveals values", () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["postgres://db/x?schema=s3cret", /^has the unsupported parameter "schema"; .*options=-c schema=/],
    ["postgres://db/x?search_path=s3cret", /"search_path".*options=-c search_path=/],
    ["postgres://db/x?sslcrl=s3cret", /^has the unsupported parameter "sslcrl"$/],
    ["postgres://db/x?service=s3cret", /"service"/],
    ["postgres://db/x?hostaddr=s3cret", /"hostaddr"/],
    ["postgres://db/x?channel_binding=require", /unsupported value of channel_binding: use disable or prefer/],
    [
      "postgres://db/x?target_session_attrs=standby",
      /unsupported value of target_session_attrs: use any or read-write/,
    ],
    ["postgres://db/x?sslmode=s3cret", /an unsupported value of sslmode: use disable or/],
    ["postgres://db/x?connect_timeout=s3cret", /connect_timeout/],
    ["postgres://db/x?client_encoding=s3cret", /client_encoding/],
    ["postgres://db/x?s3cret", /parameter that is not keyword=value/],
    ["postgres://db/x%", /percent-encoding/],
    ["postgres://db/x%00", /percent-encoding/],
    ["postgres://2001:db8::1/x", /IPv6 address in brackets/],
    ["postgres://[db]/x", /brackets that do not contain an IPv6 address/],
    ["postgres://db:99999/x", /port/],
    ["postgres://a,b/x?port=1,2,3", /has 2 hosts and 3 ports/],
    ["mysql://me:s3cret@db/x", /^must be a URL such as/],
    ["s3cret", /^must be a URL such as/],
    ["", /^must be a URL such as/],
  ];
  for (const [text, problem] of cases) {
    assert.match(problemOf(text), problem, text);
    assert.not.match(problemOf(text), "s3cret");
  }
  assert.match(problemOf("postgres://db/x", { PGSERVICE: "s3cret" }), /^cannot be used with PGSERVICE, which has the/);
  assert.is(problemOf("service-free://", { PGSERVICE: "" }).startsWith("must be a URL"), true);
});

test.run();
