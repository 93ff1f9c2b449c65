/**
 * How long a site takes from the request until it is active, step by step, where everything takes as long as it was measured
 * to on a real cluster: `npm run ways -- [--factor F]`, 1 unless told: about two minutes.
 *
 * What the control plane itself takes (queries, looks at the cluster) is not scaled, so it weighs more with a small factor.
 * Times stand as they were, and divided by the factor beside it.
 */
import { parseArgs } from "node:util";
import { short, table } from "#test/bench/figures.ts";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { MINUTE } from "#lib/base/time.ts";
import { query } from "#test/support/bench/query.ts";
import { until } from "#test/support/until.ts";
import { type Timed, timeSteps } from "#test/support/bench/steps.ts";

/** Each brings a new site about, and gives back its spoke. */
const WAYS: Readonly<Record<string, (bench: Bench, hub: string) => Promise<string>>> = {
  "by the install Job": (bench, hub) => bench.spoke(hub, "by-job"),
  "from a template": async (bench, hub) => {
    await templateOf(bench); // the first spoke has wished for it
    return await bench.spoke(hub, "from-template");
  },
};

async function main(factor: number): Promise<void> {
  const bench = await openBench({ replicas: 1, delayMs: 0, measured: factor, env: { TEMPLATES: "on" } });
  try {
    const hub = await bench.hub("north");
    for (const [way, make] of Object.entries(WAYS)) {
      const spoke = await make(bench, hub);
      print(way, await timeSteps(bench, spoke, "provision", 5 * MINUTE * Math.max(factor, 1)), factor);
    }
  } finally {
    await bench.close();
  }
}

async function templateOf(bench: Bench): Promise<void> {
  await until(
    async () => (await query(bench.db, "select 1 from templates where state = 'ready'")).length > 0,
    5 * MINUTE,
  );
}

function print(way: string, { seconds, steps }: Timed, factor: number): void {
  const row = (name: string, took: number) => [name, short(took), short(took / factor)];
  const rows = steps.map((step) => row(step.name, step.seconds));
  console.log(table([[way, "seconds", "at full length"], ...rows, row("from the request", seconds)]));
}

const { values } = parseArgs({ options: { factor: { type: "string", default: "1" } } });
await main(Number(values.factor));
