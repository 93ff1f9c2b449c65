/** Reads the result of a test file from its output. Unlike uvu, reports a failure if the file ran no test suite. */
import type { TestFileRun } from "#test/support/runner/process.ts";

export interface TestFileOutcome {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly output: string;
  /** An error outside the individual tests; null if no such error occurred. */
  readonly trouble: string | null;
}

export function parseOutcome(
  file: string,
  { status, output, trouble: problem }: TestFileRun,
  ms: number,
): TestFileOutcome {
  const count = (word: string) =>
    Number([...output.matchAll(new RegExp(`^ +${word}: +(\\d+)`, "gm"))].at(-1)?.[1] ?? 0);
  const total = count("Total"), passed = count("Passed"), skipped = count("Skipped");
  const broken = total - passed; // the total excludes skipped tests
  const trouble = problem ??
    (total + skipped === 0 ? "reported no test" : status !== 0 && broken === 0 ? `ended with status ${status}` : null);
  return { file, passed, skipped, failed: broken + (trouble ? 1 : 0), seconds: ms / 1000, output, trouble };
}
