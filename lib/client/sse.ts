/** Parses server-sent events (WHATWG HTML, section 9.2.6). */

/** Maximum characters of an event. The server's largest have a few thousand. */
const LARGEST_FRAME = 1024 * 1024;

/** An event, a comment, or the milliseconds to wait before reconnecting. */
export interface ReceivedSseFrame {
  readonly id: string | null;
  readonly data: string | null;
  readonly retry: number | null;
}

interface ReadBounds {
  /** Milliseconds without an event or comment after which reading fails. */
  readonly silence: number;
  readonly signal?: AbortSignal | undefined;
  /** Returns milliseconds on a clock that never goes back. */
  readonly now?: () => number;
  /** Calls `work` after the given milliseconds. The returned function cancels the call. */
  readonly after?: (ms: number, work: () => void) => () => void;
}

/** Reads frames on demand. */
export async function* readFrames(
  bytes: ReadableStream<Uint8Array>,
  { silence, signal, now = () => performance.now(), after = setTimer }: ReadBounds,
): AsyncGenerator<ReceivedSseFrame, void> {
  const reader = bytes.getReader(), decoder = new TextDecoder();
  const cancel = () => void reader.cancel().catch(() => {});
  // On Deno, the signal of fetch no longer cancels the body after the response was garbage-collected.
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
      left -= now() - began; // time between reads does not count: the stream is not silent while its reader is busy
      // A chunk may end between the CR and LF of a line break.
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
    cancel = start(() => reject(new Error(`silent for ${Math.round(silence / 1000)} s`)));
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
