/** Finds and speeds up removals of hubs and spokes. */
import { sql } from "kysely";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { toJob } from "#lib/jobs/store.ts";

export type RemovalSubject = { readonly federationId: string } | { readonly spokeId: string };

/** Seconds after an attempt in which a repeated request does not start the next one early. */
const MIN_SECONDS = 60;

export async function findLastRemoval(rows: Rows, subject: RemovalSubject): Promise<Job | null> {
  const operations = rows.selectFrom("jobs").selectAll().where("visible", "=", true);
  const removals = "spokeId" in subject
    ? operations.where("spokeId", "=", subject.spokeId).where("kind", "=", "remove")
    : operations.where("federationId", "=", subject.federationId).where("spokeId", "is", null).where(
      "kind",
      "=",
      "remove-hub",
    );
  const row = await removals.orderBy("seq", "desc").limit(1).executeTakeFirst();
  return row ? toJob(row) : null;
}

/** Makes the next attempt due now, unless the last one ended less than a minute ago. */
export async function retryRemovalSoon(tx: Tx, { id }: Job): Promise<void> {
  const { numUpdatedRows } = await tx.updateTable("jobs").set({ runAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).where("state", "=", "queued").where("runAt", ">", sql<Date>`wheelwright_now()`)
    .where("updatedAt", "<", sql<Date>`wheelwright_now() - ${MIN_SECONDS}::integer * interval '1 second'`)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) tx.wakes.add("jobs");
}

/** Cancels running jobs of an abandoned subject. The holders detect the lost fence at their next write. */
export async function cancelRunningJobs(tx: Tx, jobs: readonly Job[]): Promise<Job[]> {
  const ended: Job[] = [];
  for (const job of jobs) {
    const row = await tx.updateTable("jobs")
      .set({ state: "cancelled", holder: null, finishedAt: sql<Date>`wheelwright_now()` })
      .where("id", "=", job.id).where("state", "=", "running").returningAll().executeTakeFirst();
    if (row) tx.wakes.add("jobs");
    ended.push(row ? toJob(row) : job);
  }
  return ended;
}
