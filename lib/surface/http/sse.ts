/**
 * Server-sent events as a stream of bytes. The reader pulls: a slow client slows the source and nothing else, and one
 * that leaves ends the source's `finally`. One that takes nothing for 30 s is cut off; it resumes with Last-Event-ID.
 */
import { SECOND } from "#lib/base/time.ts";
import type { Answer } from "#lib/surface/http/answer.ts";

/** An event, a comment that keeps proxies open, or the milliseconds to wait before reconnecting. */
export type Frame<Data> =
  | { readonly id?: string; readonly event: string; readonly data: Data }
  | { readonly comment: string }
  | { readonly retry: number };

const PATIENCE = 30 * SECOND;
export const STREAM_TYPE = "text/event-stream";

/** Whether this is a stream of events, which goes on for long after it was begun. */
export function isStream({ headers }: Answer): boolean {
  return headers["content-type"] === STREAM_TYPE;
}

/**
 * `write` makes one line of an event's data. `cut` ends the connection: what was sent cannot be taken back, and an end
 * that looks regular would hide from the client that something is missing.
 */
export function encodeEvents<Data>(
  source: AsyncIterable<Frame<Data>>,
  write: (data: Data) => string,
  cut: (reason: unknown) => void,
  patience: number = PATIENCE,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = source[Symbol.asyncIterator]();
  let untaken: ReturnType<typeof setTimeout> | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      clearTimeout(untaken);
      try {
        const next = await iterator.next();
        if (next.done) return controller.close();
        controller.enqueue(encoder.encode(encode(next.value, write)));
      } catch (error) {
        cut(error);
        controller.close();
        await iterator.return?.();
        return;
      }
      untaken = setTimeout(() => cut(new Error(`The reader took nothing for ${patience} ms`)), patience);
    },
    async cancel() {
      clearTimeout(untaken);
      await iterator.return?.();
    },
  }, { highWaterMark: 0 }); // nothing is fetched before somebody reads
}

function encode<Data>(frame: Frame<Data>, write: (data: Data) => string): string {
  if ("comment" in frame) return `: ${oneLine(frame.comment)}\n\n`;
  if ("retry" in frame) return `retry: ${Math.round(frame.retry)}\n\n`;
  const id = frame.id === undefined ? "" : `id: ${oneLine(frame.id)}\n`;
  return `${id}event: ${oneLine(frame.event)}\ndata: ${write(frame.data)}\n\n`;
}

/** A line break would begin another field; JSON has none. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, " ");
}
