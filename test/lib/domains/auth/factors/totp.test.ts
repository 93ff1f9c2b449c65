import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encodeBase32UpperCaseNoPadding } from "@oslojs/encoding";
import { buildTotpUri, createTotpCode, createTotpSecret, findTotpStep } from "#lib/domains/auth/factors/totp.ts";

const test = suite("codes of authenticator apps");

/** The secret and the SHA-1 rows of RFC 6238, appendix B, shortened to six digits. */
const RFC_SECRET = encodeBase32UpperCaseNoPadding(new TextEncoder().encode("12345678901234567890"));
const RFC_CODES = [[59, "287082"], [1111111109, "081804"], [1234567890, "005924"], [20000000000, "353130"]] as const;
const NOW = new Date("2026-11-29T12:00:10Z"), STEP = 30_000;
const at = (steps: number) => new Date(NOW.getTime() + steps * STEP);

test("match the test values of RFC 6238", () => {
  for (const [seconds, code] of RFC_CODES) assert.is(createTotpCode(RFC_SECRET, new Date(seconds * 1000)), code);
});

test("are accepted one step before and after, and no further", () => {
  const code = createTotpCode(RFC_SECRET, NOW);
  for (const steps of [-1, 0, 1]) assert.is(findTotpStep(RFC_SECRET, code, at(steps), null), NOW.getTime() / STEP | 0);
  for (const steps of [-2, 2]) assert.is(findTotpStep(RFC_SECRET, code, at(steps), null), null);
});

test("work once: neither the same code nor an older one works after a code was used", () => {
  const step = findTotpStep(RFC_SECRET, createTotpCode(RFC_SECRET, NOW), NOW, null)!;
  assert.is(findTotpStep(RFC_SECRET, createTotpCode(RFC_SECRET, NOW), NOW, step), null);
  assert.is(findTotpStep(RFC_SECRET, createTotpCode(RFC_SECRET, at(-1)), NOW, step), null);
  assert.is(findTotpStep(RFC_SECRET, createTotpCode(RFC_SECRET, at(1)), NOW, step), step + 1);
});

test("are refused with another secret or length", () => {
  const code = createTotpCode(RFC_SECRET, NOW);
  assert.is(findTotpStep(createTotpSecret(), code, NOW, null), null);
  for (const odd of ["", code.slice(1), `${code}0`, "é".repeat(6)]) {
    assert.is(findTotpStep(RFC_SECRET, odd, NOW, null), null);
  }
});

test("come with an address that apps can read", () => {
  const url = new URL(buildTotpUri("ABC", "hosting.example:8443", "ada+x@school.example"));
  assert.equal([url.protocol, url.host], ["otpauth:", "totp"]);
  assert.is(decodeURIComponent(url.pathname), "/Wheelwright hosting.example:8443:ada+x@school.example");
  assert.equal([url.searchParams.get("secret"), url.searchParams.get("issuer")], [
    "ABC",
    "Wheelwright hosting.example:8443",
  ]);
  assert.is(createTotpSecret().length, 32);
});

test.run();
