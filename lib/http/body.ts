/** Reads a request's body up to a bound, and not a byte more, whether or not its length was told; and not for ever. */
import { Fault } from "#lib/errors.ts";
import { ClientGone } from "#lib/http/exchange.ts";
import type { Unread } from "#lib/limits/unread.ts";
import { SECOND } from "#lib/time.ts";

export interface BodyBounds {
  /** Bytes. */
  readonly limit: number;
  /** Counts it while it is unread, and may cut it off. */
  readonly unread: Unread;
  /** Milliseconds that any body may take. */
  readonly patience?: number;
}

const PATIENCE = 10 * SECOND;
const LEAST_RATE = 32 * 1024; // bytes a second: what has come of a larger body buys it more time

/**
 * What reads the body, once however often it is called. Throws Fault too_large over the limit, `body_too_slow` when it
 * does not come in time, and ClientGone when the rest does not come at all.
 */
export function bodyReader(request: Request, address: string, bounds: BodyBounds): () => Promise<Uint8Array> {
  let reading: Promise<Uint8Array> | undefined;
  return () => reading ??= read(request, address, bounds);
}

async function read(
  request: Request,
  address: string,
  { limit, unread, patience = PATIENCE }: BodyBounds,
): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
  // It is not cancelled when it is too long: that would close the connection before the answer is through.
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const cut = Promise.withResolvers<never>();
  cut.promise.catch(() => {}); // it may be cut off just when it is whole
  const began = performance.now(), chunks: Uint8Array[] = [];
  const close = unread.open(
    address,
    () => cut.reject(tooSlow("others came after it, and more may not be open at once")),
  );
  let length = 0;
  try {
    for (;;) {
      const left = began + patience + length / LEAST_RATE * SECOND - performance.now();
      const timer = setTimeout(() => cut.reject(tooSlow("send it faster")), left);
      const next = reader.read().catch(() => Promise.reject(new ClientGone()));
      const { done, value } = await Promise.race([next, cut.promise]).finally(() => clearTimeout(timer));
      if (done || !value) return join(chunks, length);
      length += value.length;
      if (length > limit) throw tooLarge(limit);
      chunks.push(value);
    }
  } finally {
    close();
  }
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The connection is of no further use: what was not read of the body still stands in it. */
const CLOSE = { headers: { connection: "close" } };

function tooLarge(limit: number): Fault {
  return new Fault("too_large", "body_too_large", `The body must not be larger than ${limit} bytes`, CLOSE);
}

function tooSlow(why: string): Fault {
  return new Fault("unsent", "body_too_slow", `The body did not come in time: ${why}`, CLOSE);
}
