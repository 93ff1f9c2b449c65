/**
 * Runs the tests, every test/**\/*.test.ts, in a few processes at a time, on one PostgreSQL server. Files that kill and
 * stop have a process each. Others share one with those before them: to load the program is half the work of a short file.
 *
 *   node test/run.ts node                        with Node
 *   deno run -A test/run.ts deno run -A          with Deno: what follows run.ts runs the processes
 *   node test/run.ts node -- lib/drivers/db              only files whose path contains this
 */
import { rmSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { stop } from "esbuild";
import { bundleProgram } from "#src/build/bundle.ts";
import { readProgramRelease } from "#src/release.ts";
import { parseOutcome, type TestFileOutcome } from "#test/support/runner/outcome.ts";
import { openTestRunner, type TestRunner } from "#test/support/runner/process.ts";
import { createTemplateDatabase, dropTemplateDatabase, openPostgresServer } from "#test/support/server.ts";

/** They mostly wait for clusters, processes and clocks. The slowest come first: none shall be left over at the end. */
const LONG = [
  /^browser\//,
  /^lib\/workers\/(?:install|restore|templates|restore-tests)\//,
  /^(?:attacks|faults)\//,
  /^src\//,
  /^lib\/(?:workers|scheduler|doctor)\//,
];
/** Pages are the same whatever serves them, and what drives the browser is made for Node; releases are made by npm, and so by Node. */
const FOR_NODE = /^(?:browser\/|src\/make-release\.)/;
const ALONE = /^(?:attacks|faults)\//;
const TOGETHER = 25; // files that one process runs at most, so that it does not grow without end
const CORES = Math.min(4, availableParallelism());
const LONG_AT_ONCE = CORES + 1, SHORT_AT_ONCE = CORES;
const ROOT = fileURLToPath(new URL(".", import.meta.url));
const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const running = new Set<TestRunner>();

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const split = args.includes("--") ? args.indexOf("--") : args.length;
  const command = args.slice(0, split), filters = args.slice(split + 1);
  if (command.length === 0) throw new Error("Say what runs a file, for example: node test/run.ts node");
  const found = await findFiles(filters),
    files = found.filter((file) => !/deno/.test(command[0]!) || !FOR_NODE.test(file));
  if (files.length < found.length) {
    console.log("Tests in a browser and of releases run with Node alone.");
  }
  if (files.length === 0) throw new Error(`No test file matches ${filters.join(", ")}`);

  const start = performance.now();
  const server = await openPostgresServer();
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-program-"));
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    process.once(signal, () => {
      for (const runner of running) runner.end();
      rmSync(directory, { recursive: true, force: true });
      server.stop().finally(() => process.exit(code));
    });
  }
  try {
    const [template, program] = await Promise.all([
      createTemplateDatabase(server.url),
      // To load the sources takes half a second of processor: what the whole suite starts runs what is shipped instead.
      filters.length === 0 ? writeProgram(directory) : "",
    ]);
    const env = {
      ...process.env,
      WHEELWRIGHT_TEST_SERVER: server.url,
      WHEELWRIGHT_TEST_TEMPLATE: template,
      WHEELWRIGHT_TEST_PROGRAM: program,
      NO_COLOR: "1",
      NODE_COMPILE_CACHE: join(tmpdir(), "wheelwright-test-code"), // hundreds of processes read the same modules
    };
    const outcomes = await runAll(files, () => openTestRunner(command, env));
    await dropTemplateDatabase(server.url, template);
    return report(outcomes, (performance.now() - start) / 1000);
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true }); // somebody may have cleared up the temporary folder
  }
}

async function writeProgram(directory: string): Promise<string> {
  const path = join(directory, "main.mjs");
  const { modules } = await bundleProgram(fileURLToPath(new URL("../", import.meta.url)), readProgramRelease());
  await stop(); // or its process would be beside the tests until they end
  for (const [name, text] of modules) await writeFile(join(directory, name), text);
  return path;
}

async function findFiles(filters: string[]): Promise<string[]> {
  const files = (await readdir(ROOT, { recursive: true })).map((file) => file.replaceAll(sep, "/"));
  const tests = files.filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules/")).sort();
  return filters.length === 0 ? tests : tests.filter((file) => filters.some((part) => `test/${file}`.includes(part)));
}

async function runAll(files: string[], open: () => TestRunner): Promise<TestFileOutcome[]> {
  const outcomes: TestFileOutcome[] = [];
  const long = [...new Set(LONG.flatMap((kind) => files.filter((file) => kind.test(file))))];
  const short = files.filter((file) => !long.includes(file));
  const add = (outcome: TestFileOutcome) => {
    outcomes.push(outcome);
    show(outcome);
  };
  const work = async (first: string[], then: string[]) => {
    let runner: TestRunner | null = null;
    for (let file = first.shift() ?? then.shift(); file; file = first.shift() ?? then.shift()) {
      if (runner && ALONE.test(file)) await close(runner, add), runner = null;
      if (!runner) running.add(runner = open());
      const start = performance.now();
      const outcome = parseOutcome(file, await runner.run(join(ROOT, file)), performance.now() - start);
      add(outcome);
      if (outcome.failed > 0) running.delete(runner), runner.end(), runner = null; // who knows what it has left
      else if (ALONE.test(file) || runner.files.length === TOGETHER) await close(runner, add), runner = null;
    }
    if (runner) await close(runner, add);
  };
  // Side by side, so that neither kind is left over at the end.
  await Promise.all([
    ...Array.from({ length: LONG_AT_ONCE }, () => work(long, short)),
    ...Array.from({ length: SHORT_AT_ONCE }, () => work(short, long)),
  ]);
  return outcomes;
}

async function close(runner: TestRunner, add: (outcome: TestFileOutcome) => void): Promise<void> {
  const start = performance.now(), trouble = await runner.close();
  running.delete(runner);
  const file = runner.files.map((path) => path.slice(ROOT.length)).join(", "), seconds = performance.now() - start;
  if (trouble) add({ file, passed: 0, skipped: 0, failed: 1, seconds: seconds / 1000, output: "", trouble });
}

function show({ file, passed, failed, skipped, seconds, output, trouble }: TestFileOutcome): void {
  const counts = `${String(passed).padStart(4)} ${paint(2, `${seconds.toFixed(1).padStart(6)} s`)}`;
  const why = skipped > 0 ? `: ${/skipped, .*/.exec(output)?.[0] ?? `${skipped} skipped`}` : "";
  if (failed === 0) return console.log(`${paint(32, "✓")}${counts}  ${file}${why}`);
  console.log(`${paint(31, "✗")}${counts}  ${paint(31, file)}${trouble ? `: ${trouble}` : ""}`);
  console.log(output.trimEnd().split("\n").map((line) => `${paint(31, "│")} ${line}`).join("\n"));
}

function report(outcomes: TestFileOutcome[], seconds: number): number {
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
  return failed === 0 ? 0 : 1;
}

function paint(code: number, text: string): string {
  return colour ? `\x1b[${code}m${text}\x1b[0m` : text;
}
