/** Sentences about what is being waited for, written at most once a second; of several in between only the last. */
import { redact } from "#lib/base/redact.ts";
import { SECOND } from "#lib/base/time.ts";

const EVERY = 1 * SECOND;
const LONGEST = 300;

export interface Progress {
  /** From now on the sentences are about this step. */
  begin(step: string): void;
  say(sentence: string): void;
  /** Forgets what was not written yet, and resolves once nothing is being written. */
  settle(): Promise<void>;
}

/** Throws nothing: `write` deals with its failures itself. */
export function openProgress(step: string, write: (label: string) => Promise<void>): Progress {
  let latest: string | null = null;
  let written: string | null = null;
  let writtenAt = -Infinity;
  let writing: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function schedule(): void {
    if (writing || timer !== undefined || latest === null) return;
    timer = setTimeout(flush, Math.max(0, writtenAt + EVERY - performance.now()));
  }

  function flush(): void {
    timer = undefined;
    if (latest === null) return;
    const label = written = latest;
    latest = null;
    writtenAt = performance.now();
    writing = write(label).finally(() => {
      writing = null;
      schedule();
    });
  }

  return {
    begin: (next) => void (step = next),
    say(sentence) {
      const label = shorten(redact(`${step}: ${sentence}`));
      latest = label === written ? null : label;
      schedule();
    },
    async settle() {
      latest = null;
      clearTimeout(timer);
      timer = undefined;
      await writing;
    },
  };
}

/** What fits into a line that people read. */
export function shorten(sentence: string): string {
  return sentence.length > LONGEST ? `${sentence.slice(0, LONGEST - 1).toWellFormed()}…` : sentence;
}
