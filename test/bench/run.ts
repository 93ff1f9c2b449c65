/** Runs benchmarks, each in a separate process.
 *
 *   npm run bench                        all comparisons with other programs: half an hour
 *   npm run bench -- --quick             four minutes, which show only large changes
 *   npm run bench -- --json DIRECTORY    also stores the numbers behind the tables
 *   npm run bench -- NAME                one benchmark; the first lines of its file list its options
 *   npm run bench -- --smoke             all of them with tiny numbers: fails if one no longer works or answers wrongly
 */
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installPeerPackages } from "#test/bench/servers.ts";

interface Benchmark {
  /** The options with which it takes seconds. */
  readonly smoke: readonly string[];
  /** The options with which a comparison takes a minute. Missing if it compares with no other program. */
  readonly quick?: readonly string[];
  /** Whether it has the option --json. */
  readonly json?: boolean;
}

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  requests: { smoke: ["--smoke"], quick: ["--quick"], json: true },
  streams: { smoke: ["--smoke"], quick: ["--quick"], json: true },
  queue: { smoke: ["--smoke"], quick: ["--quick"], json: true },
  telemetry: { smoke: ["--smoke"], quick: ["--quick"] },
  installs: { smoke: ["--installs", "1", "--starts", "1"], quick: ["--installs", "5", "--starts", "3"] },
  pages: { smoke: ["--smoke"] },
  plans: { smoke: ["1000"] },
  cli: { smoke: ["--rounds", "1"] },
  sweep: { smoke: ["--smoke", "20"] },
  "creation-times": { smoke: ["--factor", "0.02"] },
  scale: { smoke: ["2", "2"] },
  chaos: { smoke: ["--seed", "1", "--rounds", "1", "--hubs", "1"] },
  recovery: { smoke: ["--kills", "1", "--stops", "1"] },
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

async function compare(quick: boolean, directory: string | undefined): Promise<number> {
  if (directory) await mkdir(directory, { recursive: true });
  for (const [name, { quick: quickOptions, json }] of Object.entries(BENCHMARKS)) {
    if (!quickOptions) continue;
    console.log(`\n${name}\n${"=".repeat(name.length)}`);
    const jsonOptions = directory && json ? ["--json", join(directory, `${name}.json`)] : [];
    const { status } = await run(name, [...(quick ? quickOptions : []), ...jsonOptions], "inherit");
    if (status !== 0) return status;
  }
  return 0;
}

/** Runs two benchmarks at a time. Prints the output of failed benchmarks. */
async function runSmokeTest(): Promise<number> {
  installPeerPackages();
  const queue = Object.entries(BENCHMARKS);
  let passed = 0, failed = 0;
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, { smoke }] = next, start = performance.now();
      const { status, output } = await run(name, smoke, "pipe");
      const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(6);
      console.log(`${status === 0 ? "✓" : "✗"} ${seconds} s  ${name}`);
      if (status === 0) passed++;
      else failed++, console.log(output.trimEnd());
    }
  };
  await Promise.all([work(), work()]);
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
