/** Reports the progress of Moodle's installer. It counts log lines such as `-->mod_quiz`. */
export interface InstallProgress {
  /** Returns a log reader. If a line starts a new part, it returns, say, "part 3 of 400 (mod_quiz)"; otherwise null. */
  startReading(): (line: string) => string | null;
  /** Returns the total number of installed parts; null until the installer has finished. */
  totalParts(): number | null;
}

const PART = /^-->\s*(\S.{0,99})/;
const DONE = /\bcompleted successfully\b/;

/** Creates a progress counter for an installation. `total` is the expected number of parts; null if unknown. */
export function createInstallProgress(total: number | null): InstallProgress {
  let highest = 0, finalCount: number | null = null;
  return {
    startReading() {
      let started = 0;
      return (line) => {
        if (DONE.test(line) && started > 0) finalCount = started;
        const name = PART.exec(line)?.[1]?.trim();
        if (name === undefined || ++started <= highest) return null; // already counted before the log was read again
        highest = started;
        return `part ${started}${total !== null && started <= total ? ` of ${total}` : ""} (${name})`;
      };
    },
    totalParts: () => finalCount,
  };
}
