/** Creates a new site's volumes from a backup of another or a removed site. */
import { Refusal } from "#lib/base/refusals.ts";
import { requireUsableBackup } from "#lib/domains/backups/usable.ts";
import { hasOperationSucceededSince } from "#lib/jobs/restores.ts";
import { type Backup, findBackup } from "#lib/domains/backups/store.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import {
  computeCopiedSpokeChanges,
  type HubSettings,
  listSeedNotes,
  listSiteDetailSeedParts,
  type SeedPart,
} from "#lib/moodle/seed.ts";
import { isFinalJobState } from "#lib/jobs/job.ts";
import { findJob } from "#lib/jobs/store.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { OperationAwaited } from "#lib/scheduler/stop-reasons.ts";
import { addNotes, type SpokeSite } from "#lib/steps/site.ts";
import { waitUntilPvcsBound } from "#lib/recovery/volumes/wait-until-bound.ts";
import { createPvcsFromSnapshots, deleteSourceSnapshotsWhenBound } from "#lib/recovery/volumes/pvcs.ts";
import { readBackupSnapshots } from "#lib/recovery/volumes/backup-snapshots.ts";

/** Creates the volumes from the backup that the spoke's row names, and returns true. Returns false without a backup. */
export async function fillVolumes(site: SpokeSite, run: JobRun): Promise<boolean> {
  const found = await findSource(site);
  if (!found) return false;
  const { spoke } = found,
    backup = found.backup.readyAt === null ? await awaitBackup(site, found.backup) : found.backup;
  await requireUsableBackup(site.app.db.rows, spoke, backup.id);
  requireSameVersion(site, backup);
  await createPvcsFromSnapshots(site, run, readBackupSnapshots(backup, spoke));
  await waitUntilPvcsBound(site, run);
  const from = `backup ${backup.id} of ${backup.createdAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  await addNotes(
    run,
    isCopiedSite(site) ? [`Copied from ${spoke.slug}, using ${from}`] : [
      `Created from ${from} instead of a new installation`,
      'Users sign in with the passwords in the backup. To set a new one for "admin", run reset-admin-password',
    ],
  );
  return true;
}

/** Returns the backup. If the operation that takes it is still running, throws so that the job waits for it. */
async function awaitBackup({ app: { db } }: SpokeSite, { id, operationId }: Backup): Promise<Backup> {
  const operation = await findJob(db.rows, operationId);
  if (operation && !isFinalJobState(operation.state)) {
    throw new OperationAwaited("Waiting for the backup from which the spoke is created", operationId);
  }
  const backup = (await findBackup(db.rows, id))!; // read again, because the operation may just have ended
  if (backup.readyAt !== null) return backup;
  throw new Refusal(
    "BackupNotReady",
    `The backup ${id} could not be taken: ${backup.error ?? "it was cancelled"}`,
    "Remove this spoke, then create the copy again.",
  );
}

/** Throws if the backup contains another Moodle version, because the original spoke was upgraded before the backup. */
function requireSameVersion({ inputs: { images, version } }: SpokeSite, { id, ...taken }: Backup): void {
  if (taken.images === null || taken.images.moodle === images.moodle) return;
  const message = `The backup ${id} contains Moodle ${taken.lmsVersion}, but this site needs ${version}`;
  throw new Refusal("AnotherVersion", message, "Remove this spoke, then create the copy again.");
}

/** Returns whether the site's volumes were created from snapshots and therefore already contain data. */
export function hasFilledVolumes({ inputs }: SpokeSite): boolean {
  return inputs.origin !== undefined;
}

/**
 * Returns whether the site is a copy of another spoke. A spoke that was recreated from its own backup is not a copy.
 */
export function isCopiedSite({ spoke, inputs }: SpokeSite): boolean {
  return spoke.copyOf !== null && inputs.origin?.identity === "new";
}

/** The settings that the seed (initial content) applies. If `parts` is null, all parts of the seed are applied. */
export interface SeedInput {
  readonly inputs: SpokeInputs;
  readonly parts: readonly SeedPart[] | null;
  /** Returns the notes to show in the operation, one sentence each. */
  readonly notes: (settings: HubSettings) => readonly string[];
}

/** Returns the settings that the seed applies. For a recreated spoke, only those that changed since the backup. */
export async function readSeedInput(site: SpokeSite): Promise<SeedInput> {
  const { inputs, app: { db } } = site, found = await findSource(site);
  const notes = (seedInputs: SpokeInputs) => (settings: HubSettings) => listSeedNotes(seedInputs, settings);
  if (!found) return { inputs, parts: null, notes: notes(inputs) };
  const { backup, spoke } = found;
  if (isCopiedSite(site)) {
    const { inputs: changedInputs, parts } = computeCopiedSpokeChanges(inputs, spoke);
    const signOnNotes = spoke.identity && (!inputs.identity || changedInputs.identity) ? [SINGLE_SIGN_ON_NOTE] : [];
    return {
      inputs: changedInputs,
      parts,
      notes: (settings) => [...listSeedNotes(changedInputs, settings), ...signOnNotes],
    };
  }
  const isOlder = await hasOperationSucceededSince(db.rows, spoke.id, "configure", backup.createdAt);
  return { inputs, parts: isOlder ? listSiteDetailSeedParts(inputs) : [], notes: () => [] };
}

const SINGLE_SIGN_ON_NOTE = "The single sign-on of the original site is still set up in this copy. " +
  "The copy's administrators can remove it under OAuth 2 services";

/** Waits until all volumes are bound, then deletes the snapshot objects from which they were created. */
export async function deleteVolumeSources(site: SpokeSite, run: JobRun): Promise<void> {
  if (hasFilledVolumes(site)) await deleteSourceSnapshotsWhenBound(site, run);
}

/** Returns the backup from which the site is created, and the backup's spoke; null if there is no such backup. */
async function findSource({ app: { db: { rows } }, spoke }: SpokeSite) {
  const backup: Backup | null = spoke.fromBackup === null ? null : await findBackup(rows, spoke.fromBackup);
  return backup && {
    backup,
    spoke: await rows.selectFrom("spokes").selectAll().where("id", "=", backup.spokeId).executeTakeFirstOrThrow(),
  };
}
