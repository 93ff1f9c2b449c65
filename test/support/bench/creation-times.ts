/** Measures the time for each step in each way to create a site, with durations as in a real cluster. */
import { formatNumber, renderTable } from "#test/bench/statistics.ts";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { readStepTimes, type TimedOperation } from "#test/support/bench/steps.ts";
import { until } from "#test/support/until.ts";
import { MINUTE } from "#lib/base/time.ts";

/** Functions that create a spoke, each in a different way. The first function also requests the template. */
const CREATION_METHODS: Readonly<Record<string, (bench: Bench, hub: string) => Promise<string>>> = {
  "by the install Job": (bench, hub) => bench.spoke(hub, "by-job"),
  "from a template": async (bench, hub) => {
    const ready = "select 1 from templates where state = 'ready'";
    await until(async () => (await queryRows(bench.db, ready)).length > 0, 5 * MINUTE);
    return await bench.spoke(hub, "from-template");
  },
};

/** Prints the durations for each way to create a site, and their ratio. `factor` multiplies the simulated durations. */
export async function printCreationTimes(factor: number, tell: (text: string) => void): Promise<void> {
  const bench = await openBench({ replicas: 1, delayMs: 0, measured: factor, env: { TEMPLATES: "on" } });
  try {
    const hub = await bench.hub("north"), all: TimedOperation[] = [];
    for (const [way, make] of Object.entries(CREATION_METHODS)) {
      const timed = await readStepTimes(bench, await make(bench, hub), "provision", 5 * MINUTE * Math.max(factor, 1));
      all.push(timed);
      tell(tableOf(way, timed, factor));
    }
    const [job, template] = all as [TimedOperation, TimedOperation];
    const install = job.steps.find(({ name }) => name === "install")!.seconds;
    tell(
      `a template takes ${formatNumber(template.seconds / job.seconds)} of it, ${
        formatNumber(template.seconds / install)
      } of its Job`,
    );
  } finally {
    await bench.close();
  }
}

function tableOf(way: string, { seconds, steps }: TimedOperation, factor: number): string {
  const row = (name: string, took: number) => [name, formatNumber(took), formatNumber(took / factor)];
  const rows = steps.map((step) => row(step.name, step.seconds));
  return renderTable([[way, "seconds", "at full length"], ...rows, row("from the request", seconds)]);
}
