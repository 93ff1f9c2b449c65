/** What an operation is about: a spoke, or a hub. Its row is locked before the job's, as requests do it too. */
import { sql } from "kysely";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";

export interface Subject {
  readonly federationId: string;
  readonly spokeId: string | null;
  readonly state: string;
}

/** Null for a job that people do not see, or that is about neither. */
export async function lockSubject(
  tx: Tx,
  { visible, federationId, spokeId }: Pick<Job, "visible" | "federationId" | "spokeId">,
): Promise<Subject | null> {
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

const IN_PROGRESS = ["provisioning", "suspending", "resuming", "updating"] as const;

/** Gives back the state that it is in then. The reason is written in any case, but for what is being removed, or is gone. */
export async function markSubjectFailed(
  tx: Tx,
  { federationId, spokeId, state }: Subject,
  reason: string,
): Promise<string> {
  if (state === "removing" || state === "removed") return state;
  const failed = IN_PROGRESS.some((each) => each === state);
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
