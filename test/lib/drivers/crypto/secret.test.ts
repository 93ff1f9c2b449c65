import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findPasswordProblem } from "#lib/drivers/crypto/password-rules.ts";
import { createSecret, generatePassword, hashSecret, hasSecretFormat } from "#lib/drivers/crypto/secret.ts";

const test = suite("createSecret");

test("returns 256 new random bits that need no quoting", () => {
  const secret = createSecret();
  assert.is(Buffer.from(secret, "base64url").length, 32);
  assert.ok(hasSecretFormat(secret));
  assert.is.not(secret, createSecret());
});

test("recognises the format of a secret", () => {
  for (const text of ["", "x", `${createSecret()}x`, `${createSecret()}\n`, createSecret().slice(1) + "="]) {
    assert.not(hasSecretFormat(text));
  }
});

test("is stored as its SHA-256", async () => {
  const expected = createHash("sha256").update("abc").digest("hex");
  assert.is(Buffer.from(hashSecret("abc")).toString("hex"), expected);
});

test.run();

const passwords = suite("newPassword");

passwords("returns a readable password that follows the password rules", () => {
  const password = generatePassword();
  assert.match(password, /^([a-km-np-z2-9]{5}-){3}[a-km-np-z2-9]{5}$/);
  assert.is(findPasswordProblem(password), null);
  assert.is.not(password, generatePassword());
});

passwords.run();
