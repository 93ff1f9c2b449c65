/** Packs a backup's text for a file: compressed, and encrypted if there is a passphrase. */
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

/** The backup is not encrypted. Anybody could have written it. */
export class BackupUnencrypted extends Error {
  override readonly name = "BackupUnencrypted";
}

/**
 * Unpacks a file. Calls `askPassphrase` if it is encrypted. Throws BackupDamaged or DecryptionFailed, and
 * BackupUnencrypted if encryption is required and missing.
 */
export async function* unpack(
  file: AsyncIterable<Bytes>,
  askPassphrase: () => Promise<string>,
  { requireEncryption = false }: { readonly requireEncryption?: boolean } = {},
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
  pipeline(source, transform).catch(() => {}); // its error is thrown below
  yield* transform;
}
