/**
 * Runs the tests: every test/**\/*.test.ts as a process of its own, a few at a time, on one PostgreSQL server.
 *
 *   node test/run.ts node                        with Node
 *   deno run -A test/run.ts deno run -A          with Deno: what follows run.ts is put before each file's name
 *   node test/run.ts node -- lib/db              only files whose path contains this
 *
 * uvu passes a file whose suite was never run; so a file that reports no test has failed here.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { dropTemplate, makeTemplate, openServer } from "#test/support/server.ts";

interface Outcome {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly output: string;
  /** What is wrong with the file as a whole. */
  readonly trouble: string | null;
}

const PATIENCE = 180_000; // ms for one file; the slowest needs a fraction of it, on a slow machine too
const LONG = /^(?:faults|lib\/(?:work|scheduler|doctor)|src)\//; // they mostly wait for clusters, processes and clocks
const OUTPUT_LIMIT = 1_000_000; // characters that are kept of what a file prints
const CORES = Math.min(4, availableParallelism());
const LONG_AT_ONCE = CORES, SHORT_AT_ONCE = CORES;
const ROOT = fileURLToPath(new URL(".", import.meta.url));
const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const running = new Set<ChildProcess>();

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const split = args.includes("--") ? args.indexOf("--") : args.length;
  const command = args.slice(0, split), filters = args.slice(split + 1);
  if (command.length === 0) throw new Error("Say what runs a file, for example: node test/run.ts node");
  const files = await findFiles(filters);
  if (files.length === 0) throw new Error(`No test file matches ${filters.join(", ")}`);

  const start = performance.now();
  const server = await openServer();
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    process.once(signal, () => {
      for (const child of running) endGroup(child);
      server.stop().finally(() => process.exit(code));
    });
  }
  try {
    const template = await makeTemplate(server.url);
    const env = {
      ...process.env,
      WHEELWRIGHT_TEST_SERVER: server.url,
      WHEELWRIGHT_TEST_TEMPLATE: template,
      NO_COLOR: "1",
      NODE_COMPILE_CACHE: join(tmpdir(), "wheelwright-test-code"), // hundreds of processes read the same modules
    };
    const outcomes = await runAll(files, (file) => runFile(command, file, env));
    await dropTemplate(server.url, template);
    return report(outcomes, (performance.now() - start) / 1000);
  } finally {
    await server.stop();
  }
}

async function findFiles(filters: string[]): Promise<string[]> {
  const files = (await readdir(ROOT, { recursive: true })).map((file) => file.replaceAll(sep, "/"));
  const tests = files.filter((file) => file.endsWith(".test.ts")).sort();
  return filters.length === 0 ? tests : tests.filter((file) => filters.some((part) => `test/${file}`.includes(part)));
}

async function runAll(files: string[], run: (file: string) => Promise<Outcome>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const long = files.filter((file) => LONG.test(file)), short = files.filter((file) => !LONG.test(file));
  const work = async (first: string[], then: string[]) => {
    for (let file = first.shift() ?? then.shift(); file; file = first.shift() ?? then.shift()) {
      const outcome = await run(file);
      outcomes.push(outcome);
      show(outcome);
    }
  };
  // Side by side, so that neither kind is left over at the end.
  await Promise.all([
    ...Array.from({ length: LONG_AT_ONCE }, () => work(long, short)),
    ...Array.from({ length: SHORT_AT_ONCE }, () => work(short, long)),
  ]);
  return outcomes;
}

function runFile(command: string[], file: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    const start = performance.now();
    let output = "", hung = false;
    // A group of its own, so that whatever the file starts can be ended with it.
    const [program, ...rest] = command as [string, ...string[]];
    const child = spawn(program, [...rest, join(ROOT, file)], {
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    const keep = (chunk: string) => output = (output + chunk).slice(-OUTPUT_LIMIT);
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    const timer = setTimeout(() => (hung = true, endGroup(child)), PATIENCE);
    const finish = (code: number | null, problem?: string) => {
      clearTimeout(timer);
      running.delete(child);
      endGroup(child);
      const trouble = hung ? `hung, and was ended after ${PATIENCE / 1000} s` : problem ?? null;
      resolve(judge(file, code, output, trouble, (performance.now() - start) / 1000));
    };
    child.once("error", (error) => finish(null, error.message));
    // What it left running may hold its output open; "close" would then never come.
    child.once("exit", (code) => {
      const patience = setTimeout(() => endGroup(child), 1000);
      child.once("close", () => (clearTimeout(patience), finish(code)));
    });
  });
}

function judge(file: string, code: number | null, output: string, problem: string | null, seconds: number): Outcome {
  const count = (word: string) =>
    Number([...output.matchAll(new RegExp(`^ +${word}: +(\\d+)`, "gm"))].at(-1)?.[1] ?? 0);
  const total = count("Total"), passed = count("Passed"), skipped = count("Skipped");
  const broken = total - passed; // what was skipped is not in the total
  const trouble = problem ??
    (total + skipped === 0 ? "reported no test" : code !== 0 && broken === 0 ? `ended with status ${code}` : null);
  return { file, passed, skipped, failed: broken + (trouble ? 1 : 0), seconds, output, trouble };
}

function endGroup(child: ChildProcess): void {
  try {
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing of the group is left, which is what is wanted.
  }
}

function show({ file, passed, failed, seconds, output, trouble }: Outcome): void {
  const counts = `${String(passed).padStart(4)} ${paint(2, `${seconds.toFixed(1).padStart(6)} s`)}`;
  if (failed === 0) return console.log(`${paint(32, "✓")}${counts}  ${file}`);
  console.log(`${paint(31, "✗")}${counts}  ${paint(31, file)}${trouble ? `: ${trouble}` : ""}`);
  console.log(output.trimEnd().split("\n").map((line) => `${paint(31, "│")} ${line}`).join("\n"));
}

function report(outcomes: Outcome[], seconds: number): number {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0);
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
