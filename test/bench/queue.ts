/** Compares Wheelwright's queue with others on PostgreSQL: `npm run bench -- queue [look|idle|drain]
 * [--quick] [--json FILE]`.
 *
 * Measures what a poll costs with different numbers of waiting jobs, the delay of a job on an idle queue, and the CPU
 * time of an empty job for the worker and PostgreSQL. Each measurement runs in a separate process (queue-worker.ts) on
 * a separate database. The queues take turns, so that other load on the machine affects all of them. Compare only
 * numbers of one run. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import type { Figure } from "#test/bench/summary.ts";
import {
  createTemplateDatabase,
  databaseUrl,
  openSeparatePostgresServer,
  withAdminConnection,
} from "#test/support/server.ts";

const PEERS = fileURLToPath(new URL("peers/", import.meta.url));
const WORKER = fileURLToPath(new URL("queue-worker.ts", import.meta.url));

/** The number of lanes, and of jobs in each. */
const SHAPES = [[10, 1], [1_000, 1], [10_000, 1], [100_000, 1], [1, 100_000], [1_000, 100]] as const;

interface Measured {
  readonly measurement: string;
  readonly subject: string;
  /** The values by name, in milliseconds. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

interface QueueEffort {
  readonly rounds: number;
  /** The number of jobs whose delay is measured, and of empty jobs. */
  readonly asked: number;
  readonly jobs: number;
  readonly shapes: readonly (readonly [lanes: number, each: number])[];
}

const FULL: QueueEffort = { rounds: 4, asked: 100, jobs: 4_000, shapes: SHAPES };
const QUICK: QueueEffort = { rounds: 3, asked: 40, jobs: 2_000, shapes: [] };
const SMOKE: QueueEffort = { rounds: 1, asked: 2, jobs: 20, shapes: SHAPES.slice(0, 1) };

async function main(only: string | undefined, size: QueueEffort, file: string | undefined): Promise<void> {
  if (!existsSync(join(PEERS, "node_modules"))) execFileSync("npm", ["ci"], { cwd: PEERS, stdio: "inherit" });
  const { rounds, asked, jobs, shapes } = size, server = await openSeparatePostgresServer();
  const found: Measured[] = [];
  const measure = async (subject: string, measurement: string, ...args: number[]) => {
    if (only && only !== measurement) return;
    const values = await run(server, subject, measurement, args);
    found.push({ measurement: [measurement, ...args].join(" "), subject, values });
  };
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [lanes, each] of shapes) await measure("wheelwright", "look", lanes, each);
      for (const subject of ["wheelwright", "graphile-worker", "pg-boss"]) await measure(subject, "idle", asked);
      for (const subject of ["wheelwright", "graphile-worker", "operations"]) await measure(subject, "drain", jobs);
    }
  } finally {
    await server.stop();
  }
  printTable(found);
  if (file) await writeFile(file, JSON.stringify({ figures: listQueueFigures(found), found }, null, 1));
}

/** Runs one measurement on a new database. */
async function run(
  server: { readonly url: string; readonly directory: string },
  subject: string,
  measurement: string,
  args: readonly number[],
): Promise<Measured["values"]> {
  const ours = ["wheelwright", "operations"].includes(subject);
  const template = ours ? await createTemplateDatabase(server.url) : "template0";
  const [postmaster] = (await readFile(join(server.directory, "data/postmaster.pid"), "utf8")).split("\n");
  await withAdminConnection(server.url, async (sql) => {
    await sql`drop database if exists bench with (force)`;
    await sql`create database bench template ${sql(template)} strategy file_copy`;
  });
  const words = [WORKER, subject, databaseUrl(server.url, "bench"), postmaster!, measurement, ...args.map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout);
}

/** The highest accepted ratio of the delay of a job to graphile-worker's. */
const DELAY_GOAL = 1.2;

/** Returns the figures for the summary. */
function listQueueFigures(found: readonly Measured[]): readonly Figure[] {
  const values = (subject: string, measurement: string, key: string) =>
    found.filter((each) => each.subject === subject && each.measurement.startsWith(measurement))
      .map((each) => quantile(each.values[key]!, 0.5));
  const compared = (name: string, measurement: string, key: string, goal?: number): Figure => ({
    name,
    unit: "ms",
    values: values("wheelwright", measurement, key),
    peers: [{
      name: "graphile-worker",
      values: values("graphile-worker", measurement, key),
      ...(goal !== undefined && { goal }),
    }],
  });
  return [
    compared("A job on an idle queue: delay until it starts (p50)", "idle", "to handler", DELAY_GOAL),
    compared("An empty job: CPU time of the worker", "drain", "worker"),
    compared("An empty job: CPU time of PostgreSQL", "drain", "PostgreSQL"),
  ].filter(({ values }) => values.length > 0);
}

function printTable(found: readonly Measured[]): void {
  const names = new Map<string, Map<string, number[]>>();
  for (const { measurement, subject, values } of found) {
    const name = `${measurement}: ${subject}`, all = names.get(name) ?? new Map<string, number[]>();
    for (const [what, some] of Object.entries(values)) all.set(what, [...all.get(what) ?? [], ...some]);
    names.set(name, all);
  }
  for (const [name, values] of names) {
    console.log(name);
    for (const [what, all] of values) {
      const at = (share: number) => quantile(all, share).toFixed(3);
      console.log(
        `  ${what.padEnd(12)} p50 ${at(0.5)} ms   p99 ${at(0.99)}   from ${at(0)} to ${at(1)}   (${all.length})`,
      );
    }
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

const flag = { type: "boolean", default: false } as const;
const { values: { quick, smoke, json }, positionals: [only] } = parseArgs({
  allowPositionals: true,
  options: { quick: flag, smoke: flag, json: { type: "string" } },
});
await main(only, smoke ? SMOKE : quick ? QUICK : FULL, json);
