/**
 * Asks for a spoke to be taken back to one of its backups, or to what it was before that. It is an operator's work on the
 * machine's authority, and no request of the API leads here; the operation is done by whichever replica serves.
 */
import type { App } from "#lib/app.ts";
import type { Asker } from "#lib/audit/asker.ts";
import type { Backup } from "#lib/domains/backups/store.ts";
import { requireUsableBackup, restoreError } from "#lib/domains/backups/usable.ts";
import { findRollback } from "#lib/domains/backups/rollback.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { type Acceptance, checkAction } from "#lib/operations/check-action.ts";
import { restore, type RestoreParameters } from "#lib/operations/restore.ts";
import type { Job } from "#lib/jobs/job.ts";
import { enqueueAction, readFacts } from "#lib/domains/spokes/actions.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";

/** To the backup of this id, or the newest; or back. */
export type RestoreRequest = { readonly backupId?: string | undefined } | { readonly back: true };

export interface RestorePlan {
  readonly parameters: RestoreParameters;
  /** Null of the way back. */
  readonly backup: Backup | null;
  /** The version that the site is of then. */
  readonly version: string;
  readonly acceptance: Acceptance;
  /** What is to be known of it, a sentence each. */
  readonly notes: readonly string[];
}

/** Throws Fault conflict `spoke_state`, or a final ClusterError where it cannot be. */
export async function planRestore(rows: Rows, spoke: SpokeRow, request: RestoreRequest): Promise<RestorePlan> {
  const facts = await readFacts(rows, spoke), acceptance = checkAction("restore", facts);
  const describeRestore = (parameters: RestoreParameters) => restore.describe({ ...facts, payload: parameters });
  if ("back" in request) {
    const rollback = await findRollback(rows, spoke), parameters = { back: true } as const;
    if (rollback) {
      return {
        parameters,
        backup: null,
        version: rollback.footing.version,
        acceptance,
        notes: describeRestore(parameters),
      };
    }
    const message = `The spoke ${spoke.slug} has nothing to roll back to`;
    throw restoreError("NoWayBack", message, "It was never restored, or its previous volumes have expired.");
  }
  const backup = await requireUsableBackup(rows, spoke, request.backupId), parameters = { backupId: backup.id };
  return {
    parameters,
    backup,
    version: backup.lmsVersion ?? spoke.lmsVersion,
    acceptance,
    notes: describeRestore(parameters),
  };
}

/** The same, done: the operation that does it. */
export async function requestRestore(
  { db }: Pick<App, "db">,
  requester: Asker,
  id: string,
  request: RestoreRequest,
): Promise<Job> {
  return await db.transact(async (tx) => {
    const before = await lockSpoke(tx, id);
    const { parameters: wish, acceptance } = await planRestore(tx, before, request);
    const [, job] = await enqueueAction(tx, requester, before, acceptance, restore.name, wish);
    return job;
  });
}
