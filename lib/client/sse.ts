/** Parses server-sent events (WHATWG HTML, section 9.2.6). */

/** The maximum length of an event in characters. The server's largest events have a few thousand. */
const LARGEST_FRAME = 1024 * 1024;

/** A part of an event stream: an event, a comment, or a reconnection delay in milliseconds. */
export interface ReceivedSseFrame {
  readonly id: string | null;
  readonly data: string | null;
  readonly retry: number | null;
}

interface ReadBounds {
  /** How long the stream may be silent before reading fails, in milliseconds. */
  readonly silence: number;
  readonly signal?: AbortSignal | undefined;
  /** Returns the current reading of a monotonic clock, in milliseconds. */
  readonly now?: () => number;
  /** Calls `work` after `ms` milliseconds. Returns a function that cancels the call. */
  readonly after?: (ms: number, work: () => void) => () => void;
}

/** Reads frames from the stream as the caller iterates over them. */
export async function* readSseFrames(
  bytes: ReadableStream<Uint8Array>,
  { silence, signal, now = () => performance.now(), after = setTimer }: ReadBounds,
): AsyncGenerator<ReceivedSseFrame, void> {
  const reader = bytes.getReader(), decoder = new TextDecoder();
  const cancel = () => void reader.cancel().catch(() => {});
  // Cancels the body explicitly: in Deno, fetch's signal has no effect once the response is garbage-collected.
  signal?.addEventListener("abort", cancel);
  try {
    for (let rest = "", left = silence;;) {
      const began = now();
      const { done, value } = await rejectAfterSilence(
        reader.read(),
        (late) => after(Math.max(0, left), late),
        silence,
      );
      if (done) return; // an incomplete event is dropped
      left -= now() - began; // excludes the time in which the reader was busy, because data may have been waiting
      // Line breaks are normalized in the joined text, because a chunk may end between CR and LF.
      const blocks = (rest + decoder.decode(value, { stream: true })).replace(/\r\n/g, "\n").split(/\n\n|\r\r/);
      rest = blocks.pop()!;
      if (rest.length > LARGEST_FRAME) throw new Error("an event is larger than 1 MiB");
      if (blocks.length > 0) left = silence;
      for (const block of blocks) yield parseFrame(block);
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}

function parseFrame(block: string): ReceivedSseFrame {
  const lines = block.split(/[\n\r]/);
  const values = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).replace(/^ /, ""));
  const data = values("data"), retry = values("retry").at(-1) ?? "";
  return {
    id: values("id").at(-1) ?? null,
    data: data.length > 0 ? data.join("\n") : null,
    retry: /^\d+$/.test(retry) ? Number(retry) : null,
  };
}

/** Returns the result of the work. Rejects if the timer that `start` sets fires first. */
async function rejectAfterSilence<T>(
  work: Promise<T>,
  start: (late: () => void) => () => void,
  silence: number,
): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = start(() => reject(new Error(`no data for ${Math.round(silence / 1000)} s`)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

function setTimer(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}
