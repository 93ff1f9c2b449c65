/** Saves a job's progress message at most once per second. Saves only the last of several messages in a second. */
import { redactSecrets } from "#lib/base/redact.ts";
import { SECOND } from "#lib/base/time.ts";

const WRITE_INTERVAL = 1 * SECOND;
const MAX_LENGTH = 300;

export interface Progress {
  /** Sets the step name that is prefixed to later messages. */
  startStep(step: string): void;
  show(sentence: string): void;
  /** Discards a message that is not saved yet. Resolves when the current write has ended. */
  settle(): Promise<void>;
}

/** Creates the object that reports a run's progress. `write` must handle its own errors. */
export function createProgressReporter(step: string, write: (label: string) => Promise<void>): Progress {
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
      const label = shortenProgressLabel(redactSecrets(`${step}: ${sentence}`));
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
export function shortenProgressLabel(sentence: string): string {
  return sentence.length > MAX_LENGTH ? `${sentence.slice(0, MAX_LENGTH - 1).toWellFormed()}…` : sentence;
}
