/** Finds past restores of a spoke, and operations that succeeded after them. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { OPERATIONS, type SpokeOperationKind } from "#lib/operations/table.ts";
import { requireJobData } from "#lib/jobs/data.ts";
import type { Job, JobOf } from "#lib/jobs/job.ts";
import { CURRENT_SITE_CONDITION, toJob } from "#lib/jobs/store.ts";

/** The last step of a restore before the site itself is changed. */
const LAST_SAFE_STEP = "volumes";

/** Whether this restore has changed the site. */
export function hasRestoreChangedSite({ finishedSteps }: Pick<Job, "finishedSteps">): boolean {
  return finishedSteps.includes(LAST_SAFE_STEP);
}

/** Returns the last finished restore that changed the spoke's current site, whether or not it succeeded. */
export async function findLastRestore(
  rows: RowQueries,
  spokeId: string,
): Promise<JobOf<typeof OPERATIONS.restore.kind> | null> {
  const row = await selectRestores(rows, spokeId).selectAll().where("state", "in", ["succeeded", "failed", "cancelled"])
    .where(sql<boolean>`${LAST_SAFE_STEP} = any(finished_steps)`).where(CURRENT_SITE_CONDITION).orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ? requireJobData(OPERATIONS.restore.kind, toJob(row)) : null;
}

/** Returns the last restore if it failed and left the site incomplete, so that only another restore can repair it. */
export async function findUnfinishedRestore(rows: RowQueries, spokeId: string): Promise<Job | null> {
  const last = await findLastRestore(rows, spokeId);
  return last && last.state !== "succeeded" ? last : null;
}

/** Returns the IDs of all restores of the spoke that have started. */
export async function listStartedRestores(rows: RowQueries, spokeId: string): Promise<string[]> {
  const found = await selectRestores(rows, spokeId).select("id").where("startedAt", "is not", null).execute();
  return found.map(({ id }) => id);
}

function selectRestores(rows: RowQueries, spokeId: string) {
  return rows.selectFrom("jobs").where("spokeId", "=", spokeId).where("visible", "=", true)
    .where("kind", "=", OPERATIONS.restore.name);
}

/** Whether an operation of this kind has succeeded on the spoke since the given time. */
export async function hasOperationSucceededSince(
  rows: RowQueries,
  spokeId: string,
  kind: SpokeOperationKind,
  since: Date,
): Promise<boolean> {
  const found = await rows.selectFrom("jobs").select("id").where("spokeId", "=", spokeId).where("visible", "=", true)
    .where("kind", "=", kind).where("state", "=", "succeeded").where("finishedAt", ">", since).limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
