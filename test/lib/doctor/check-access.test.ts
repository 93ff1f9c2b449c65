import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkOperatorExists, checkPublicUrl, checkTrustedProxies } from "#lib/doctor/check-access.ts";
import type { Finding } from "#lib/doctor/finding.ts";

const test = suite("check-access");
const short = ({ check, level, message }: Finding) => `${check} ${level}: ${message}`;
const HTTPS = new URL("https://hubs.example.org"), LOCAL = new URL("http://localhost:3000");

test("accepts an https address, and warns about plain HTTP and localhost", () => {
  assert.is(short(checkPublicUrl(HTTPS)), "address ok: https://hubs.example.org/");
  assert.match(
    short(checkPublicUrl(new URL("http://192.0.2.2"))),
    /^address warning: PUBLIC_URL is http: browsers drop the session cookie/,
  );
  assert.match(
    short(checkPublicUrl(LOCAL)),
    /^address warning: PUBLIC_URL http:\/\/localhost:3000\/ points to the local machine/,
  );
});

test("warns about https without trusted proxies", () => {
  const check = (publicUrl: URL, ...trustedProxies: string[]) =>
    short(checkTrustedProxies({ publicUrl, trustedProxies }));
  assert.match(check(HTTPS), /^proxies warning: .*TRUSTED_PROXIES is not set: all clients share one sign-in limit$/);
  assert.is(
    check(HTTPS, "10.0.0.0/8", "fd00::/8"),
    "proxies ok: trusts the client address from 10.0.0.0/8 and fd00::/8",
  );
  assert.match(check(LOCAL), /^proxies ok: /);
});

test("warns without an operator, or with a weak password for the first one", () => {
  const admin = { email: "ada@school.example", password: "correct horse battery" };
  assert.is(short(checkOperatorExists(true, null)), "users ok: an operator exists");
  assert.is(
    short(checkOperatorExists(false, admin)),
    "users ok: serve creates the first operator, ada@school.example, when it starts",
  );
  assert.match(
    short(checkOperatorExists(false, { ...admin, password: "short" })),
    /^users warning: serve creates .*, although a password must have 12 to 256 characters$/,
  );
  assert.is(short(checkOperatorExists(false, null)), "users warning: no operator exists");
  assert.match(checkOperatorExists(false, null).hint!, /BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD/);
});

test.run();
