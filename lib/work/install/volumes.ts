/** Where the data of a new site is from: a backup or a template that holds a site already, or else its install Job. */
import { demandUsable } from "#lib/domains/backups/usable.ts";
import { type Backup, findBackup } from "#lib/domains/backups/store.ts";
import { type SeedPart, WORDS } from "#lib/moodle/seed.ts";
import { hasSucceededSince } from "#lib/records/jobs/restores.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { note, type SpokeSite } from "#lib/work/site.ts";
import { claimsFrom, tidySources } from "#lib/work/volumes/claims.ts";
import { snapshotsOf } from "#lib/work/volumes/source.ts";
import { fillFromTemplate } from "#lib/work/templates/use.ts";

/** Makes the site's volumes from what it is to be from, and returns true; or none where it is to be installed by its Job. */
export async function fillVolumes(site: SpokeSite, run: Run): Promise<boolean> {
  const found = await sourceOf(site);
  if (!found) return await fillFromTemplate(site, run);
  const { backup, spoke } = found;
  await demandUsable(site.app.db.rows, spoke, backup.id);
  await claimsFrom(site, run, snapshotsOf(backup, spoke));
  const at = backup.createdAt.toISOString().slice(0, 16).replace("T", " ");
  await note(run, [
    `It is made from backup ${backup.id} of ${at} UTC, in place of an installation`,
    "People sign in with the passwords of then; the Secret admin holds another: reset-admin-password makes them agree",
  ]);
  return true;
}

/** Whether it did, no matter which holder. */
export function isFilled({ inputs }: SpokeSite): boolean {
  return inputs.origin !== undefined;
}

/** What a site from a backup is told anew, for the rest is its people's; null of any other, which is told all. */
export async function partsToSeed(site: SpokeSite): Promise<readonly SeedPart[] | null> {
  const found = await sourceOf(site);
  if (!found) return null;
  const { backup, spoke } = found;
  return await hasSucceededSince(site.app.db.rows, spoke.id, "configure", backup.createdAt) ? WORDS : [];
}

/** When the site stands on its volumes, what they were made by has served. */
export async function clearSources(site: SpokeSite, run: Run): Promise<void> {
  if (isFilled(site)) await tidySources(site, run);
}

/** The backup that the site is made from, and the spoke that this is of. */
async function sourceOf({ app: { db: { rows } }, spoke }: SpokeSite) {
  const backup: Backup | null = spoke.fromBackup === null ? null : await findBackup(rows, spoke.fromBackup);
  return backup && {
    backup,
    spoke: await rows.selectFrom("spokes").selectAll().where("id", "=", backup.spokeId).executeTakeFirstOrThrow(),
  };
}
