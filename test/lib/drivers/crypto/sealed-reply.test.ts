import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createSealedReply, encryptReply } from "#lib/drivers/crypto/sealed-reply.ts";

const test = suite("createSealedReply");

test("decrypts only replies to its own key", () => {
  const mine = createSealedReply(), other = createSealedReply();
  for (const text of ["", "said", "Grüße, 你好", "x".repeat(10_000)]) {
    const sealed = encryptReply(text, mine.publicKey);
    assert.is(mine.open(sealed), text);
    assert.is(other.open(sealed), null);
  }
  assert.is.not(mine.publicKey, other.publicKey);
});

test("rejects changed, truncated and invalid replies", () => {
  const mine = createSealedReply(), bytes = Buffer.from(encryptReply("said", mine.publicKey), "base64");
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i]! ^= 1;
    assert.is(mine.open(changed.toString("base64")), null, String(i));
    assert.is(mine.open(bytes.subarray(0, i).toString("base64")), null, String(i));
  }
  for (const text of ["", "?", "said", "A".repeat(43), "A".repeat(100)]) assert.is(mine.open(text), null, text);
});

test("encrypts the same text differently each time", () => {
  const { publicKey } = createSealedReply();
  assert.is.not(encryptReply("said", publicKey), encryptReply("said", publicKey));
});

test("decrypts a reply of sign-in-link.php", () => {
  // Created by its link_seal in PHP 8.2 with libsodium and OpenSSL, for the key from 32 bytes of 7.
  const sealed = "E9f+QvNkatHjn0ksubDCaeQhavSD5HRndL2IF6Ayo2NmAu3dfUaEGPG+3NTcZBDB0XMRhN15qGUz+GU=";
  const mine = createSealedReply(new Uint8Array(32).fill(7));
  assert.is(mine.publicKey, "E75P6uryBMf9M1j8nAByGIHRdCeBKCJ+xnTzf3/pe20=");
  assert.is(mine.open(sealed), "said by PHP");
});

test.run();
