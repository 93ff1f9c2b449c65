import { suite } from "uvu";
import * as assert from "uvu/assert";
import { randomBytes } from "node:crypto";
import { DecryptionFailed, decryptStream, encryptStream, isAgeEncrypted } from "#lib/drivers/crypto/age.ts";
import { rejection, until } from "#test/support/until.ts";

const PASSPHRASE = "correct horse battery", WORK = 4; // a low scrypt work factor, for speed
const PIECE = 64 * 1024, MIB = 2 ** 20, SEALED_PIECE = PIECE + 16;

const test = suite("encryptStream");

/** Splits the content into chunks of this length, as files and sockets do. */
async function* cut(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const piece of pieces) found.push(piece);
  return Buffer.concat(found);
}

const sealed = (content: Buffer) => all(encryptStream(cut(content, 1000), PASSPHRASE, WORK));
const opened = (file: Buffer, passphrase = PASSPHRASE) => all(decryptStream(cut(file, 7001), passphrase));
const refused = async (file: Buffer) => assert.instance(await rejection(opened(file)), DecryptionFailed);

/** Returns the offsets of a file's chunks: after the header and 16 bytes. */
const startOf = (file: Buffer) => file.indexOf("\n", file.indexOf("\n---") + 1) + 17;

test("decrypts encrypted content of any length", async () => {
  for (const length of [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 200_001]) {
    const content = randomBytes(length), file = await sealed(content);
    assert.ok(isAgeEncrypted(file));
    assert.is(Buffer.compare(await opened(file), content), 0, String(length));
  }
});

test("decrypts a file that age encrypted", async () => {
  // Created by age 1.1.1: age -p -o small.age small.txt
  const file =
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBYeEFBVGdhUFlnM3lRL0NZRGJZQ1ZBIDE4CkVraTJLRDErWk1jWFRTV2dzT1ZO" +
    "dkllNHoybWNkOVFDbWc1eFZWSExROUkKLS0tIHNxZ2JBeWNnL1JDNTh1ZCsybVZJUG45OXdOTFkxNXVQSEx5RG5vRFZROW8KfexKRbq4Ylegm1hx" +
    "P8zDT4uZ0g/N8OLjbl45upQy21mcWKoK+0xTQ7Kxs7EaCQ2sf99QNg==";
  assert.is((await opened(Buffer.from(file, "base64"))).toString(), "Sealed by age 1.1.1\n");
});

test("rejects a wrong passphrase", async () => {
  const failure = await rejection(opened(await sealed(Buffer.from("secret")), "correct horse batterx"));
  assert.is(failure.message, "The passphrase is wrong, or the start of the file is damaged");
});

test("rejects a file with any changed byte", async () => {
  const file = await sealed(randomBytes(100));
  for (let at = 0; at < file.length; at++) {
    const changed = Buffer.from(file);
    changed[at]! ^= 1 << (at % 8);
    await refused(changed);
  }
});

test("rejects a truncated file", async () => {
  const file = await sealed(randomBytes(3 * PIECE)), start = startOf(file);
  const offsets = [0, 1, 2].map((piece) => start + piece * SEALED_PIECE); // at the end of a chunk
  for (const length of [0, 10, start - 17, start - 1, ...offsets, ...offsets.map((at) => at + 1), file.length - 1]) {
    await refused(file.subarray(0, length));
  }
});

test("rejects moved, missing, repeated or added chunks", async () => {
  const file = await sealed(randomBytes(3 * PIECE + 5)), start = startOf(file);
  const head = file.subarray(0, start);
  const [a, b, c, last] = [0, 1, 2, 3].map((i) =>
    file.subarray(start + i * SEALED_PIECE, start + (i + 1) * SEALED_PIECE)
  );
  await opened(Buffer.concat([head, a!, b!, c!, last!]));
  for (const pieces of [[b, a, c, last], [a, c, last], [a, b, b, c, last], [a, b, c, last, last], [a, b, c], [last]]) {
    await refused(Buffer.concat([head, ...pieces.map((piece) => piece!)]));
  }
});

test("yields nothing of a damaged chunk", async () => {
  const content = randomBytes(2 * PIECE), file = await sealed(content);
  file[startOf(file) + SEALED_PIECE + 5]! ^= 1;
  let got = 0;
  await rejection((async () => {
    for await (const piece of decryptStream(cut(file, 999), PASSPHRASE)) got += piece.length;
  })());
  assert.is(got, PIECE);
});

test("rejects a file whose work factor needs too much memory", async () => {
  const file = (await sealed(Buffer.from("x"))).toString("latin1").replace(` ${WORK}\n`, " 30\n");
  await refused(Buffer.from(file, "latin1"));
});

test("limits how much of an endless header it reads", async () => {
  let read = 0;
  async function* endless() {
    for (yield Buffer.from("age-encryption.org/v1\n-> scrypt "); read < 100 * MIB; read += MIB) {
      yield Buffer.alloc(MIB, "a");
    }
  }
  assert.instance(await rejection(all(decryptStream(endless(), PASSPHRASE))), DecryptionFailed);
  assert.ok(read <= 2 * MIB, `${read} bytes`);
});

test("reads only as much as the consumer takes, and stops with the consumer", async () => {
  const block = randomBytes(PIECE);
  let read = 0, ended = false;
  async function* source() {
    try {
      for (; read < 1000; read++) yield block;
    } finally {
      ended = true;
    }
  }
  let taken = 0;
  for await (const piece of decryptStream(encryptStream(source(), PASSPHRASE, WORK), PASSPHRASE)) {
    assert.is(Buffer.compare(piece, block), 0);
    if (++taken === 20) break;
  }
  assert.ok(read < 40, `${read} pieces`);
  await until(() => ended);
});

test("throws the source's error on encryption and decryption", async () => {
  const failure = new Error("The disk has gone"), file = await sealed(randomBytes(3 * PIECE));
  for (const length of [0, 30, PIECE, 2 * PIECE]) {
    const source = async function* () {
      yield* cut(file.subarray(0, length), 999);
      throw failure;
    };
    assert.is(await rejection(all(encryptStream(source(), PASSPHRASE, WORK))), failure);
    assert.is(await rejection(all(decryptStream(source(), PASSPHRASE))), failure);
  }
});

test.run();
