/** Measures the cost of telemetry: `npm run bench -- telemetry [--quick]`.
 *
 * The program runs without metrics and traces, with either, and with both, as processes on one database that take
 * turns. A second run without both (`again`) shows the random variation on this machine. All requests are traced and
 * sent to a collector that discards them. Throughput may be 5% lower, and memory may grow by 15 MB. A read of the
 * metrics with every possible route, step and status may take 10 ms of CPU time. Compare only ratios of one run. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { OPERATIONS } from "#lib/operations/table.ts";
import { HTTP_METHODS } from "#lib/http/endpoint.ts";
import { createTelemetry, type Telemetry } from "#lib/base/telemetry.ts";
import { METRIC_DEFINITIONS } from "#lib/metrics/definitions.ts";
import { createMetricsRegistry, type GaugeValues } from "#lib/metrics/registry.ts";
import { manifest } from "#src/manifest.ts";
import type { MeasuredServer } from "#test/bench/servers.ts";
import { formatNumber, formatSpread, median, ratioOf, renderTable } from "#test/bench/statistics.ts";
import { type RequestLoad, runClosed, sendOnce, withConnections } from "#test/bench/load.ts";
import { INSPECT_FLAG, readMemory } from "#test/bench/memory.ts";
import { readCpuTime } from "#test/bench/processor.ts";
import { renderRequest } from "#test/bench/requests-rows.ts";
import { startServers } from "#test/bench/start-servers.ts";
import { addHubAdmin, createTestToken, createTestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";

const CONNECTIONS = 32, SPOKES = 50;
const FEWEST = 0.95, MOST_MEMORY = 15, MOST_LOOK = 10; // ratio of requests, MB, milliseconds

const TRACES = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:19466" };

/** The variables of each configuration. The first one is the baseline. */
const WAYS = {
  without: {},
  again: {},
  metrics: { METRICS_PORT: "19464" },
  traces: TRACES,
  both: { METRICS_PORT: "19465", ...TRACES },
} as const;
type Way = keyof typeof WAYS;
const hasTarget = (name: Way) => name !== "without" && name !== "again";
const NAMES = Object.keys(WAYS) as Way[];

async function main(line: readonly string[]): Promise<void> {
  const flag = { type: "boolean", default: false } as const;
  const { values: { quick, smoke } } = parseArgs({ args: [...line], options: { quick: flag, smoke: flag } });
  const effort = smoke
    ? { rounds: 1, ms: 50, warmUp: 10 }
    : quick
    ? { rounds: 8, ms: 400, warmUp: 1500 }
    : { rounds: 30, ms: 1000, warmUp: 5000 };
  await look();
  const stage = await startServers<Way | "collector">();
  try {
    const { db } = stage,
      person = await createTestUser(db, "hub-admin"),
      { plaintext } = await createTestToken(db, person, "cli");
    const hub = await insertHub(db, person.id, "north"), spokes: string[] = [];
    await addHubAdmin(db, person, hub);
    for (let i = 0; i < SPOKES; i++) spokes.push(await insertSpoke(db, person.id, hub, `s${i}`));
    await stage.start("collector", [fileURLToPath(new URL("./trace-sink.ts", import.meta.url)), "19466"], {});
    const contenders: MeasuredServer<Way>[] = [];
    for (const name of NAMES) {
      contenders.push(await stage.startOurs(name, WAYS[name], [INSPECT_FLAG]) as MeasuredServer<Way>);
    }
    const loads: Readonly<Record<string, RequestLoad>> = {
      "GET one spoke": loadOf(spokes.map((id) => `/api/spokes/${id}`), plaintext),
      "GET a hub's 50 spokes": loadOf([`/api/federations/${hub}/spokes?limit=50`], plaintext),
    };
    for (const [label, load] of Object.entries(loads)) await compare(label, contenders, load, effort);
    await remember(contenders);
  } finally {
    await stage.close();
  }
}

function loadOf(paths: readonly string[], token: string): RequestLoad {
  const requests = paths.map((path) => renderRequest({ method: "GET", path }, token));
  let n = 0;
  return {
    next: () => requests[n++ % requests.length]!,
    check: ({ status, body }) => {
      if (status !== 200) throw new Error(`It answered ${status}: ${body.toString()}`);
    },
  };
}

interface Effort {
  readonly rounds: number;
  readonly ms: number;
  /** Requests before the measurements, so that code is compiled. */
  readonly warmUp: number;
}

async function compare(
  label: string,
  contenders: readonly MeasuredServer<Way>[],
  load: RequestLoad,
  { rounds, ms, warmUp }: Effort,
): Promise<void> {
  const closed = ({ port }: MeasuredServer, length: { ms: number; requests?: number }) =>
    withConnections(port, CONNECTIONS, (connections) => runClosed(connections, length, load));
  for (const each of contenders) await closed(each, { ms: 120_000, requests: warmUp });
  const rates: Record<string, number[]> = {}, processor: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    // Reverses the order in every other round, because the machine may be busier later in a round.
    for (const each of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const before = await readCpuTime(each.pid), answered = await closed(each, { ms });
      (rates[each.name] ??= []).push(answered.requests / answered.ms * 1000);
      (processor[each.name] ??= []).push((await readCpuTime(each.pid) - before) / answered.requests);
    }
  }
  const [first] = NAMES,
    rows = NAMES.map((name) => {
      const ratio = ratioOf(rates[name]!, rates[first!]!), cost = ratioOf(processor[name]!, processor[first!]!);
      const figures = [formatNumber(median(rates[name]!)), formatSpread(ratio), formatSpread(cost)];
      return [name, ...figures, hasTarget(name) ? verdict(ratio.median >= FEWEST) : ""];
    });
  console.log(`\n${label}\n${renderTable([["", "requests/s", "ratio", "CPU ratio", ""], ...rows])}`);
}

/** Measures memory after the same work and some reads of the metrics. */
async function remember(contenders: readonly MeasuredServer<Way>[]): Promise<void> {
  for (let i = 0; i < 3; i++) {
    for (const { METRICS_PORT: port } of [WAYS.metrics, WAYS.both]) {
      await sendOnce(Number(port), renderRequest({ method: "GET", path: "/metrics" }, ""));
    }
  }
  const MB = 2 ** 20, memory = await Promise.all(contenders.map(readMemory)), [first] = memory;
  const rows = memory.map(({ rss, held }, i) => {
    const more = (held - first!.held) / MB;
    const figures = [
      formatNumber(rss / MB),
      formatNumber((rss - first!.rss) / MB),
      formatNumber(held / MB),
      formatNumber(more),
    ];
    return [contenders[i]!.name, ...figures, hasTarget(contenders[i]!.name) ? verdict(more <= MOST_MEMORY) : ""];
  });
  console.log(`\nMemory, MB\n${renderTable([["", "RSS", "growth", "heap", "growth", ""], ...rows])}`);
}

/** Measures a read with every possible series: more than any process will ever have. */
async function look(): Promise<void> {
  const registry = createMetricsRegistry(), telemetry = createTelemetry([registry.observer]);
  await fill(telemetry);
  const readings = Object.fromEntries(METRIC_DEFINITIONS.map(({ name }) => [name, 0])) as unknown as GaugeValues;
  const times: number[] = [];
  let text = "";
  for (let i = 0; i < 30; i++) {
    const before = process.cpuUsage();
    text = await registry.text(readings);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  const lines = text.split("\n").length, ms = median(times.slice(10));
  console.log(
    `A look at the metrics, ${lines} lines: ${formatNumber(ms)} ms of processor time ${verdict(ms <= MOST_LOOK)}`,
  );
}

async function fill(telemetry: Telemetry): Promise<void> {
  const done = () => Promise.resolve();
  for (const [route, module] of manifest) {
    for (const method of HTTP_METHODS.filter((method) => module[method])) {
      for (const status of [200, 401, 404]) await telemetry.span("request", { method, route, status }, done);
    }
  }
  for (const { kind: { kind, steps } } of Object.values(OPERATIONS)) {
    for (const outcome of ["succeeded", "failed"]) {
      telemetry.record("operation", { kind, outcome }, 1);
      await telemetry.span("job", { kind }, async (span) => void (span.outcome = outcome));
      for (const { name: step } of steps) {
        await telemetry.span("step", { kind, step }, async (span) => void (span.outcome = outcome));
      }
    }
  }
  for (const verb of ["GET", "POST", "PATCH", "DELETE", "STREAM"]) {
    for (const status of [0, 200, 201, 404, 409, 503]) await telemetry.span("cluster_call", { verb, status }, done);
  }
}

function verdict(good: boolean): string {
  return good ? "good" : "too much";
}

await main(process.argv.slice(2));
