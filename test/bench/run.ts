/** Runs benchmarks, each in a separate process.
 *
 *   npm run bench                        all comparisons, then one table for the README: half an hour
 *   npm run bench -- --quick             the same in less than five minutes, with a wider spread
 *   npm run bench -- --json DIRECTORY    also keeps the numbers behind the tables
 *   npm run bench -- NAME                one benchmark; the first lines of its file list its options
 *   npm run bench -- --smoke             all of them with tiny numbers: fails if one no longer works or answers wrongly
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type BenchmarkResults, type BenchmarkRun, type Figure, renderSummary } from "#test/bench/summary.ts";
import { installPeerPackages } from "#test/bench/servers.ts";

interface Benchmark {
  /** The options with which it takes seconds. Missing if it always takes minutes. */
  readonly smoke?: readonly string[];
  /** The options with which it takes a minute. Missing if it is no part of the comparison. */
  readonly quick?: readonly string[];
}

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  requests: { smoke: ["--smoke"], quick: ["--quick"] },
  streams: { smoke: ["--smoke"], quick: ["--quick"] },
  queue: { smoke: ["--smoke"], quick: ["--quick"] },
  telemetry: { smoke: ["--smoke"] },
  installs: { smoke: ["--installs", "1", "--starts", "1"], quick: ["--installs", "5", "--starts", "3"] },
  pages: { smoke: ["--smoke"] },
  plans: { smoke: ["1000"] },
  cli: { smoke: ["--rounds", "1"], quick: ["--rounds", "15"] },
  sweep: { smoke: ["--smoke", "20"] },
  "creation-times": { smoke: ["--factor", "0.02"] },
  scale: { smoke: ["2", "2"] },
  chaos: { smoke: ["--seed", "1", "--rounds", "1", "--hubs", "1"] },
  recovery: { smoke: ["--kills", "1", "--stops", "1"] },
  rollout: {}, // waits for a replica to be replaced in each wave
  trial: { smoke: ["--spokes", "5", "--actions", "restart", "--factor", "0.02"] },
};
const SMOKE_LIMIT = 300_000; // milliseconds; a benchmark that waits for something that never comes ends with this

process.exitCode = await main(process.argv.slice(2));

async function main([name, ...options]: string[]): Promise<number> {
  if (name !== undefined && !name.startsWith("-")) {
    if (!(name in BENCHMARKS)) throw new Error(`Unknown: ${name}. Use one of: ${Object.keys(BENCHMARKS).join(", ")}`);
    return (await run(name, options, "inherit")).status;
  }
  const flag = { type: "boolean", default: false } as const;
  const { values: { quick, smoke, json } } = parseArgs({
    options: { quick: flag, smoke: flag, json: { type: "string" } },
  });
  return smoke ? await runSmokeTest() : await compare(quick, json);
}

/** Runs the comparisons one after another, and prints the summary of all. */
async function compare(quick: boolean, keep: string | undefined): Promise<number> {
  const directory = keep ?? await mkdtemp(join(tmpdir(), "wheelwright-bench-"));
  await mkdir(directory, { recursive: true });
  const before = loadavg()[0]!, figures: Figure[] = [];
  for (const [name, { quick: quickOptions }] of Object.entries(BENCHMARKS)) {
    if (!quickOptions) continue;
    console.log(`\n${name}\n${"=".repeat(name.length)}`);
    const file = join(directory, `${name}.json`);
    const { status } = await run(name, [...(quick ? quickOptions : []), "--json", file], "inherit");
    if (status !== 0) return status;
    figures.push(...await readFigures(file));
  }
  if (keep === undefined) await rm(directory, { recursive: true });
  console.log(`\n${renderSummary(describeRun([before, loadavg()[0]!]), figures)}`);
  return 0;
}

async function readFigures(file: string): Promise<readonly Figure[]> {
  const { figures } = JSON.parse(await readFile(file, "utf8")) as BenchmarkResults;
  if (figures.length === 0) throw new Error(`${file} has no figures for the summary`);
  return figures;
}

function describeRun(load: BenchmarkRun["load"]): BenchmarkRun {
  return {
    commit: execFileSync("git", ["describe", "--always", "--dirty=+", "--exclude=*"], { encoding: "utf8" }).trim(),
    date: new Date().toISOString().slice(0, 10),
    runtime: `Node.js ${process.versions.node}`,
    cores: availableParallelism(),
    load,
  };
}

/** Runs two benchmarks at a time. Prints the output of failed benchmarks. */
async function runSmokeTest(): Promise<number> {
  installPeerPackages();
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-bench-")), queue = Object.entries(BENCHMARKS);
  let passed = 0, failed = 0;
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, { smoke, quick }] = next;
      if (!smoke) continue;
      const start = performance.now(), file = join(directory, `${name}.json`);
      const { status, output } = await run(name, [...smoke, ...(quick ? ["--json", file] : [])], "pipe");
      const problem = status !== 0
        ? output.trimEnd() || "It ended without output"
        : quick && await readFigures(file).then(() => "", String);
      const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(6);
      console.log(`${problem ? "✗" : "✓"} ${seconds} s  ${name}`);
      if (!problem) passed++;
      else failed++, console.log(problem);
    }
  };
  await Promise.all([work(), work()]);
  await rm(directory, { recursive: true });
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function run(name: string, options: readonly string[], stdio: "inherit" | "pipe") {
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, file, ...options], { stdio: ["inherit", stdio, stdio] });
  const timer = stdio === "pipe" ? setTimeout(() => child.kill(), SMOKE_LIMIT) : undefined;
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => output += chunk);
  const status = await new Promise<number>((resolve) => child.once("close", (status) => resolve(status ?? 1)));
  clearTimeout(timer);
  return { status, output };
}
