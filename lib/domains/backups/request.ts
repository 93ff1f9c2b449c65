/**
 * Asks for a spoke to be taken back to one of its backups, or to what it was before that. It is an operator's work on the
 * machine's authority, and no request of the API leads here; the operation is done by whichever replica serves.
 */
import type { App } from "#lib/app.ts";
import type { Asker } from "#lib/audit/asker.ts";
import type { Backup } from "#lib/domains/backups/store.ts";
import { demandUsable, restoreRefusal } from "#lib/domains/backups/usable.ts";
import { findWayBack } from "#lib/domains/backups/way-back.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { type Acceptance, judgeAction } from "#lib/operations/judge.ts";
import { restore, type RestoreWish } from "#lib/operations/restore.ts";
import type { Job } from "#lib/jobs/job.ts";
import { enqueueAction, readFacts } from "#lib/domains/spokes/actions.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";

/** To the backup of this id, or the newest; or back. */
export type RestoreRequest = { readonly backupId?: string | undefined } | { readonly back: true };

export interface RestorePlan {
  readonly wish: RestoreWish;
  /** Null of the way back. */
  readonly backup: Backup | null;
  /** The version that the site is of then. */
  readonly version: string;
  readonly acceptance: Acceptance;
  /** What is to be known of it, a sentence each. */
  readonly notes: readonly string[];
}

/** Throws Fault conflict `spoke_state`, or a final ClusterError where it cannot be. */
export async function planRestore(rows: Rows, spoke: SpokeRow, asked: RestoreRequest): Promise<RestorePlan> {
  const facts = await readFacts(rows, spoke), acceptance = judgeAction("restore", facts);
  const tell = (wish: RestoreWish) => restore.says({ ...facts, payload: wish });
  if ("back" in asked) {
    const back = await findWayBack(rows, spoke), wish = { back: true } as const;
    if (back) return { wish, backup: null, version: back.footing.version, acceptance, notes: tell(wish) };
    const message = `There is nothing that the spoke ${spoke.slug} could go back to`;
    throw restoreRefusal("NoWayBack", message, "It was never restored, or the volumes of before have had their time.");
  }
  const backup = await demandUsable(rows, spoke, asked.backupId), wish = { backupId: backup.id };
  return { wish, backup, version: backup.lmsVersion ?? spoke.lmsVersion, acceptance, notes: tell(wish) };
}

/** The same, done: the operation that does it. */
export async function requestRestore(
  { db }: Pick<App, "db">,
  asker: Asker,
  id: string,
  asked: RestoreRequest,
): Promise<Job> {
  return await db.transact(async (tx) => {
    const before = await lockSpoke(tx, id);
    const { wish, acceptance } = await planRestore(tx, before, asked);
    const [, job] = await enqueueAction(tx, asker, before, acceptance, restore.name, wish);
    return job;
  });
}
