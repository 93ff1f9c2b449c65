/** Reads which packages a hub's library has, and takes a snapshot of its volume. */
import type { BackupVolume } from "#lib/domains/backups/store.ts";
import {
  findLibrary,
  isUsableLibraryBackup,
  listLibraryBackups,
  markLibraryBackupReady,
  saveLibraryBackupVolumes,
  saveLibraryContents,
  startLibraryBackup,
} from "#lib/domains/courses/library-store.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { LIBRARY_PVC_NAME, type LibraryContents, listPackages } from "#lib/moodle/library-jobs.ts";
import { BACKUP_ID_LABEL } from "#lib/moodle/names.ts";
import { buildOwnerLabels } from "#lib/moodle/owner-labels.ts";
import { PVC } from "#lib/moodle/storage-objects.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { runLibraryJob } from "#lib/steps/library-job.ts";
import type { HubSite } from "#lib/steps/site.ts";
import { createSnapshots } from "#lib/workers/backups/snapshots.ts";

const PROVISIONER = "volume.kubernetes.io/storage-provisioner"; // set by Kubernetes

/** Reads which packages the library has. Returns a problem if it lacks some. */
export async function checkLibrary(site: HubSite, run: JobRun): Promise<ClusterError | null> {
  const { hub: { id, slug, courses }, space } = site, packages = listPackages(courses);
  const volume = await space.get({ ...PVC, name: LIBRARY_PVC_NAME }, run);
  const contents: Pick<LibraryContents, "packages" | "used" | "free"> = volume
    ? await runLibraryJob(site, run, { mode: "check", packages })
    : { packages: [], used: null, free: null };
  await run.write((tx) => saveLibraryContents(tx, id, contents));
  const missing = (courses ?? []).flatMap(({ versions }) => versions)
    .filter(({ sha256 }) => !contents.packages.includes(sha256))
    .map(({ title, version }) => `${title}, version ${version}`);
  if (missing.length === 0) return null;
  const [reason, code] = volume
    ? [`The hub's library lacks packages: ${missing.join("; ")}`, "PackagesMissing"]
    : ["The hub's library has lost its volume with all packages of courses", "LibraryLost"];
  const hint = `publish the courses again, or ask an operator to run: wheelwright restore --library --hub ${slug}`;
  return new ClusterError(code!, `${reason}. To get them back, ${hint}`, { transient: false });
}

/** Takes a backup, unless the newest backup has all packages. */
export async function takeLibraryBackup(site: HubSite, run: JobRun): Promise<null> {
  const { app: { db }, hub, space, inputs } = site, { packages } = (await findLibrary(db.rows, hub.id))!;
  const newest = (await listLibraryBackups(db.rows, hub.id)).find(isUsableLibraryBackup);
  if (packages.every((sha256) => newest?.packages.includes(sha256))) return null;
  const backup = await run.write((tx) => startLibraryBackup(tx, hub, run.job.id, packages));
  if (backup.state === "ready") return null;
  const claim = await space.get({ ...PVC, name: LIBRARY_PVC_NAME }, run);
  const driver = claim?.metadata.annotations?.[PROVISIONER];
  const planned: BackupVolume = {
    claim: LIBRARY_PVC_NAME,
    snapshot: `library-${backup.id.slice(backup.id.indexOf("_") + 1)}`,
    ...(driver !== undefined && { driver }),
  };
  await run.write((tx) => saveLibraryBackupVolumes(tx, backup.id, [planned]));
  const labels = { ...buildOwnerLabels({ federationId: hub.id, spokeId: null }), [BACKUP_ID_LABEL]: backup.id };
  const volumes = await createSnapshots({ ...site, inputs: { surroundings: inputs.surroundings } }, run, [planned], {
    labels,
    create: (snapshot) => space.create(snapshot, run),
  });
  await run.write((tx) => markLibraryBackupReady(tx, backup.id, volumes));
  return null;
}
