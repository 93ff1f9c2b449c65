/** Restores the library of a hub from a backup. Only a command on the server calls these functions. */
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { buildHubSubject } from "#lib/audit/store.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { recordOperation } from "#lib/changes/record.ts";
import { createLibraryRestore } from "#lib/domains/courses/library-jobs.ts";
import { chooseLibraryBackup } from "#lib/domains/courses/library-retention.ts";
import { isUsableLibraryBackup, type LibraryBackup, listLibraryBackups } from "#lib/domains/courses/library-store.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import { type FederationRow, lockFederation } from "#lib/domains/federations/store.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import type { HubCourse } from "#lib/model/course.ts";
import { listPackages } from "#lib/moodle/library-jobs.ts";

export interface LibraryRestorePlan {
  readonly backup: LibraryBackup;
  /** The titles of the versions whose package the backup does not contain, such as `Biology, version 2`. */
  readonly absent: readonly string[];
}

/**
 * Plans the restore from this backup. The default is the newest backup that contains most of the packages that the hub's
 * courses name. Throws a Refusal (`NoBackup`, `BackupNotReady` or `another_cluster`) or a `conflict` fault
 * (`federation_state`).
 */
export async function planLibraryRestore(
  rows: RowQueries,
  { id, slug, state, cluster, courses }: FederationRow,
  backupId?: string,
): Promise<LibraryRestorePlan> {
  requireLiveHub(state, "restore the library of");
  const backups = await listLibraryBackups(rows, id), packages = listPackages(courses).map(({ sha256 }) => sha256);
  const backup = backupId === undefined
    ? chooseLibraryBackup(backups.filter((each) => each.cluster === cluster), packages)
    : backups.find((each) => each.id === backupId);
  const listHint = `To list the backups, run: wheelwright restore --library --hub ${slug} --list`;
  if (!backup) {
    const which = backupId === undefined ? "backup that is ready" : `backup ${backupId}`;
    throw new Refusal("NoBackup", `The library of the hub ${slug} has no ${which}`, listHint);
  }
  if (!isUsableLibraryBackup(backup)) {
    throw new Refusal("BackupNotReady", `The backup ${backup.id} cannot be used: it is ${backup.state}`, listHint);
  }
  if (backup.cluster !== cluster) {
    const message = `The backup ${backup.id} is in the cluster ${backup.cluster}, but the hub is in ${cluster}`;
    throw new Refusal("another_cluster", message, listHint);
  }
  return { backup, absent: listAbsentTitles(courses ?? [], backup) };
}

function listAbsentTitles(courses: readonly HubCourse[], { packages }: LibraryBackup): string[] {
  return courses.flatMap(({ versions }) => versions).filter(({ sha256 }) => !packages.includes(sha256))
    .map(({ title, version }) => `${title}, version ${version}`);
}

/** Enqueues the restore. Throws like `planLibraryRestore`. */
export async function requestLibraryRestore(
  { db }: Pick<App, "db">,
  requester: Requester,
  federationId: string,
  backupId: string | undefined,
): Promise<Job> {
  return await db.transact(async (tx) => {
    const hub = await lockFederation(tx, federationId), { backup } = await planLibraryRestore(tx, hub, backupId);
    return await recordOperation(tx, requester, createLibraryRestore(federationId, backup.id), (job) => ({
      audit: [{
        kind: "federation_updated",
        ...buildHubSubject(federationId),
        metadata: { changed: { library: "restore" }, slug: hub.slug, backupId: backup.id, operationId: job.id },
      }],
      events: [{ federationId, state: hub.state, operation: toStreamOperation(job) }],
    }));
  });
}
