/** Finds the volumes that a site uses again after a rollback. */
import { listReplacedPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { extractVersionAndVolumes, type SiteVersionAndVolumes } from "#lib/moodle/site-base.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getAdoptionId, getSitePvcNames } from "#lib/moodle/names.ts";
import { findLastRestore, listStartedRestores } from "#lib/jobs/restores.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

interface RollbackTarget {
  readonly siteBase: SiteVersionAndVolumes;
  /** The time when the site stopped using these volumes. Null if the spoke's row still refers to these volumes. */
  readonly since: Date | null;
}

/** Returns the site's volumes from before the last restore. Null if there was no restore or they have expired. */
export async function findRollbackVolumes(
  rows: RowQueries,
  { id, blueprintInputs }: SpokeRow,
): Promise<RollbackTarget | null> {
  const last = await findLastRestore(rows, id);
  if (!last) return null;
  if (last.state !== "succeeded") {
    return { siteBase: extractVersionAndVolumes(blueprintInputs as SpokeInputs), since: null };
  }
  const siteBase = last.progress.restore!.before;
  const replacedClaims = (await listReplacedPvcs(rows, id)).map(({ claim }) => claim);
  const isComplete = Object.values(getSitePvcNames(siteBase)).every((claim) => replacedClaims.includes(claim));
  return isComplete ? { siteBase, since: last.finishedAt } : null;
}

/** Returns the suffixes of the spoke's volume names: one per restore, and one if it was created from a backup. */
export async function listVolumeSuffixes(rows: RowQueries, { id, blueprintInputs }: SpokeRow): Promise<string[]> {
  const own = (blueprintInputs as SpokeInputs).origin?.adoptionId;
  const restores = (await listStartedRestores(rows, id)).map(getAdoptionId);
  return [...new Set([...own === undefined ? [] : [own], ...restores])];
}
