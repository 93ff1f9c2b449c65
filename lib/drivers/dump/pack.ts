/** Compresses the text of a database backup for storage in a file, and encrypts it if a passphrase is set. */
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { decryptStream, encryptStream, isAgeEncrypted } from "#lib/drivers/crypto/age.ts";
import type { ByteChunk } from "#lib/drivers/db/copier.ts";
import { BackupDamaged } from "#lib/drivers/dump/script.ts";
import { getErrorMessage } from "#lib/base/errors.ts";

const CHUNK_BYTES = 64 * 1024, START_BYTES = 32;

export function packBackup(text: AsyncIterable<ByteChunk>, passphrase: string | null): AsyncGenerator<ByteChunk> {
  const packed = pipeThrough(text, createGzip({ chunkSize: CHUNK_BYTES }));
  return passphrase === null ? packed : encryptStream(packed, passphrase);
}

/** The error for an unencrypted backup where encryption is required. Anybody could have written such a file. */
export class BackupUnencrypted extends Error {
  override readonly name = "BackupUnencrypted";
}

/**
 * Unpacks a backup file. Calls `readPassphrase` if the file is encrypted. Throws BackupDamaged, DecryptionFailed, or
 * BackupUnencrypted if encryption is required but missing.
 */
export async function* unpackBackup(
  file: AsyncIterable<ByteChunk>,
  readPassphrase: () => Promise<string>,
  { requireEncryption = false }: { readonly requireEncryption?: boolean } = {},
): AsyncGenerator<Buffer> {
  const source = file[Symbol.asyncIterator]();
  let start: ByteChunk = Buffer.alloc(0);
  for (let next; start.length < START_BYTES && !(next = await source.next()).done;) {
    start = Buffer.concat([start, next.value]);
  }
  const allBytes = async function* () {
    yield start;
    yield* { [Symbol.asyncIterator]: () => source };
  };
  const encrypted = isAgeEncrypted(start);
  if (requireEncryption && !encrypted && start.length > 0) throw new BackupUnencrypted("The file is not encrypted");
  const packed = encrypted ? decryptStream(allBytes(), await readPassphrase()) : allBytes();
  try {
    yield* pipeThrough(packed, createGunzip({ chunkSize: CHUNK_BYTES }));
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith("Z_")) throw error;
    throw new BackupDamaged(`The file is not a backup, or it is damaged: ${getErrorMessage(error)}`);
  }
}

async function* pipeThrough(source: AsyncIterable<ByteChunk>, transform: Transform): AsyncGenerator<Buffer> {
  pipeline(source, transform).catch(() => {}); // the loop below throws the same error
  yield* transform;
}
