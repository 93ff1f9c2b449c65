/** Saves progress messages at most once per second. If there are several in a second, only the last one is saved. */
import { redact } from "#lib/base/redact.ts";
import { SECOND } from "#lib/base/time.ts";

const WRITE_INTERVAL = 1 * SECOND;
const MAX_LENGTH = 300;

export interface Progress {
  /** Sets the step that is named in later messages. */
  startStep(step: string): void;
  show(sentence: string): void;
  /** Discards any unsaved message. Resolves once a running write has ended. */
  settle(): Promise<void>;
}

/** Starts to report the progress of a run. `write` must handle its own errors. */
export function openProgress(step: string, write: (label: string) => Promise<void>): Progress {
  let latest: string | null = null;
  let written: string | null = null;
  let writtenAt = -Infinity;
  let writing: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function schedule(): void {
    if (writing || timer !== undefined || latest === null) return;
    timer = setTimeout(flush, Math.max(0, writtenAt + WRITE_INTERVAL - performance.now()));
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
    startStep: (next) => void (step = next),
    show(sentence) {
      const label = shortenLabel(redact(`${step}: ${sentence}`));
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

/** Shortens a progress message to at most 300 characters. */
export function shortenLabel(sentence: string): string {
  return sentence.length > MAX_LENGTH ? `${sentence.slice(0, MAX_LENGTH - 1).toWellFormed()}…` : sentence;
}
