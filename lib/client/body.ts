/** Reads the text of a response, up to a maximum size. */

/** The maximum response size in bytes. Even the API's largest lists are much smaller. */
export const MAX_RESPONSE_BYTES = 128 * 1024 * 1024;

export class ResponseTooLargeError extends Error {
  constructor() {
    super(`more than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB`);
    this.name = "ResponseTooLargeError";
  }
}

/** Reads the response's text. Throws ResponseTooLargeError, the signal's reason, or the connection's error. */
export async function readResponseText({ headers, body }: Response, signal: AbortSignal): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader(), decoder = new TextDecoder();
  const cancel = () => void reader.cancel().catch(() => {});
  // Cancels the body explicitly, because aborting fetch's signal does not cancel the body in every runtime.
  signal.addEventListener("abort", cancel);
  try {
    if (Number(headers.get("content-length") ?? 0) > MAX_RESPONSE_BYTES) throw new ResponseTooLargeError();
    const texts: string[] = [];
    for (let size = 0;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return texts.join("") + decoder.decode();
      size += value.byteLength;
      if (size > MAX_RESPONSE_BYTES) throw new ResponseTooLargeError();
      texts.push(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    cancel();
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
