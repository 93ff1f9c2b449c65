/**
 * Restores a hub's library: creates a temporary volume from a backup, and copies the packages that the library lacks. The
 * library's own volume stays, so packages that were published after the backup are kept. If that volume was lost, an
 * empty one is created first.
 */
import type { App } from "#lib/app.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { isUsableLibraryBackup, type LibraryBackup, listLibraryBackups } from "#lib/domains/courses/library-store.ts";
import { requestLibraryCheck, saveLibraryContents } from "#lib/domains/courses/library-store.ts";
import { getAdoptionId } from "#lib/moodle/names.ts";
import { listPackages } from "#lib/moodle/library-jobs.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import {
  buildLibraryClaimName,
  createLibraryClaim,
  deleteLibraryClaims,
} from "#lib/recovery/volumes/library-claims.ts";
import { createJobHandler, type JobHandler, type JobRun } from "#lib/scheduler/handler.ts";
import { prepareLibrary } from "#lib/steps/library.ts";
import { runLibraryJob } from "#lib/steps/library-job.ts";
import { addNotes, type HubSite, openHubSite, type OperationRun } from "#lib/steps/site.ts";

type RestoreRun = OperationRun<"restore-library">;

export function restoreLibraryHandler(app: App): JobHandler {
  return createJobHandler(OPERATIONS["restore-library"].kind, (run: JobRun) => openHubSite(app, run), {
    async library(site, run) {
      await requireBackup(site, run);
      await deleteLibraryClaims(site, run); // of restores that failed
      await prepareLibrary(site, run);
    },
    async volume(site, run) {
      const { volumes: [volume] } = await requireBackup(site, run);
      await createLibraryClaim(site, run, { adoptionId: getAdoptionId(run.job.id), snapshot: volume! });
    },
    copy: copyPackages,
    clear: deleteLibraryClaims,
  }, { hooks: {} });
}

async function requireBackup({ app, hub }: HubSite, run: RestoreRun): Promise<LibraryBackup> {
  const { backupId } = run.job.payload;
  const backup = (await listLibraryBackups(app.db.rows, hub.id)).find(({ id }) => id === backupId);
  if (backup && isUsableLibraryBackup(backup)) return backup;
  const message = `The backup ${backupId} has expired and was deleted`;
  throw new Refusal("BackupNotReady", message, "Choose another backup.");
}

async function copyPackages(site: HubSite, run: RestoreRun): Promise<void> {
  const { hub: { id, courses } } = site, packages = listPackages(courses);
  const backupClaim = buildLibraryClaimName(getAdoptionId(run.job.id));
  const contents = await runLibraryJob(site, run, { mode: "restore", packages, backupClaim });
  await run.write(async (tx) => {
    await saveLibraryContents(tx, id, contents);
    await requestLibraryCheck(tx, id); // which reports what is still missing
  });
  const missing = (courses ?? []).flatMap(({ versions }) => versions)
    .filter(({ sha256 }) => !contents.packages.includes(sha256))
    .map(({ title, version }) => `${title}, version ${version}`);
  await addNotes(run, [
    `${contents.copied} of ${packages.length} packages were copied from the backup`,
    ...(contents.damaged > 0 ? [`${contents.damaged} packages in the backup are damaged`] : []),
    ...(missing.length > 0 ? [`Still missing, publish them again: ${missing.join("; ")}`] : []),
  ]);
}
