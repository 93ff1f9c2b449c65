/**
 * Counts the parts that Moodle's installer has started. The installer prints `-->mod_quiz` at the start of a part and
 * `++ Success ++` at its end, but no total.
 */
export interface PartCount {
  /**
   * Starts to read the log from its first line. The returned function takes each line and returns a progress text or
   * null.
   */
  listen(): (line: string) => string | null;
  /** Returns the number of parts; null until the installer has finished. */
  counted(): number | null;
}

const PART = /^-->\s*(\S.{0,99})/;
const DONE = /\bcompleted successfully\b/;

/** Creates a counter. `total` is the number of parts in an earlier installation of the version, if known. */
export function countParts(total: number | null): PartCount {
  let furthest = 0, all: number | null = null;
  return {
    listen() {
      let begun = 0;
      return (line) => {
        if (DONE.test(line) && begun > 0) all = begun;
        const name = PART.exec(line)?.[1]?.trim();
        if (name === undefined || ++begun <= furthest) return null; // counted before a broken connection
        furthest = begun;
        return `part ${begun}${total !== null && begun <= total ? ` of ${total}` : ""} (${name})`;
      };
    },
    counted: () => all,
  };
}
