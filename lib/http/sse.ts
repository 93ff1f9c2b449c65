/** Encodes server-sent events, and sends events no faster than the client reads them. */
import type { BodyStream, HttpResponse } from "#lib/http/response.ts";

/** An event, a comment that keeps the connection open, or a reconnection delay in milliseconds. */
export type EventStreamFrame<Data> =
  | { readonly id?: string; readonly event: string; readonly data: Data }
  | { readonly comment: string }
  | { readonly retry: number };

export interface EventStreamSource<Data> {
  /** Sends the frames. `send` returns a promise that resolves when the client can receive more. */
  run(send: (frame: EventStreamFrame<Data>) => void | Promise<void>): Promise<void>;
  /** Stops the source, even before the first frame. */
  cancel(): void;
}

export const EVENT_STREAM_TYPE = "text/event-stream";

export function isEventStream({ headers }: HttpResponse): boolean {
  return headers["content-type"] === EVENT_STREAM_TYPE;
}

/** Converts a source of frames to a response body. */
export function toBodyStream<Data>(
  source: EventStreamSource<Data>,
  encode: (frame: EventStreamFrame<Data>) => Uint8Array,
): BodyStream {
  return { run: (write) => source.run((frame) => write(encode(frame))), cancel: source.cancel };
}

/** Returns a function that encodes frames and caches the bytes. `write` formats event data as one line. */
export function createFrameEncoder<Data>(write: (data: Data) => string): (frame: EventStreamFrame<Data>) => Uint8Array {
  const text = new TextEncoder(), encoded = new WeakMap<EventStreamFrame<Data>, Uint8Array>();
  return (frame) => {
    const cached = encoded.get(frame);
    if (cached) return cached;
    const bytes = text.encode(textOf(frame, write));
    encoded.set(frame, bytes);
    return bytes;
  };
}

function textOf<Data>(frame: EventStreamFrame<Data>, write: (data: Data) => string): string {
  if ("comment" in frame) return `: ${oneLine(frame.comment)}\n\n`;
  if ("retry" in frame) return `retry: ${Math.round(frame.retry)}\n\n`;
  const id = frame.id === undefined ? "" : `id: ${oneLine(frame.id)}\n`;
  return `${id}event: ${oneLine(frame.event)}\ndata: ${write(frame.data)}\n\n`;
}

/** Replaces line breaks with spaces, because a line break would start a new field of the event. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, " ");
}
