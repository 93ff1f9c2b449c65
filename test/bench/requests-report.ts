/** Prints the table of the request bench, and lists its figures for the summary. */
import { formatNumber, formatSpread, ratioOf, renderTable, spreadOf } from "#test/bench/statistics.ts";
import type { Figure } from "#test/bench/summary.ts";

/** The results of one contender for one kind of request, with a number for each round. */
export interface RequestMeasurement {
  /** Requests per second. */
  readonly rate: readonly number[];
  /** Milliseconds of CPU time per request: of the server, of PostgreSQL, and of the load generator. */
  readonly server: readonly number[];
  readonly database: readonly number[];
  readonly client: readonly number[];
  /** Milliseconds from when a request was due until its response, at the fixed rate. */
  readonly p50: readonly number[];
  readonly p99: readonly number[];
}

export type RequestComparison = Readonly<Record<"wheelwright" | "bare" | "fastify", RequestMeasurement>>;

/** The highest accepted ratios of the server's CPU time. */
const READ_GOALS = { bare: 1.25, fastify: 0.6 }, WRITE_GOALS = { bare: 1.5, fastify: undefined };

/** Returns the figures of a row for the summary. A row that creates something has other goals. */
export function listRequestFigures(label: string, writes: boolean, comparison: RequestComparison): readonly Figure[] {
  const { wheelwright, bare, fastify } = comparison, goals = writes ? WRITE_GOALS : READ_GOALS;
  const figure = (what: string, unit: string, key: "server" | "database" | "rate"): Figure => {
    const goalOf = (peer: "bare" | "fastify") => key === "server" && goals[peer] !== undefined && { goal: goals[peer] };
    return {
      name: `${label}: ${what}`,
      unit,
      values: wheelwright[key],
      peers: [
        { name: "bare hono", values: bare[key], ...goalOf("bare") },
        { name: "Fastify", values: fastify[key], ...goalOf("fastify") },
      ],
    };
  };
  return [
    figure("CPU time of the server", "ms", "server"),
    figure("CPU time of PostgreSQL", "ms", "database"),
    figure("requests per second", "", "rate"),
  ];
}

const HEADS = [
  "",
  "requests/s",
  "of bare",
  "of Fastify",
  "server ms",
  "of bare",
  "PostgreSQL ms",
  "client ms",
  "p50",
  "p99",
];

export function renderRequestsReport(label: string, contest: RequestComparison, pace: number): string {
  const { bare, fastify } = contest;
  const ratio = (these: readonly number[], those: readonly number[]) => formatNumber(ratioOf(these, those).median);
  const lines = Object.entries(contest).map(([name, one]: [string, RequestMeasurement]) => [
    `  ${name}`,
    formatSpread(spreadOf(one.rate)),
    ratio(one.rate, bare.rate),
    ratio(one.rate, fastify.rate),
    formatSpread(spreadOf(one.server)),
    ratio(one.server, bare.server),
    formatSpread(spreadOf(one.database)),
    formatNumber(spreadOf(one.client).median),
    formatSpread(spreadOf(one.p50)),
    formatSpread(spreadOf(one.p99)),
  ]);
  const title = `${label} (p50 and p99 in ms at ${formatNumber(pace)} requests/s)`;
  return [title, renderTable([HEADS, ...lines]), ""].join("\n");
}
