/** Reads a request body. Limits the body's size, its number of chunks, and the time to receive it. */
import { Fault } from "#lib/base/errors.ts";
import { ClientDisconnected } from "#lib/http/exchange.ts";
import type { IncompleteBodyLimit } from "#lib/base/limits/unread-bodies.ts";
import { SECOND } from "#lib/base/time.ts";

interface BodyBounds {
  /** The maximum body size in bytes. */
  readonly limit: number;
  /** The limit on the number of incomplete bodies, which may cut this body off. */
  readonly unread: IncompleteBodyLimit;
  /** How long receiving a body may take, in milliseconds. Large bodies get more time. */
  readonly patience?: number;
}

const MAX_DURATION = 10 * SECOND;
const MIN_RATE = 32 * 1024; // bytes per second; received bytes extend the time limit
const INITIAL_SIZE = 16 * 1024; // bytes in the first buffer
const MAX_CHUNKS = 4096, SMALL_CHUNK = 1024; // limits on chunks, because each chunk costs processor time

/**
 * Returns a function that reads the body on the first call. Later calls return the same bytes. The function throws
 * ClientDisconnected or a fault: `too_large` (`body_too_large`) or `unsent` (`body_too_slow`).
 */
export function createBodyReader(request: Request, address: string, bounds: BodyBounds): () => Promise<Uint8Array> {
  let reading: Promise<Uint8Array> | undefined;
  return () => reading ??= read(request, address, bounds);
}

async function read(
  request: Request,
  address: string,
  { limit, unread, patience = MAX_DURATION }: BodyBounds,
): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
  // Does not cancel a body that is too large, because that would close the connection before the response is sent.
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const cut = Promise.withResolvers<never>(), began = performance.now();
  const close = unread.track(
    address,
    () => cut.reject(tooSlow("use a faster connection, because the server is receiving too many request bodies")),
  );
  let bytes = new Uint8Array(Math.min(limit, INITIAL_SIZE)), length = 0, pieces = 0, over = false;

  /** Appends a chunk to a single buffer, so that many small chunks do not use more memory. */
  function appendChunk(piece: Uint8Array): void {
    if (length + piece.length > limit) throw tooLarge(limit);
    if (++pieces > MAX_CHUNKS + limit / SMALL_CHUNK) throw tooSlow("send the body in larger chunks");
    if (length + piece.length > bytes.length) {
      const larger = new Uint8Array(Math.min(limit, Math.max(2 * bytes.length, length + piece.length)));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(piece, length);
    length += piece.length;
  }

  async function readAll(): Promise<Uint8Array> {
    while (!over) {
      const { done, value } = await reader!.read().catch(() => Promise.reject(new ClientDisconnected()));
      if (done || !value) break;
      appendChunk(value);
    }
    return bytes.subarray(0, length);
  }

  function checkRate(): void {
    const left = began + patience + length / MIN_RATE * SECOND - performance.now();
    if (left > 0) timer = setTimeout(checkRate, left);
    else cut.reject(tooSlow("use a faster connection"));
  }

  let timer = setTimeout(checkRate, patience);
  try {
    return await Promise.race([readAll(), cut.promise]);
  } finally {
    over = true;
    clearTimeout(timer);
    close();
  }
}

/** Closes the connection after the response; otherwise the unread rest of the body would be parsed as a request. */
const CLOSE = { headers: { connection: "close" } };

function tooLarge(limit: number): Fault {
  return new Fault("too_large", "body_too_large", `The body must not be larger than ${limit} bytes`, CLOSE);
}

function tooSlow(remedy: string): Fault {
  return new Fault("unsent", "body_too_slow", `The request body did not arrive in time; ${remedy}`, CLOSE);
}
