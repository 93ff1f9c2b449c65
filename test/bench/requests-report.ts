/** Prints the table of the request bench, and checks its targets. */
import { formatNumber, formatSpread, ratioOf, renderTable, type Spread, spreadOf } from "#test/bench/statistics.ts";

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

export interface TargetCheck {
  readonly what: string;
  /** The ratio of Wheelwright to the peer. */
  readonly ratio: Spread;
  readonly target: string;
  readonly held: boolean;
}

const OF_BARE = 0.9, OF_FASTIFY = 1.8, LATE = 1.2;

export function checkTargets({ wheelwright, bare, fastify }: RequestComparison): readonly TargetCheck[] {
  const atLeast = (what: string, ratio: Spread, least: number): TargetCheck => (
    { what, ratio, target: `>= ${least}`, held: ratio.median >= least }
  );
  const late = ratioOf(wheelwright.p99, bare.p99);
  return [
    atLeast("throughput of bare's", ratioOf(wheelwright.rate, bare.rate), OF_BARE),
    atLeast("throughput of Fastify's", ratioOf(wheelwright.rate, fastify.rate), OF_FASTIFY),
    { what: "p99 of bare's", ratio: late, target: `<= ${LATE}`, held: late.median <= LATE },
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
  const verdicts = checkTargets(contest).map(({ what, ratio, target, held }) =>
    `  ${held ? "holds" : "MISSED"}: ${formatSpread(ratio)} ${what}, target ${target}`
  );
  const title = `${label} (p50 and p99 in ms at ${formatNumber(pace)} requests/s)`;
  return [title, renderTable([HEADS, ...lines]), ...verdicts, ""].join("\n");
}
