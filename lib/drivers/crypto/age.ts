/**
 * Files that a passphrase opens, in the format of age (age-encryption.org/v1), so that `age --decrypt` opens them as well.
 *
 * The package of age's author writes and reads them. It is loaded with the first: most commands do without.
 */
import { ReadableStream as NodeStream } from "node:stream/web";

const MAGIC = "age-encryption.org/v1\n";
/** Of scrypt, as a power of two: 128 MiB for about a second. What asks for more than eight times that is not opened. */
const SCRYPT_WORK_FACTOR = 17;
const CHUNK_BYTES = 64 * 1024;
/** The package would read on until a line ends. */
const MAX_HEADER_BYTES = 16 * CHUNK_BYTES;

type Bytes = Uint8Array<ArrayBufferLike>;

/** The passphrase is another, or the file is no longer as it was written. */
export class DecryptionFailed extends Error {
  override readonly name = "SealBroken";
}

/** Whether a file that begins with these bytes needs a passphrase. */
export function isEncrypted(start: Bytes): boolean {
  return Buffer.from(start).subarray(0, MAGIC.length).equals(Buffer.from(MAGIC));
}

/** `work` is for tests, which have many files. */
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

/** Throws SealBroken, at the latest in the place of the last piece, or what the source throws. */
export async function* decrypt(sealed: AsyncIterable<Bytes>, passphrase: string): AsyncGenerator<Bytes> {
  const { Decrypter } = await import("age-encryption"), decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  let problem = "The passphrase is wrong, or the start of the file is damaged", opened = false, failure: unknown;
  try {
    const content = await decrypter.decrypt(streamOf(inChunks()));
    opened = true;
    problem = "It is damaged or incomplete";
    yield* content;
  } catch (cause) {
    throw failure ?? new DecryptionFailed(problem, { cause });
  }

  /** In small pieces, so that few bytes are read ahead before the key is known. */
  async function* inChunks(): AsyncGenerator<Bytes> {
    let size = 0;
    try {
      for await (const bytes of sealed) {
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

/** By Node's types: those of browsers have no `from` yet. */
function streamOf(content: AsyncIterable<Bytes>): ReadableStream<Bytes> {
  return NodeStream.from(content) as unknown as ReadableStream<Bytes>;
}
