/** Prints the results of test files. */
import type { TestFileOutcome } from "#test/support/runner/outcome.ts";

const colour = process.stdout.isTTY && !process.env.NO_COLOR;

export function printOutcome({ file, passed, failed, skipped, seconds, output, trouble }: TestFileOutcome): void {
  const counts = `${String(passed).padStart(4)} ${paint(2, `${seconds.toFixed(1).padStart(6)} s`)}`;
  const why = skipped > 0 ? `: ${/skipped, .*/.exec(output)?.[0] ?? `${skipped} skipped`}` : "";
  if (failed === 0) return console.log(`${paint(32, "✓")}${counts}  ${file}${why}`);
  console.log(`${paint(31, "✗")}${counts}  ${paint(31, file)}${trouble ? `: ${trouble}` : ""}`);
  console.log(output.trimEnd().split("\n").map((line) => `${paint(31, "│")} ${line}`).join("\n"));
}

/** Prints the failed files and the sums. Returns the failed files. */
export function printSummary(outcomes: readonly TestFileOutcome[], seconds: number): string[] {
  const sum = (of: (outcome: TestFileOutcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const passed = sum((one) => one.passed), failed = sum((one) => one.failed), skipped = sum((one) => one.skipped);
  const broken = outcomes.filter((one) => one.failed > 0);
  console.log(
    paint(2, `\n${outcomes.length} files in ${seconds.toFixed(1)} s${skipped ? `, ${skipped} skipped` : ""}`),
  );
  for (const { file, failed, trouble } of broken) {
    console.log(`${paint(31, "✗")} ${file}: ${trouble ?? `${failed} failed`}`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  return broken.map(({ file }) => file);
}

function paint(code: number, text: string): string {
  return colour ? `\x1b[${code}m${text}\x1b[0m` : text;
}
