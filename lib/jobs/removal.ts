/** The job that takes a spoke or a hub down: the one that is under way, or how the last one went. */
import { sql } from "kysely";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { toJob } from "#lib/jobs/store.ts";

/** A hub's own, or one of its spokes'. */
export type RemovalSubject = { readonly federationId: string } | { readonly spokeId: string };

/** A second request may hurry the next try, but not so often that trying is all that happens. */
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

/** Has the next try begin now, unless the last one ended a moment ago. */
export async function retrySoon(tx: Tx, { id }: Job): Promise<void> {
  const { numUpdatedRows } = await tx.updateTable("jobs").set({ runAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).where("state", "=", "queued").where("runAt", ">", sql<Date>`wheelwright_now()`)
    .where("updatedAt", "<", sql<Date>`wheelwright_now() - ${MIN_SECONDS}::integer * interval '1 second'`)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) tx.wakes.add("jobs");
}

/**
 * Ends at once what has only been told to stop, because what it is about was given up: its holder finds at its next write
 * that it has lost it, and tells nobody a second time that the thing is removed.
 */
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
