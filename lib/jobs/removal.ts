/** Finds the removal job of a hub or spoke, and starts its next attempt early. */
import { sql } from "kysely";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { toJob } from "#lib/jobs/store.ts";

export type RemovalSubject = { readonly federationId: string } | { readonly spokeId: string };

/** The minimum number of seconds between an attempt and a retry that a user requests. */
const MIN_SECONDS = 60;

export async function findLastRemoval(rows: RowQueries, subject: RemovalSubject): Promise<Job | null> {
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

/** Starts the next attempt of a removal now, unless the last attempt ended less than a minute ago. */
export async function startNextRemovalAttempt(tx: Tx, { id }: Job): Promise<void> {
  const { numUpdatedRows } = await tx.updateTable("jobs").set({ runAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).where("state", "=", "queued").where("runAt", ">", sql<Date>`wheelwright_now()`)
    .where("updatedAt", "<", sql<Date>`wheelwright_now() - ${MIN_SECONDS}::integer * interval '1 second'`)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) tx.wakes.add("jobs");
}

/** Cancels running jobs of an abandoned hub or spoke. A replica that runs such a job stops at its next write. */
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
