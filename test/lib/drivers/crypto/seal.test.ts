import { randomBytes } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/base/errors.ts";
import { createSecretSealer } from "#lib/drivers/crypto/seal.ts";

const test = suite("createSecretSealer");

const createKey = () => randomBytes(32).toString("base64");

function faultOf(act: () => unknown): Fault {
  try {
    act();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("No fault was thrown");
}

test("opens what it sealed, and seals the same secret differently each time", () => {
  const sealer = createSecretSealer([createKey()]);
  assert.ok(sealer.available);
  for (const secret of ["", "whsec_x", "Grüße, 你好", "x".repeat(10_000)]) {
    const sealed = sealer.seal(secret, "webhook:whk_1");
    assert.is(sealer.open(sealed, "webhook:whk_1"), secret);
    assert.is.not(sealer.seal(secret, "webhook:whk_1"), sealed);
    if (secret) assert.not.match(Buffer.from(sealed, "base64").toString("latin1"), secret);
  }
});

test("refuses a secret of another owner, without showing it", () => {
  const sealer = createSecretSealer([createKey()]), sealed = sealer.seal("s3cret", "webhook:whk_1");
  assert.throws(
    () => sealer.open(sealed, "webhook:whk_2"),
    /^The sealed secret of webhook:whk_2 was changed, or belongs to another object$/,
  );
});

test("refuses changed and truncated secrets", () => {
  const sealer = createSecretSealer([createKey()]), bytes = Buffer.from(sealer.seal("s3cret", "c"), "base64");
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i]! ^= 1;
    assert.throws(() => sealer.open(changed.toString("base64"), "c"), undefined, `byte ${i}`);
    assert.throws(() => sealer.open(bytes.subarray(0, i).toString("base64"), "c"), undefined, `length ${i}`);
  }
});

test("seals with the first key and opens with every key", () => {
  const former = createKey(), first = createKey();
  const before = createSecretSealer([former]), both = createSecretSealer([first, former]);
  assert.is(both.open(before.seal("s3cret", "c"), "c"), "s3cret");
  assert.is(createSecretSealer([first]).open(both.seal("s3cret", "c"), "c"), "s3cret");
});

test("names SECRETS_KEY if a key is missing", () => {
  const sealed = createSecretSealer([createKey()]).seal("s3cret", "c");
  const unknown = faultOf(() => createSecretSealer([createKey()]).open(sealed, "c"));
  assert.equal([unknown.kind, unknown.code], ["unavailable", "secrets_key_unknown"]);
  const none = createSecretSealer([]);
  assert.not(none.available);
  for (const act of [() => none.seal("s3cret", "c"), () => none.open(sealed, "c")]) {
    const { kind, code, message } = faultOf(act);
    assert.equal([kind, code], ["conflict", "secrets_key_missing"]);
    assert.match(message, "set SECRETS_KEY to the output of openssl rand -base64 32");
  }
});

test.run();
