/**
 * Plans copies of spokes. A copy is an independent site that starts with the courses and users from another site's
 * backup. The backup is selected while the source spoke's row is locked, and cannot be deleted until the copy is
 * created. If a new backup must be taken first, the copy waits for this backup in the queue.
 */
import type { App } from "#lib/app.ts";
import { type Backup, ensureBackup } from "#lib/domains/backups/store.ts";
import { getMinimumDiskSizes, requireUsableBackup } from "#lib/domains/backups/usable.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { createSpokeInputs, type SpokeInputSource } from "#lib/catalog/inputs.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { enlargeDisksToSnapshotSize, findSnapshotBlueprintProblem } from "#lib/moodle/adoption.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getAdoptionId } from "#lib/moodle/names.ts";
import { DISK_NAMES, getLargerQuantity } from "#lib/moodle/resize.ts";
import { requireActionAllowed } from "#lib/operations/check-action.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import { enqueueJob, listLiveOperations } from "#lib/jobs/store.ts";
import { canSeeSpoke, spokeMissingFault } from "#lib/domains/spokes/access.ts";
import { readSpokeActionFacts } from "#lib/domains/spokes/actions.ts";
import type { CopyPlan, CopySource, NewSpokeAuditData } from "#lib/domains/spokes/create.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import { findSpoke, lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { NewSpoke } from "#lib/domains/spokes/views.ts";

type CopyDependencies = Pick<App, "catalog" | "config" | "blueprint">;

/** The spoke to copy, and the backup to copy from. In a preview, `backup` is null if there is no backup yet. */
interface CopyOrigin {
  readonly spoke: SpokeRow;
  readonly backup: Backup | null;
}

type CopyParameters = Pick<NewSpoke, "copyOf" | "copyBackup" | "lmsVersion" | "moodleVersion">;

/**
 * Finds the spoke to copy. Returns null if the request is not for a copy. Throws a fault: `forbidden`
 * (`scope_too_narrow`) unless the API token's scope is `cli`, `missing` (`spoke_missing`) or `invalid`.
 */
export async function findCopySource(
  { db, ...app }: App,
  actor: Actor,
  { copyOf, copyBackup, lmsVersion, moodleVersion }: CopyParameters,
): Promise<CopySource | null> {
  if (copyOf === undefined) {
    if (copyBackup === undefined) return null;
    const message = "copyBackup requires copyOf, the spoke to copy";
    throw new Fault("invalid", "copy_of_needed", message, { fields: { copyOf: "must name the spoke to copy" } });
  }
  const { credential } = actor;
  if (credential.kind === "token" && credential.scope !== "cli") {
    const message = `Copying a spoke requires a token with the scope cli; this token has the scope ${credential.scope}`;
    throw new Fault("forbidden", "scope_too_narrow", message);
  }
  if (lmsVersion !== undefined || moodleVersion !== undefined) {
    const message = "A copy has the same Moodle version as its source; omit lmsVersion, and upgrade the copy later";
    throw new Fault("invalid", "copy_version", message, { fields: { lmsVersion: "must be omitted for a copy" } });
  }
  const found = await findSpoke(db.rows, copyOf, "hidden");
  if (!found || !canSeeSpoke(actor, found)) throw spokeMissingFault();
  return {
    spoke: found,
    preview: async () => createCopyPlan(app, await chooseCopyBackup(db.rows, found, copyBackup)),
    // Locks the source spoke until the copy's row is written. From then on, this row protects the backup from deletion.
    async claim(tx) {
      const spoke = await lockSpoke(tx, found.id);
      if (spoke.state === "removed") throw spokeMissingFault();
      const { backup } = await chooseCopyBackup(tx, spoke, copyBackup);
      return createCopyPlan(app, { spoke, backup: backup ?? await requestBackup(tx, actor, spoke) });
    },
  };
}

function createCopyPlan(app: CopyDependencies, origin: CopyOrigin): CopyPlan {
  const { spoke, backup } = origin;
  return {
    lmsVersion: backup?.lmsVersion ?? spoke.lmsVersion,
    from: { spokeId: spoke.id, backupId: backup?.id ?? null },
    inputsOf: (copy, cluster) => copyInputs(app, copy, origin, cluster),
    auditExtras: (row) => copyAuditExtras(origin, row),
  };
}

/**
 * Selects the backup to copy from. Throws a `conflict` fault (`backup_unusable`) if the spoke has no usable backup. If
 * the caller requests a new backup that cannot be taken, throws the same faults as the action `backup`.
 */
async function chooseCopyBackup(rows: RowQueries, spoke: SpokeRow, requested = "newest"): Promise<CopyOrigin> {
  if (requested === "now") {
    const facts = await readSpokeActionFacts(rows, spoke);
    // Allows a new backup while another is running, because that backup may miss the latest changes to the site.
    requireActionAllowed("backup", { ...facts, live: facts.live.filter((kind) => kind !== "backup") });
    return { spoke, backup: null };
  }
  try {
    return { spoke, backup: await requireUsableBackup(rows, spoke, requested === "newest" ? undefined : requested) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const message = `Cannot copy ${spoke.slug}: ${error.message}; to take a new backup first, set copyBackup to now`;
    throw new Fault("conflict", "backup_unusable", message, { cause: error });
  }
}

/** Requests a backup, or returns a backup that is already queued and has not started. */
async function requestBackup(tx: Tx, actor: Actor, spoke: SpokeRow): Promise<Backup> {
  const waiting = (await listLiveOperations(tx, spoke.id)).find(({ kind, startedAt, payload }) =>
    kind === "backup" && startedAt === null && Object.keys(payload).length === 0
  );
  const { id: operationId } = waiting ?? await enqueueJob(tx, actor, buildSpokeJob(spoke, "backup"));
  return await ensureBackup(tx, spoke, { operationId, kind: "manual" });
}

/**
 * Returns the copy's blueprint inputs (the values for rendering its manifests). Throws a fault: `invalid`
 * (`size_too_small`) or `impossible` (`another_cluster` or `blueprint_lacks`).
 */
function copyInputs(
  { catalog, config, blueprint }: CopyDependencies,
  copy: SpokeInputSource,
  { spoke: source, backup }: CopyOrigin,
  cluster: string,
): SpokeInputs {
  if (cluster !== (backup ?? source).cluster) throw anotherClusterFault(source);
  const from = source.blueprintInputs as SpokeInputs, { size, brand, seed } = copy;
  if (size !== source.size) requireLargeEnough(catalog, size, source);
  const inputs = createSpokeInputs(catalog, config, copy, {
    images: backup?.images ?? from.images,
    ...(catalog.findProblem("size", size) !== null && { resources: from.resources }),
    ...(brand === source.brand && { brand: from.brand }),
    ...(seed === source.seed && { seed: from.seed }),
  });
  const least = backup ? getMinimumDiskSizes(backup) : { files: null, database: null }, { disks } = from.resources;
  const enlarged = enlargeDisksToSnapshotSize(inputs, {
    files: Math.max(parseQuantity(disks.files), least.files ?? 0),
    database: Math.max(parseQuantity(disks.database), least.database ?? 0),
  });
  const copied: SpokeInputs = { ...enlarged, origin: { adoptionId: getAdoptionId(copy.id), identity: "new" } };
  const missingPart = findSnapshotBlueprintProblem(blueprint, copied);
  if (missingPart !== null) {
    throw new Fault("impossible", "blueprint_lacks", `Spokes cannot be copied: ${missingPart}`);
  }
  return copied;
}

function copyAuditExtras(
  { spoke: source, backup }: CopyOrigin,
  { id: copyId, slug: copySlug, federationId: hubId }: SpokeRow,
): NewSpokeAuditData {
  const { id: spokeId, slug } = source, backupId = backup!.id;
  const metadata = { slug, copyId, copySlug, hubId, backupId };
  return {
    metadata: { copyOf: { spokeId, slug, backupId } },
    otherEntries: [{ kind: "spoke_copied", ...buildSpokeSubject(source), metadata }],
  };
}

function anotherClusterFault({ slug, region }: SpokeRow): Fault {
  const where = region === null ? "its hub" : `the region ${region}`;
  const message = `Cannot copy ${slug} to another cluster: its backups can be used only in the cluster of ${where}`;
  return new Fault("impossible", "another_cluster", message);
}

/** Throws an `invalid` fault (`size_too_small`) if the copy's size has smaller disks than the source spoke. */
function requireLargeEnough(catalog: App["catalog"], size: string, { slug, blueprintInputs }: SpokeRow): void {
  const { disks } = (blueprintInputs as SpokeInputs).resources;
  const isLargeEnough = (name: string): boolean => {
    const offered = catalog.resourcesOf(name).disks;
    return DISK_NAMES.every((disk) => getLargerQuantity(offered[disk], disks[disk]) === offered[disk]);
  };
  if (isLargeEnough(size)) return;
  const fitting = (catalog.choices("size") ?? []).filter(isLargeEnough);
  const problem =
    `must have disks as large as those of ${slug}, ${disks.files} for files and ${disks.database} for the ` +
    `database: ${fitting.length > 0 ? `choose ${fitting.join(", ")}` : "the catalog has no such size"}`;
  throw new Fault("invalid", "size_too_small", `size ${problem}`, { fields: { size: problem } });
}
