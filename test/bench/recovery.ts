/** Measures how long a job has no holder: `npm run bench -- recovery [--kills N] [--stops N]`. The defaults are 50 kills and
 * 20 stops.
 *
 * Stops an install in the middle of a step and kills or stops its holder. Measures from the signal to the next
 * holder's claim, as recorded in the database. Prints the median, 99th percentile and maximum, separately for kills
 * and stops. Prints the same from the last heartbeat, for which the limit is six seconds. */
import { parseArgs } from "node:util";
import { SECOND, sleep } from "#lib/base/time.ts";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { until } from "#test/support/until.ts";
import { queryRows } from "#test/support/bench/query.ts";

const NEVER = 60 * 60 * 1000; // milliseconds until an object is ready: the highest value allowed
const STEP = "database";

interface Sample {
  readonly fromSignal: number;
  readonly fromBeat: number;
}

async function main(kills: number, stops: number): Promise<void> {
  const bench = await openBench({ replicas: 3, delayMs: NEVER });
  try {
    const spoke = await bench.spoke(await startHub(bench), "algebra");
    await bench.caught(spoke, STEP);
    printSamples("killed", await repeat(bench, spoke, kills, "SIGKILL"));
    printSamples("stopped", await repeat(bench, spoke, stops, "SIGSTOP"));
  } finally {
    await bench.close();
  }
}

/** Creates a hub and waits until it is active. A hub needs no ready object. */
async function startHub(bench: Bench): Promise<string> {
  const hub = await bench.hub("math");
  await until(async () => (await queryRows(bench.db, "select state from federations"))[0].state === "active");
  return hub;
}

async function repeat(bench: Bench, spoke: string, times: number, signal: "SIGKILL" | "SIGSTOP"): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let i = 0; i < times; i++) {
    const caught = await bench.caught(spoke, STEP);
    await checkRecords(bench);
    await sleep(Math.random() * SECOND); // otherwise the signal would always follow a heartbeat
    const at = Date.now();
    if (signal === "SIGKILL") await caught.holder.kill();
    else caught.holder.tell(signal);
    const claim = await bench.takeover(caught);
    samples.push({ fromSignal: claim.at - at, fromBeat: claim.silence! });
    if (signal === "SIGKILL") await caught.holder.start();
    else {
      caught.holder.tell("SIGCONT");
      await until(() => caught.holder.log().some((line) => isLoss(line.message, line["fence"], caught.fence)));
    }
  }
  return samples;
}

function isLoss(message: string, fence: unknown, ours: number): boolean {
  return message.startsWith("Released an operation") && Number(fence) === ours;
}

/** Waits until each replica has had heartbeats long enough to take over jobs. */
async function checkRecords({ db, replicas }: Bench): Promise<void> {
  const ids = replicas.map(({ id }) => id);
  await until(async () => {
    const rows = await queryRows(
      db,
      `select id from bench_beats where id = any($1) and at > clock_timestamp() - interval '5 seconds'
       group by 1 having count(*) >= 5`,
      [ids],
    );
    return rows.length === ids.length;
  }, 60_000);
}

function printSamples(what: string, samples: readonly Sample[]): void {
  if (samples.length === 0) return;
  for (const from of ["fromSignal", "fromBeat"] as const) {
    const sorted = samples.map((sample) => sample[from]).sort((a, b) => a - b);
    const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)]!);
    const name = from === "fromSignal" ? "from the signal" : "from the last beat";
    console.log(`${what} ${samples.length} times, ${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`);
  }
}

const { values } = parseArgs({ options: { kills: { type: "string" }, stops: { type: "string" } } });
await main(Number(values.kills ?? 50), Number(values.stops ?? 20));
