/** Server-sent events as bytes. The source waits while its reader takes nothing, and is ended when its reader leaves. */
import type { BodyStream, HttpResponse } from "#lib/http/response.ts";

/** An event, a comment that keeps proxies open, or the milliseconds to wait before reconnecting. */
export type Frame<Data> =
  | { readonly id?: string; readonly event: string; readonly data: Data }
  | { readonly comment: string }
  | { readonly retry: number };

/** Where frames come from, for one reader. */
export interface FrameSource<Data> {
  /** Sends all there is; what `send` returns settles as soon as there is room for more. */
  run(send: (frame: Frame<Data>) => void | Promise<void>): Promise<void>;
  /** Ends it, also before it began. */
  cancel(): void;
}

export const STREAM_TYPE = "text/event-stream";

/** Whether this is a stream of events, which goes on for long after it was begun. */
export function isStream({ headers }: HttpResponse): boolean {
  return headers["content-type"] === STREAM_TYPE;
}

/** `encode` makes the bytes of a frame. */
export function toBodyStream<Data>(source: FrameSource<Data>, encode: (frame: Frame<Data>) => Uint8Array): BodyStream {
  return { run: (write) => source.run((frame) => write(encode(frame))), cancel: source.cancel };
}

/** `write` makes one line of an event's data. What many readers are sent is encoded once for all of them. */
export function encoder<Data>(write: (data: Data) => string): (frame: Frame<Data>) => Uint8Array {
  const text = new TextEncoder(), encoded = new WeakMap<Frame<Data>, Uint8Array>();
  return (frame) => {
    const known = encoded.get(frame);
    if (known) return known;
    const bytes = text.encode(textOf(frame, write));
    encoded.set(frame, bytes);
    return bytes;
  };
}

function textOf<Data>(frame: Frame<Data>, write: (data: Data) => string): string {
  if ("comment" in frame) return `: ${oneLine(frame.comment)}\n\n`;
  if ("retry" in frame) return `retry: ${Math.round(frame.retry)}\n\n`;
  const id = frame.id === undefined ? "" : `id: ${oneLine(frame.id)}\n`;
  return `${id}event: ${oneLine(frame.event)}\ndata: ${write(frame.data)}\n\n`;
}

/** A line break would begin another field; JSON has none. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, " ");
}
