/**
 * Encrypts files with a passphrase in the age format (age-encryption.org/v1), so that `age --decrypt` can read them.
 * The age author's package is loaded at first use, because most commands do not need it.
 */
import { ReadableStream as NodeStream } from "node:stream/web";

const MAGIC = "age-encryption.org/v1\n";
/**
 * The scrypt work factor as a power of two: 128 MiB and about a second. The package rejects files with more than eight
 * times this cost.
 */
const SCRYPT_WORK_FACTOR = 17;
const CHUNK_BYTES = 64 * 1024;
/** The maximum header size in bytes. The package has no limit. */
const MAX_HEADER_BYTES = 16 * CHUNK_BYTES;

type Bytes = Uint8Array<ArrayBufferLike>;

/** The passphrase is wrong, or the file was changed. */
export class DecryptionFailed extends Error {
  override readonly name = "DecryptionFailed";
}

/** Whether a file that starts with these bytes is encrypted. */
export function isEncrypted(start: Bytes): boolean {
  return Buffer.from(start).subarray(0, MAGIC.length).equals(Buffer.from(MAGIC));
}

/** Tests set a lower `work` factor. */
export async function* encrypt(
  content: AsyncIterable<Bytes>,
  passphrase: string,
  work = SCRYPT_WORK_FACTOR,
): AsyncGenerator<Bytes> {
  const { Encrypter } = await import("age-encryption"), encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  encrypter.setScryptWorkFactor(work);
  yield* await encrypter.encrypt(streamOf(content));
}

/** Throws DecryptionFailed, at the latest instead of the last chunk, or the error of the source. */
export async function* decrypt(ciphertext: AsyncIterable<Bytes>, passphrase: string): AsyncGenerator<Bytes> {
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

  /** Splits the content into small chunks, so that little is read before the passphrase is checked. */
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

/** Uses Node's ReadableStream, because the browser types have no `from` yet. */
function streamOf(content: AsyncIterable<Bytes>): ReadableStream<Bytes> {
  return NodeStream.from(content) as unknown as ReadableStream<Bytes>;
}
