/** Reads a request's body up to a bound, and not a byte more, whether or not its length was told. */
import { Fault } from "#lib/errors.ts";
import { ClientGone } from "#lib/http/exchange.ts";

/**
 * What reads the body, once however often it is called. Throws Fault too_large over the limit, and ClientGone when the
 * rest does not come.
 */
export function bodyReader(request: Request, limit: number): () => Promise<Uint8Array> {
  let reading: Promise<Uint8Array> | undefined;
  return () => reading ??= read(request, limit);
}

async function read(request: Request, limit: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
  const chunks: Uint8Array[] = [];
  let length = 0;
  // It is not cancelled when it is too long: that would close the connection before the answer is through.
  const reader = request.body?.getReader();
  for (;;) {
    const { done, value } = await reader?.read().catch(() => Promise.reject(new ClientGone())) ?? { done: true };
    if (done || !value) return join(chunks, length);
    length += value.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(value);
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
function tooLarge(limit: number): Fault {
  const message = `The body must not be larger than ${limit} bytes`;
  return new Fault("too_large", "body_too_large", message, { headers: { connection: "close" } });
}
