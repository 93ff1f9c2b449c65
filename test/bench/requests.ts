/** Compares the cost of requests with other servers: `npm run bench -- requests [--quick] [--only NAME]
 * [--json FILE] [--profile DIRECTORY]`.
 *
 * Three servers share one database: Wheelwright; `bare`, which is only hono and the driver; and `fastify`, the same
 * API as a Fastify user would write it. They take turns in each round, so that other load on the machine affects all
 * of them. First, 32 connections send without pause, which shows throughput and CPU time per request. Then requests
 * arrive at a fixed rate that all servers can sustain, which shows how long a client waits. Compare ratios of one run:
 * times depend on the machine and its load. `--profile` makes Wheelwright write a CPU profile. */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { median, percentile } from "#test/bench/statistics.ts";
import {
  type LoadDuration,
  type RequestLoad,
  runClosed,
  runOpen,
  sendOnce,
  withConnections,
} from "#test/bench/load.ts";
import type { HttpReply } from "#test/bench/connection.ts";
import { readCpuTime, readServerCpuTime } from "#test/bench/processor.ts";
import {
  listRequestFigures,
  renderRequestsReport,
  type RequestComparison,
  type RequestMeasurement,
} from "#test/bench/requests-report.ts";
import { renderRequest, REQUEST_ROWS, type RequestRow } from "#test/bench/requests-rows.ts";
import type { MeasuredServer } from "#test/bench/servers.ts";
import type { Figure } from "#test/bench/summary.ts";
import { openRequestBench, type RequestBench, type ServerName } from "#test/bench/requests-scene.ts";

const CONNECTIONS = 32;
const PACE = 0.6; // fraction of the slowest contender's throughput, which all of them can sustain

/** The rounds of each loop, and the milliseconds of each round. */
interface Effort {
  readonly hubs: number;
  /** The warm-up has a fixed number of requests, so that code is compiled before measurements, however slow the
   * machine. */
  readonly warmUp: LoadDuration;
  readonly closed: { readonly rounds: number; readonly ms: number };
  readonly open: { readonly rounds: number; readonly ms: number };
}

const FULL: Effort = {
  hubs: 100,
  warmUp: { ms: 120_000, requests: 5000 },
  closed: { rounds: 7, ms: 4000 },
  open: { rounds: 5, ms: 4000 },
};
const QUICK: Effort = {
  hubs: 100,
  warmUp: { ms: 6000, requests: 3000 },
  closed: { rounds: 5, ms: 600 },
  open: { rounds: 2, ms: 500 },
};

/** Checks only that all servers give the same answers. */
const SMOKE: Effort = {
  hubs: 2,
  warmUp: { ms: 3000, requests: 10 },
  closed: { rounds: 1, ms: 50 },
  open: { rounds: 1, ms: 50 },
};

async function main(line: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...line],
    options: {
      quick: { type: "boolean", default: false },
      smoke: { type: "boolean", default: false },
      only: { type: "string" },
      json: { type: "string" },
      profile: { type: "string" },
    },
  });
  const rows = REQUEST_ROWS.filter(({ name }) => values.only === undefined || name === values.only);
  if (rows.length === 0) throw new Error(`--only must be one of ${REQUEST_ROWS.map(({ name }) => name).join(", ")}`);
  const effort = values.smoke ? SMOKE : values.quick ? QUICK : FULL, results: object[] = [], figures: Figure[] = [];
  const scene = await openRequestBench(effort.hubs, values.profile);
  try {
    for (const row of rows) {
      const { pace, contest } = await measure(scene, row, effort);
      console.log(renderRequestsReport(row.label, contest, pace));
      results.push({ name: row.name, pace, contest });
      figures.push(...listRequestFigures(row.label, row.status === 201, contest));
      // Writes after each row, so that an interrupted run keeps its results.
      if (values.json) {
        await writeFile(values.json, JSON.stringify({ figures, effort, connections: CONNECTIONS, results }, null, 1));
      }
    }
  } finally {
    await scene.close();
  }
}

interface Side {
  readonly contender: MeasuredServer<ServerName>;
  readonly load: RequestLoad;
  readonly measured: { readonly [M in keyof RequestMeasurement]: number[] };
}

async function measure(
  scene: RequestBench,
  row: RequestRow,
  effort: Effort,
): Promise<{ pace: number; contest: RequestComparison }> {
  const sides = scene.contenders.map((contender): Side => ({
    contender,
    load: loadOf(scene, row, contender.name),
    measured: { rate: [], server: [], database: [], client: [], p50: [], p99: [] },
  }));
  await compareAnswers(row, sides);
  for (const { contender, load } of sides) await closed(contender, effort.warmUp, load);
  for (let round = 0; round < effort.closed.rounds; round++) {
    for (const side of sides) {
      if (row.after) await scene.run(row.after);
      await measureClosed(scene, side, effort.closed.ms);
    }
  }
  const pace = PACE * Math.min(...sides.map(({ measured }) => median(measured.rate)));
  for (let round = 0; round < effort.open.rounds; round++) {
    for (const { contender, load, measured } of sides) {
      if (row.after) await scene.run(row.after);
      const waited = await withConnections(
        contender.port,
        CONNECTIONS,
        (connections) => runOpen(connections, { rate: pace, ms: effort.open.ms }, load),
      );
      measured.p50.push(percentile(waited, 0.5));
      measured.p99.push(percentile(waited, 0.99));
    }
  }
  const contest = Object.fromEntries(sides.map(({ contender, measured }) => [contender.name, measured]));
  return { pace, contest: contest as unknown as RequestComparison };
}

const closed = (contender: MeasuredServer<ServerName>, length: LoadDuration, load: RequestLoad) =>
  withConnections(contender.port, CONNECTIONS, (connections) => runClosed(connections, length, load));

async function measureClosed(
  { postmaster }: RequestBench,
  { contender, load, measured }: Side,
  ms: number,
): Promise<void> {
  const used = async () => [await readCpuTime(contender.pid), await readServerCpuTime(postmaster)] as const;
  const before = await used(), own = process.cpuUsage();
  const answered = await closed(contender, { ms }, load), { requests } = answered;
  const { user, system } = process.cpuUsage(own);
  const after = await used();
  measured.rate.push(requests / answered.ms * 1000);
  measured.server.push((after[0] - before[0]) / requests);
  measured.database.push((after[1] - before[1]) / requests);
  measured.client.push((user + system) / 1000 / requests);
}

/** Requests the hubs in turn, each as its own administrator. */
function loadOf({ places }: RequestBench, row: RequestRow, name: ServerName): RequestLoad {
  const responses = new Map<number, Buffer>(), different = places.length * places[0]!.spokes.length;
  let n = 0;
  const make = (i: number) => {
    const place = places[i % places.length]!;
    return renderRequest(row.request(place, row.status === 201 ? i : Math.floor(i / places.length), name), place.token);
  };
  return {
    next() {
      const i = n++;
      if (row.status === 201) return make(i); // each request creates another spoke
      const found = responses.get(i % different);
      if (found) return found;
      const made = make(i % different);
      responses.set(i % different, made);
      return made;
    },
    check: ({ status, body }) => {
      if (status !== row.status) throw new Error(`${name} answered ${row.name} with ${status}: ${body.toString()}`);
    },
  };
}

/** Throws if the contenders' responses differ, because they would not be comparable. */
async function compareAnswers(row: RequestRow, sides: readonly Side[]): Promise<void> {
  const shapes = new Map<string, string>();
  for (const { contender: { name, port }, load } of sides) {
    const reply: HttpReply = await sendOnce(port, load.next());
    load.check(reply);
    const body = JSON.parse(reply.body.toString()), items = row.count(body);
    if (items !== row.items) throw new Error(`${name} answered ${row.name} with ${items} items, not ${row.items}`);
    // A created spoke has its own ID and times.
    shapes.set(name, JSON.stringify(sortKeys(row.status === 201 ? Object.keys(body).sort() : body)));
  }
  if (new Set(shapes.values()).size > 1) {
    throw new Error(`The answers to ${row.name} differ:\n${[...shapes].map(String).join("\n")}`);
  }
}

/** The order of an object's keys is no difference. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort().map(([key, each]) => [key, sortKeys(each)]));
}

await main(process.argv.slice(2));
