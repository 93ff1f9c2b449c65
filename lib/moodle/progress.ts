/**
 * How far Moodle's installer has come, by what it prints: `-->mod_quiz` as it begins with a part, and `++ Success ++` once
 * that is done. It does not say how many there will be.
 */
export interface PartCount {
  /** Begins a reading of the log, from its first line on. What is told each line returns a sentence for people, or null. */
  listen(): (line: string) => string | null;
  /** How many parts there were in all; null until the installer has said that it is done. */
  counted(): number | null;
}

const PART = /^-->\s*(\S.{0,99})/;
const DONE = /\bcompleted successfully\b/;

/** `total` is what an earlier installation of the same version has counted, if one is known. */
export function countParts(total: number | null): PartCount {
  let furthest = 0, all: number | null = null;
  return {
    listen() {
      let begun = 0;
      return (line) => {
        if (DONE.test(line) && begun > 0) all = begun;
        const name = PART.exec(line)?.[1]?.trim();
        if (name === undefined || ++begun <= furthest) return null; // it was read before, over a connection that was cut
        furthest = begun;
        return `part ${begun}${total !== null && begun <= total ? ` of ${total}` : ""} (${name})`;
      };
    },
    counted: () => all,
  };
}
