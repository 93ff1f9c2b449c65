/** Reads the text of a response, with a maximum size. */

/** Maximum bytes. The largest lists of the API are much smaller. */
export const ANSWER_LIMIT = 128 * 1024 * 1024;

export class AnswerTooLarge extends Error {
  constructor() {
    super(`more than ${ANSWER_LIMIT / 1024 / 1024} MiB`);
    this.name = "AnswerTooLarge";
  }
}

/** Reads the text. Throws AnswerTooLarge, the signal's reason, or the connection's error. */
export async function readText({ headers, body }: Response, signal: AbortSignal): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader(), decoder = new TextDecoder();
  const cancel = () => void reader.cancel().catch(() => {});
  // The signal of fetch does not cancel the body in every runtime.
  signal.addEventListener("abort", cancel);
  try {
    if (Number(headers.get("content-length") ?? 0) > ANSWER_LIMIT) throw new AnswerTooLarge();
    const texts: string[] = [];
    for (let size = 0;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return texts.join("") + decoder.decode();
      size += value.byteLength;
      if (size > ANSWER_LIMIT) throw new AnswerTooLarge();
      texts.push(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    cancel();
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
