/** Reads from the API how long each step of an operation took. */
import type { Bench } from "#test/support/bench/bench.ts";
import { requestUntilFinal } from "#test/support/bench/client.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { until } from "#test/support/until.ts";
import { SECOND } from "#lib/base/time.ts";

export interface TimedStep {
  readonly name: string;
  readonly seconds: number;
}

export interface TimedOperation {
  /** The time from the operation's request to its end, in seconds. */
  readonly seconds: number;
  readonly steps: readonly TimedStep[];
}

/** Returns how long each step took in the spoke's last operation of this kind. Waits up to `most` ms until the
 * operation succeeds. */
export async function readStepTimes(
  bench: Bench,
  spokeId: string,
  kind: string,
  most: number,
): Promise<TimedOperation> {
  const last = "select id, state, failure from jobs where spoke_id = $1 and kind = $2 order by seq desc limit 1";
  const job = await until(async () => {
    const [row] = await queryRows(bench.db, last, [spokeId, kind]);
    return !["queued", "running"].includes(row?.state ?? "queued") && row;
  }, most);
  if (job.state !== "succeeded") throw new Error(`${kind} ended as ${job.state}: ${JSON.stringify(job.failure)}`);
  const { body } = await requestUntilFinal(bench, "GET", `/api/operations/${job.id}`);
  const between = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / SECOND;
  return {
    seconds: between(body.createdAt, body.finishedAt),
    steps: body.steps.map(({ name, startedAt, finishedAt }: Record<string, string>) => ({
      name,
      seconds: between(startedAt!, finishedAt!),
    })),
  };
}
