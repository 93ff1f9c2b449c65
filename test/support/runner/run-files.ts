/** Runs test files in a few processes at a time. Files that kill and stop have a process each. Others share one with
 * those before them: to load the program is half the work of a short file. */
import { join } from "node:path";
import { parseOutcome, type TestFileOutcome } from "#test/support/runner/outcome.ts";
import type { TestRunner } from "#test/support/runner/process.ts";

/** Files that take long. Most wait for clusters, processes and clocks. They start first, so that none runs alone at the end. */
const LONG = [
  /^(?:browser|growth)\//,
  /^routes\/(?:hostile|paging)\./,
  /^lib\/workers\/(?:install|restore|templates|restore-tests)\//,
  /^(?:attacks|faults)\//,
  /^src\//,
  /^lib\/(?:workers|scheduler|doctor)\//,
];
const ALONE = /^(?:attacks|faults)\//;
const TOGETHER = 25; // files that one process runs at most, so that it does not grow without end

export interface TestRun {
  /** The directory that the files' paths are relative to. */
  readonly root: string;
  /** The number of processor cores to use. */
  readonly cores: number;
  /** The processes that run now. */
  readonly running: Set<TestRunner>;
  open(): TestRunner;
  /** Called with each result. */
  show(outcome: TestFileOutcome): void;
}

export async function runTestFiles(run: TestRun, files: readonly string[]): Promise<TestFileOutcome[]> {
  const { root, cores, running } = run, outcomes: TestFileOutcome[] = [];
  const long = [...new Set(LONG.flatMap((kind) => files.filter((file) => kind.test(file))))];
  const short = files.filter((file) => !long.includes(file));
  const add = (outcome: TestFileOutcome) => {
    outcomes.push(outcome);
    run.show(outcome);
  };
  const close = async (runner: TestRunner) => {
    const start = performance.now(), trouble = await runner.close(), seconds = (performance.now() - start) / 1000;
    running.delete(runner);
    const file = runner.files.map((path) => path.slice(root.length)).join(", ");
    if (trouble) add({ file, passed: 0, skipped: 0, failed: 1, seconds, output: "", trouble });
  };
  const work = async (first: string[], then: string[]) => {
    let runner: TestRunner | null = null;
    for (let file = first.shift() ?? then.shift(); file; file = first.shift() ?? then.shift()) {
      if (runner && ALONE.test(file)) await close(runner), runner = null;
      if (!runner) running.add(runner = run.open());
      const start = performance.now();
      const outcome = parseOutcome(file, await runner.run(join(root, file)), performance.now() - start);
      add(outcome);
      if (outcome.failed > 0) running.delete(runner), runner.end(), runner = null; // who knows what it has left
      else if (ALONE.test(file) || runner.files.length === TOGETHER) await close(runner), runner = null;
    }
    if (runner) await close(runner);
  };
  // Side by side, so that neither kind is left over at the end.
  await Promise.all([
    ...Array.from({ length: cores + 1 }, () => work(long, short)),
    ...Array.from({ length: cores }, () => work(short, long)),
  ]);
  return outcomes;
}
