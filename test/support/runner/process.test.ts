/** Tests the runner's results for all kinds of test files, and that no file affects the next. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseOutcome, type TestFileOutcome } from "#test/support/runner/outcome.ts";
import { openTestRunner, type TestRunner } from "#test/support/runner/process.ts";

const FILES = fileURLToPath(new URL("../../data/runner/", import.meta.url));
const COMMAND = [process.execPath, ...("deno" in process.versions ? ["run", "--quiet", "-A"] : [])];
const LONG = { file: 60_000, end: 60_000 };

async function run(runner: TestRunner, name: string): Promise<TestFileOutcome> {
  return parseOutcome(name, await runner.run(join(FILES, `${name}.ts`)), 0);
}

async function runAlone(name: string, patience = LONG): Promise<TestFileOutcome> {
  const runner = openTestRunner(COMMAND, { ...process.env, NO_COLOR: "1" }, patience);
  const outcome = await run(runner, name);
  runner.end();
  return outcome;
}

function summary({ passed, failed, skipped, trouble }: TestFileOutcome): unknown[] {
  return [passed, failed, skipped, trouble];
}

const test = suite("openTestRunner");

test("runs files one after another in one process, reports each result, and exits", async () => {
  const runner = openTestRunner(COMMAND, { ...process.env, NO_COLOR: "1" }, LONG);
  const all: TestFileOutcome[] = [];
  for (const name of ["passes", "fails", "breaks", "forgets", "marks", "passes"]) all.push(await run(runner, name));
  assert.equal(all.slice(0, 5).map(summary), [
    [2, 0, 0, null],
    [1, 1, 0, null],
    [0, 1, 0, "reported no test"],
    [0, 1, 0, "reported no test"],
    [1, 0, 0, null],
  ]);
  assert.match(all[1]!.output, "a surprise");
  assert.match(all[2]!.output, "cannot be loaded");
  assert.not.match(all[4]!.output, "a surprise");
  assert.is(await runner.close(), null);
});

test("reports a file that exits its process", async () => {
  assert.match((await runAlone("ends")).trouble!, /^its process ended with status/);
});

test("reports an unhandled rejection", async () => {
  const { failed, output } = await runAlone("rejects");
  assert.is(failed, 1);
  assert.match(output, "nobody listens");
});

test("kills a file that hangs", async () => {
  const { failed, trouble } = await runAlone("hangs", { file: 2_000, end: 60_000 });
  assert.equal([failed, trouble], [1, "hung, and was ended after 2 s"]);
});

test("reports files that leave handles open", async () => {
  const runner = openTestRunner(COMMAND, { ...process.env, NO_COLOR: "1" }, { file: 60_000, end: 100 });
  assert.equal(summary(await run(runner, "leaves")), [1, 0, 0, null]);
  assert.match((await runner.close())!, "left open");
});

test("reports a program that cannot be started", async () => {
  const runner = openTestRunner([join(FILES, "no-such-program")], {}, LONG);
  assert.match((await run(runner, "passes")).trouble!, "ENOENT");
});

test.run();
