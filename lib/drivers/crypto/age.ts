/**
 * Encrypts files with a passphrase in the age format (age-encryption.org/v1), so that `age --decrypt` can decrypt them.
 * The age package is loaded at first use, because most commands do not need it.
 */
import { ReadableStream as NodeStream } from "node:stream/web";

const MAGIC = "age-encryption.org/v1\n";
/**
 * The work factor for scrypt, as a power of two: 2^17 needs 128 MiB and about a second. The age package refuses to
 * decrypt files with more than eight times this cost.
 */
const SCRYPT_WORK_FACTOR = 17;
const CHUNK_BYTES = 64 * 1024;
/** The maximum size of a file's header in bytes. The age package sets no limit. */
const MAX_HEADER_BYTES = 16 * CHUNK_BYTES;

type Bytes = Uint8Array<ArrayBufferLike>;

/** The error for a wrong passphrase or a file that was changed. */
export class DecryptionFailed extends Error {
  override readonly name = "DecryptionFailed";
}

/** Returns whether a file that starts with these bytes is encrypted with age. */
export function isAgeEncrypted(start: Bytes): boolean {
  return Buffer.from(start).subarray(0, MAGIC.length).equals(Buffer.from(MAGIC));
}

/** Encrypts the content. Tests pass a lower `work` factor to save time. */
export async function* encryptStream(
  content: AsyncIterable<Bytes>,
  passphrase: string,
  work = SCRYPT_WORK_FACTOR,
): AsyncGenerator<Bytes> {
  const { Encrypter } = await import("age-encryption"), encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  encrypter.setScryptWorkFactor(work);
  yield* await encrypter.encrypt(streamOf(content));
}

/** Decrypts the content. Throws DecryptionFailed, even after some chunks, or the error from reading `ciphertext`. */
export async function* decryptStream(ciphertext: AsyncIterable<Bytes>, passphrase: string): AsyncGenerator<Bytes> {
  const { Decrypter } = await import("age-encryption"), decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  let problem = "The passphrase is wrong, or the start of the file is damaged", opened = false, failure: unknown;
  try {
    const content = await decrypter.decrypt(streamOf(inChunks()));
    opened = true;
    problem = "The file is damaged or incomplete";
    yield* content;
  } catch (cause) {
    throw failure ?? new DecryptionFailed(problem, { cause });
  }

  /** Splits the input into small chunks, so that a wrong passphrase is detected before reading the whole file. */
  async function* inChunks(): AsyncGenerator<Bytes> {
    let size = 0;
    try {
      for await (const bytes of ciphertext) {
        for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
          const piece = bytes.subarray(from, from + CHUNK_BYTES);
          if (!opened && (size += piece.length) > MAX_HEADER_BYTES) return;
          yield piece;
        }
      }
    } catch (error) {
      throw failure = error;
    }
  }
}

/** Uses the ReadableStream from Node.js, because TypeScript's browser types lack `ReadableStream.from`. */
function streamOf(content: AsyncIterable<Bytes>): ReadableStream<Bytes> {
  return NodeStream.from(content) as unknown as ReadableStream<Bytes>;
}
