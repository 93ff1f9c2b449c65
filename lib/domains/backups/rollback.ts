/** What leads back from a restore, and by which names its volumes are known. */
import { listReplacedClaims } from "#lib/domains/backups/retained-claims.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { type Footing, footingOf } from "#lib/moodle/footing.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { claimNames, turnOf } from "#lib/moodle/names.ts";
import { lastRestore, listRestores } from "#lib/jobs/restores.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

interface RollbackTarget {
  readonly footing: Footing;
  /** When the site left it; null where it is what the row has still. */
  readonly since: Date | null;
}

/**
 * What the site stood on before its last restore, or by its row stands on still where that one failed; null where there was
 * none, or its volumes have had their time.
 */
export async function findRollback(rows: Rows, { id, blueprintInputs }: SpokeRow): Promise<RollbackTarget | null> {
  const last = await lastRestore(rows, id);
  if (!last) return null;
  if (last.state !== "succeeded") return { footing: footingOf(blueprintInputs as SpokeInputs), since: null };
  const siteBase = last.progress.restore.before as Footing;
  const replacedClaims = (await listReplacedClaims(rows, id)).map(({ claim }) => claim);
  const isComplete = Object.values(claimNames(siteBase)).every((claim) => replacedClaims.includes(claim));
  return isComplete ? { footing: siteBase, since: last.finishedAt } : null;
}

/** Of the spoke's own making from a backup, and of all its restores: what its volumes are made from is named by these. */
export async function listTurns(rows: Rows, { id, blueprintInputs }: SpokeRow): Promise<string[]> {
  const own = (blueprintInputs as SpokeInputs).origin?.turn;
  const restores = (await listRestores(rows, id)).map(turnOf);
  return [...new Set([...own === undefined ? [] : [own], ...restores])];
}
