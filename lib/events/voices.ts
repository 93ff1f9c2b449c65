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

export interface Voice {
  readonly send: Send;
  end(): void;
}

interface Speaker {
  /** When something was sent last; Infinity while that is still being taken. */
  saidAt: number;
  readonly send: Send;
}

const STILL_HERE: StreamFrame = { comment: "still here" };

/** Gives voices, each of which says that it is there after so many milliseconds of silence. */
export function openVoices(quiet: number): (send: Send) => Voice {
  const speakers = new Set<Speaker>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function breakSilence(): void {
    const since = performance.now() - quiet;
    for (const { saidAt, send } of speakers) if (saidAt <= since) send(STILL_HERE)?.catch(() => {}); // its run meets the same
  }

  return function open(write) {
    const speaker: Speaker = {
      saidAt: performance.now(),
      send(frame) {
        const room = write(frame);
        speaker.saidAt = room ? Infinity : performance.now();
        return room?.then(() => void (speaker.saidAt = performance.now()));
      },
    };
    speakers.add(speaker);
    timer ??= setInterval(breakSilence, Math.min(SECOND, quiet));
    return {
      send: speaker.send,
      end() {
        speakers.delete(speaker);
        if (speakers.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      },
    };
  };
}
