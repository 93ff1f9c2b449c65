/** Locks and updates the hub or spoke that a job works on. Always lock the hub or spoke before the job. */
import { sql } from "kysely";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { SPOKE_OPERATIONS } from "#lib/operations/table.ts";

export interface JobSubject {
  readonly federationId: string;
  readonly spokeId: string | null;
  readonly state: string;
}

/** Locks the row of the job's hub or spoke. Returns null if the job is hidden from users or has neither. */
export async function lockSubject(
  tx: Tx,
  { visible, federationId, spokeId }: Pick<Job, "visible" | "federationId" | "spokeId">,
): Promise<JobSubject | null> {
  if (!visible) return null;
  if (spokeId !== null) {
    const row = await tx.selectFrom("spokes").select(["federationId", "state"]).where("id", "=", spokeId)
      .forNoKeyUpdate().executeTakeFirst();
    return row ? { federationId: row.federationId, spokeId, state: row.state } : null;
  }
  if (federationId === null) return null;
  const row = await tx.selectFrom("federations").select("state").where("id", "=", federationId)
    .forNoKeyUpdate().executeTakeFirst();
  return row ? { federationId, spokeId: null, state: row.state } : null;
}

/** The states that an operation ends. */
const IN_PROGRESS = new Set<string>(
  Object.values(SPOKE_OPERATIONS).flatMap((each) => "transition" in each ? [each.transition.through] : []),
);

/**
 * Stores a failure reason in the row of a hub or spoke. If its state is transitional, also sets the state to failed.
 * Changes nothing if the hub or spoke has been removed or is being removed. Returns the resulting state.
 */
export async function markSubjectFailed(
  tx: Tx,
  { federationId, spokeId, state }: JobSubject,
  reason: string,
): Promise<string> {
  if (state === "removing" || state === "removed") return state;
  const failed = IN_PROGRESS.has(state);
  const columns = {
    stateReason: reason,
    updatedAt: sql<Date>`wheelwright_now()`,
    ...(failed && { state: "failed" as const }),
  };
  if (spokeId === null) await tx.updateTable("federations").set(columns).where("id", "=", federationId).execute();
  else {
    const spokeColumns = { ...columns, health: "unknown" as const };
    await tx.updateTable("spokes").set(spokeColumns).where("id", "=", spokeId).execute();
  }
  return failed ? "failed" : state;
}
