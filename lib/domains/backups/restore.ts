/** Requests restores from backups, and rollbacks of restores. Only commands on the server call these functions. */
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { Refusal } from "#lib/base/refusals.ts";
import type { Backup } from "#lib/domains/backups/store.ts";
import { requireUsableBackup } from "#lib/domains/backups/usable.ts";
import { findRollbackVolumes } from "#lib/domains/backups/retained-pvcs.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { type AcceptedAction, requireActionAllowed } from "#lib/operations/check-action.ts";
import { restore, type RestoreParameters } from "#lib/operations/restore.ts";
import type { Job } from "#lib/jobs/job.ts";
import { enqueueSpokeAction, readSpokeActionFacts } from "#lib/domains/spokes/actions.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";

/** The data to restore: the backup with this ID (default: the newest backup) or, for a rollback, the previous data. */
export type RestoreTarget = { readonly backupId?: string | undefined } | { readonly rollback: true };

export interface RestorePlan {
  readonly parameters: RestoreParameters;
  /** The backup to restore. Null for a rollback. */
  readonly backup: Backup | null;
  /** The Moodle version of the site after the restore. */
  readonly version: string;
  readonly acceptance: AcceptedAction;
  readonly notes: readonly string[];
}

/** Plans a restore or rollback. Throws a `conflict` fault (`spoke_state`), or a Refusal if it is not possible. */
export async function planRestore(rows: RowQueries, spoke: SpokeRow, request: RestoreTarget): Promise<RestorePlan> {
  const facts = await readSpokeActionFacts(rows, spoke), acceptance = requireActionAllowed("restore", facts);
  const describeRestore = (parameters: RestoreParameters) => restore.describe({ ...facts, payload: parameters });
  if ("rollback" in request) {
    const rollback = await findRollbackVolumes(rows, spoke), parameters = { rollback: true } as const;
    if (rollback) {
      return {
        parameters,
        backup: null,
        version: rollback.siteBase.version,
        acceptance,
        notes: describeRestore(parameters),
      };
    }
    const message = `The spoke ${spoke.slug} has nothing to roll back to`;
    throw new Refusal(
      "NoWayBack",
      message,
      "The spoke was never restored, or its previous volumes have expired.",
    );
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

export async function requestRestore(
  { db }: Pick<App, "db">,
  requester: Requester,
  id: string,
  request: RestoreTarget,
): Promise<Job> {
  return await db.transact((tx) => requestRestoreInTransaction(tx, requester, id, request));
}

/** Requests a restore. Must be the last call in the transaction. */
export async function requestRestoreInTransaction(
  tx: Tx,
  requester: Requester,
  id: string,
  request: RestoreTarget,
): Promise<Job> {
  const before = await lockSpoke(tx, id);
  const { parameters, acceptance } = await planRestore(tx, before, request);
  const [, job] = await enqueueSpokeAction(tx, requester, before, acceptance, restore.name, parameters);
  return job;
}
