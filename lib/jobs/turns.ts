/**
 * Limits how many operations of large bulk actions run in a cluster at the same time. An operation without a turn does not
 * start. When an operation ends, a database trigger passes its turn to the next one in the cluster.
 */
import { sql } from "kysely";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job, TurnRule } from "#lib/jobs/job.ts";

/** An SQL condition: whether the job, or an older operation on its spoke, still waits for a turn. */
export const WAITS_FOR_TURN = `exists (
  select from turns where turns.spoke_id = jobs.spoke_id and not turns.granted and turns.seq <= jobs.seq)`;

/** Lets the new job start only when it has a turn, which it gets at once if there are fewer than the limit. */
export async function waitForTurn(
  tx: Tx,
  { id, seq, spokeId }: Pick<Job, "id" | "seq" | "spokeId">,
  { cluster, limit }: TurnRule,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`wheelwright: turns in ${cluster}`}, 0))`.execute(tx);
  // A separate statement, because a statement that waited for the lock would not see rows committed during the wait.
  await sql`insert into turns (job_id, spoke_id, cluster, seq, granted)
    select ${id}, ${spokeId}, ${cluster}::text, ${seq}::bigint,
      (select count(*) from turns where cluster = ${cluster} and granted) < ${limit}::integer`.execute(tx);
}
