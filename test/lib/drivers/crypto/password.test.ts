import { scryptSync } from "node:crypto";
import { encodeBase64NoPadding } from "@oslojs/encoding";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hashPassword, openPasswordHasher, verifyPassword } from "#lib/drivers/crypto/password.ts";

const hashing = suite("hashPassword");

hashing("returns a PHC string with parameters, a 16-byte salt and a 32-byte hash", async () => {
  const hash = await hashPassword("correct horse");
  assert.match(hash, /^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
});

hashing("uses a new salt for each hash", async () => {
  assert.is.not(await hashPassword("same"), await hashPassword("same"));
});

hashing.run();

const verifying = suite("verifyPassword");

verifying("accepts only the right password, with any Unicode characters", async () => {
  const password = "Пароль 密码 🔑 e\u0301 ";
  const hash = await hashPassword(password);
  assert.is(await verifyPassword(password, hash), "right");
  assert.is(await verifyPassword(password.trimEnd(), hash), "wrong");
  assert.is(await verifyPassword(password.normalize("NFC"), hash), "wrong");
});

verifying("reports a hash with lower cost as outdated", async () => {
  const hash = cheapHash("old", { ln: 10, r: 8, p: 1 });
  assert.is(await verifyPassword("old", hash), "outdated");
  assert.is(await verifyPassword("new", hash), "wrong");
});

verifying("accepts a hash with higher cost", async () => {
  assert.is(await verifyPassword("slow", cheapHash("slow", { ln: 15, r: 8, p: 4 })), "right");
});

verifying("rejects any password without a hash", async () => {
  assert.is(await verifyPassword("", null), "wrong");
});

verifying("throws for an invalid hash", async () => {
  const error = await verifyPassword("x", "plaintext").catch((error) => error);
  assert.instance(error, Error);
  assert.not.match(error.message, "plaintext");
});

verifying.run();

const gated = suite("openPasswordHasher");

gated("runs two calls at a time, queues sixteen, and refuses others with 503", async () => {
  const passwords = openPasswordHasher();
  const verify = () => passwords.verify("x", cheapHash("x"), { caller: "ada" });
  const all = await Promise.allSettled(Array.from({ length: 20 }, verify));
  const refused = all.filter((each) => each.status === "rejected");
  assert.is(all.length - refused.length, 18);
  for (const { reason } of refused) assert.equal([reason.kind, reason.code], ["unavailable", "busy"]);
  assert.is(await verify(), "outdated");
});

gated.run();

function cheapHash(password: string, { ln, r, p } = { ln: 4, r: 8, p: 1 }): string {
  const salt = new Uint8Array(16).fill(7);
  const key = scryptSync(password, salt, 32, { N: 2 ** ln, r, p, maxmem: 2 ** 28 });
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encodeBase64NoPadding(salt)}$${encodeBase64NoPadding(key)}`;
}
