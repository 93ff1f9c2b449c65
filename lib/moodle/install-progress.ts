/**
 * Counts the parts that Moodle's installer has started. The installer prints `-->mod_quiz` at the start of a part and
 * `++ Success ++` at its end, but no total.
 */
export interface InstallProgress {
  /**
   * Starts to read the log from its first line. The returned function takes each line and returns a progress text or
   * null.
   */
  startReading(): (line: string) => string | null;
  /** Returns the number of parts; null until the installer has finished. */
  totalParts(): number | null;
}

const PART = /^-->\s*(\S.{0,99})/;
const DONE = /\bcompleted successfully\b/;

/** Creates a counter. `total` is the number of parts in an earlier installation of the version, if known. */
export function createInstallProgress(total: number | null): InstallProgress {
  let highest = 0, finalCount: number | null = null;
  return {
    startReading() {
      let started = 0;
      return (line) => {
        if (DONE.test(line) && started > 0) finalCount = started;
        const name = PART.exec(line)?.[1]?.trim();
        if (name === undefined || ++started <= highest) return null; // counted before a broken connection
        highest = started;
        return `part ${started}${total !== null && started <= total ? ` of ${total}` : ""} (${name})`;
      };
    },
    totalParts: () => finalCount,
  };
}
