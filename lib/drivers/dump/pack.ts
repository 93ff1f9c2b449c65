/** The text of a backup as it lies in a file: compressed, and sealed with a passphrase where one is given. */
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { decrypt, encrypt, isEncrypted } from "#lib/drivers/crypto/age.ts";
import type { Bytes } from "#lib/drivers/db/copier.ts";
import { BackupDamaged } from "#lib/drivers/dump/script.ts";
import { messageOf } from "#lib/base/errors.ts";

const CHUNK_BYTES = 64 * 1024, START_BYTES = 32;

export function pack(text: AsyncIterable<Bytes>, passphrase: string | null): AsyncGenerator<Bytes> {
  const packed = through(text, createGzip({ chunkSize: CHUNK_BYTES }));
  return passphrase === null ? packed : encrypt(packed, passphrase);
}

/** Anybody can write such a file: its content proves nothing about who did. */
export class BackupUnencrypted extends Error {
  override readonly name = "BackupUnencrypted";
}

/**
 * Calls `askPassphrase` where the file needs a passphrase. Throws BackupDamaged or SealBroken, and BackupUnencrypted for a
 * file without encryption where that is demanded.
 */
export async function* unpack(
  file: AsyncIterable<Bytes>,
  askPassphrase: () => Promise<string>,
  { demandEncryption: requireEncryption = false }: { readonly demandEncryption?: boolean } = {},
): AsyncGenerator<Buffer> {
  const source = file[Symbol.asyncIterator]();
  let start: Bytes = Buffer.alloc(0);
  for (let next; start.length < START_BYTES && !(next = await source.next()).done;) {
    start = Buffer.concat([start, next.value]);
  }
  const whole = async function* () {
    yield start;
    yield* { [Symbol.asyncIterator]: () => source };
  };
  const encrypted = isEncrypted(start);
  if (requireEncryption && !encrypted && start.length > 0) throw new BackupUnencrypted("It is not encrypted");
  const packed = encrypted ? decrypt(whole(), await askPassphrase()) : whole();
  try {
    yield* through(packed, createGunzip({ chunkSize: CHUNK_BYTES }));
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith("Z_")) throw error;
    throw new BackupDamaged(`It is not a backup, or it is damaged: ${messageOf(error)}`);
  }
}

async function* through(source: AsyncIterable<Bytes>, transform: Transform): AsyncGenerator<Buffer> {
  pipeline(source, transform).catch(() => {}); // what it fails with is thrown below
  yield* transform;
}
