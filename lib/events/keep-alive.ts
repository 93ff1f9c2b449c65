/** Sends keep-alive comments on silent event streams, because proxies close silent connections. */
import type { StreamData } from "#lib/events/store.ts";
import { SECOND } from "#lib/base/time.ts";

/** A part of a stream: an event, a keep-alive comment, or the client's reconnection delay in milliseconds. */
export type StreamFrame =
  | { readonly id: string; readonly event: string; readonly data: StreamData }
  | { readonly comment: string }
  | { readonly retry: number };

/** A function that sends a frame. The promise, if returned, settles when the client can receive more frames. */
export type SendFrame = (frame: StreamFrame) => void | Promise<void>;

export interface StreamKeepAlive {
  readonly send: SendFrame;
  end(): void;
}

interface OpenStream {
  /** When the last frame was sent (`performance.now()`). Infinity while the client has not yet received that frame. */
  sentAt: number;
  readonly send: SendFrame;
}

const KEEP_ALIVE_FRAME: StreamFrame = { comment: "still here" };

/** Returns a function that adds keep-alives to a stream, sent after `silenceMs` milliseconds without a frame. */
export function createKeepAlives(silenceMs: number): (send: SendFrame) => StreamKeepAlive {
  const streams = new Set<OpenStream>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function sendKeepAlives(): void {
    const since = performance.now() - silenceMs;
    // Ignores errors in sending, because the loop that sends the stream's events handles them.
    for (const { sentAt, send } of streams) if (sentAt <= since) send(KEEP_ALIVE_FRAME)?.catch(() => {});
  }

  return function open(write) {
    const stream: OpenStream = {
      sentAt: performance.now(),
      send(frame) {
        const drained = write(frame);
        stream.sentAt = drained ? Infinity : performance.now();
        return drained?.then(() => void (stream.sentAt = performance.now()));
      },
    };
    streams.add(stream);
    timer ??= setInterval(sendKeepAlives, Math.min(SECOND, silenceMs));
    return {
      send: stream.send,
      end() {
        streams.delete(stream);
        if (streams.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      },
    };
  };
}
