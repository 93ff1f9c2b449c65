/** Renders the results of all comparisons as Markdown, for the README. */
import { formatNumber, formatSpread, ratioOf, type Spread, spreadOf } from "#test/bench/statistics.ts";

/** A measured figure, compared with a limit or with other programs. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** Numbers, one for each round. */
  readonly values: readonly number[];
  /** The highest accepted value. */
  readonly goal?: number;
  readonly peers?: readonly FigurePeer[];
}

interface FigurePeer {
  readonly name: string;
  /** The peer's numbers in the same rounds. */
  readonly values: readonly number[];
  /** The highest accepted ratio of Wheelwright's number to the peer's. */
  readonly goal?: number;
}

/** The file that a benchmark writes with `--json`. Other keys hold the numbers behind its own table. */
export interface BenchmarkResults {
  readonly figures: readonly Figure[];
}

/** The commit, time and machine of a run. */
export interface BenchmarkRun {
  readonly commit: string;
  readonly date: string;
  readonly runtime: string;
  readonly cores: number;
  /** The load average (processes that run or wait to run) when the run began and ended. */
  readonly load: readonly [before: number, after: number];
}

const HEADS = ["Measured", "Wheelwright", "Compared with", "Ratio", "Goal"];

/** Returns the table with a line about the run. */
export function renderSummary(run: BenchmarkRun, figures: readonly Figure[]): string {
  const [before, after] = run.load.map(formatNumber);
  const rows = figures.flatMap(({ name, unit, values, goal, peers = [] }) => {
    const own = spreadOf(values), heads = [name, `${formatSpread(own)} ${unit}`.trimEnd()];
    if (peers.length === 0) return [[...heads, "", "", formatGoal(own, goal)]];
    return peers.map((peer, i) => {
      const ratio = ratioOf(values, peer.values);
      return [...i === 0 ? heads : ["", ""], peer.name, formatSpread(ratio), formatGoal(ratio, peer.goal)];
    });
  });
  const lines = [HEADS, HEADS.map(() => "---"), ...rows].map((cells) => `|${cells.join(" | ").trimEnd()}`);
  return [
    `Commit ${run.commit}, ${run.date}, ${run.runtime}, ${run.cores} cores, load average ${before} to ${after}. ` +
    "Each cell has the median and, in parentheses, the lowest and the highest round.",
    "",
    ...lines,
  ].join("\n");
}

function formatGoal({ median }: Spread, goal: number | undefined): string {
  if (goal === undefined) return "";
  return `≤ ${goal}${median <= goal ? "" : ", missed"}`;
}
