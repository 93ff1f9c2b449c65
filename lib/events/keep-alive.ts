/** Keep-alives: a stream that has had nothing to say for a while says that, for proxies close what is silent. */
import type { StreamData } from "#lib/events/store.ts";
import { SECOND } from "#lib/base/time.ts";

/** What goes over the wire: an event, a comment that keeps proxies open, or the time to wait before reconnecting. */
export type StreamFrame =
  | { readonly id: string; readonly event: string; readonly data: StreamData }
  | { readonly comment: string }
  | { readonly retry: number };

/** Sends a frame; what it returns settles as soon as there is room for more. */
export type Send = (frame: StreamFrame) => void | Promise<void>;

export interface KeepAlive {
  readonly send: Send;
  end(): void;
}

interface OpenStream {
  /** When something was sent last; Infinity while that is still being taken. */
  sentAt: number;
  readonly send: Send;
}

const KEEP_ALIVE_FRAME: StreamFrame = { comment: "still here" };

/** Gives voices, each of which says that it is there after so many milliseconds of silence. */
export function createKeepAlives(silenceMs: number): (send: Send) => KeepAlive {
  const streams = new Set<OpenStream>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function sendKeepAlives(): void {
    const since = performance.now() - silenceMs;
    for (const { sentAt, send } of streams) if (sentAt <= since) send(KEEP_ALIVE_FRAME)?.catch(() => {}); // its run meets the same
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
