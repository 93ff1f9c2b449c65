/** Reports backups whose snapshots are missing, and adds backups that exist only in the cluster to the database. */
import type { BackupVolume } from "#lib/domains/backups/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { BackupRecord, parseRecordJson } from "#lib/moodle/site-record.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { ClusterComparison } from "#lib/doctor/reconcile/compare-rows.ts";
import type { Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import type { ClusterSurvey, ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";
import { isSignedByInstallation } from "#lib/doctor/reconcile/trust.ts";
import { formatCount } from "#lib/doctor/finding.ts";
import { refersToSnapshot } from "#lib/moodle/storage-objects.ts";

interface UnknownBackup extends Omit<BackupRecord, "volumes"> {
  readonly volumes: readonly BackupVolume[];
  readonly takenAt: Date;
}

export function checkBackups(compared: ClusterComparison): Discrepancy[] {
  return [...reportUnknownBackups(compared), ...reportLostBackups(compared)];
}

/** Returns the backups that exist in the cluster but have no row in the database, keyed by namespace. */
export function findUnknownBackups({ survey, rows, trust }: ClusterComparison): Map<string, UnknownBackup[]> {
  const backupsByNamespace = new Map<string, UnknownBackup[]>();
  for (const snapshot of survey.snapshots) {
    const { signed: signedRecord, metadata } = snapshot, namespace = survey.namespaces.get(metadata.namespace!);
    if (!signedRecord || !namespace?.spokeId) continue;
    const isTrusted = trust.acceptedNamespaces.has(namespace.name) ||
      isSignedByInstallation(trust.installation, namespace.uid, signedRecord);
    const siteRecord = isTrusted ? parseRecordJson(BackupRecord, signedRecord.text) : null;
    const backups = backupsByNamespace.get(namespace.name) ?? [];
    if (!siteRecord || rows.backupIds.has(siteRecord.id) || backups.some(({ id }) => id === siteRecord.id)) continue;
    const volumes = readBackupVolumes(survey, namespace, siteRecord);
    const takenAt = new Date(metadata.creationTimestamp!);
    if (volumes) backupsByNamespace.set(namespace.name, [...backups, { ...siteRecord, volumes, takenAt }]);
  }
  return backupsByNamespace;
}

function reportUnknownBackups(compared: ClusterComparison): Discrepancy[] {
  const { survey } = compared;
  return [...findUnknownBackups(compared)].map(([name, backups]) => {
    const fact = `${formatCount(backups.length, "backup")} of ${name} ${
      backups.length === 1 ? "is" : "are"
    } not in the database`;
    const apply = (tx: Tx, requester: Requester) =>
      adoptBackups(tx, requester, survey.name, survey.namespaces.get(name)!, backups);
    return { check: "backups", fact, resolution: { result: "adopted", apply } };
  });
}

/** Returns the volume snapshots of a backup; null if the backup is incomplete. */
function readBackupVolumes(
  { snapshots, contents }: ClusterSurvey,
  { name: namespace }: ObservedNamespace,
  { volumes }: BackupRecord,
): BackupVolume[] | null {
  const backupVolumes = volumes.map(({ claim, snapshot: name }): BackupVolume | null => {
    const snapshot = snapshots.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    const { boundVolumeSnapshotContentName, readyToUse } = snapshot?.status ?? {};
    const content = contents?.get(boundVolumeSnapshotContentName), handle = content?.["status"]?.snapshotHandle;
    const isTerminating = snapshot?.metadata.deletionTimestamp !== undefined;
    if (
      !snapshot || isTerminating || !readyToUse || !handle ||
      !refersToSnapshot(content!, { ...SNAPSHOT_KIND, ...snapshot })
    ) {
      return null;
    }
    const { driver, volumeSnapshotClassName } = content!["spec"], { restoreSize } = content!["status"];
    return {
      ...{ claim, snapshot: name, snapshotUid: snapshot.metadata.uid!, content: content!.metadata.name },
      ...{ handle: String(handle), driver: String(driver), class: String(volumeSnapshotClassName ?? "") },
      restoreSize: Number(restoreSize) > 0 ? Number(restoreSize) : null,
    };
  });
  return backupVolumes.length > 0 && backupVolumes.every((volume) => volume !== null) ? backupVolumes : null;
}

const SNAPSHOT_KIND = { apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshot" };

async function adoptBackups(
  tx: Tx,
  requester: Requester,
  cluster: string,
  { name: namespace, spokeId }: ObservedNamespace,
  backups: readonly UnknownBackup[],
): Promise<string | null> {
  const spoke = await tx.selectFrom("spokes").select(["id", "federationId", "slug"]).where("id", "=", spokeId)
    .where("state", "<>", "removed").executeTakeFirst();
  if (!spoke) return `spoke ${spokeId} is not in the database`;
  for (const { takenAt, volumes, images, ...columns } of backups) {
    const sizes = volumes.map(({ restoreSize }) => restoreSize ?? null);
    const readyColumns = {
      ...{ state: "ready" as const, readyAt: takenAt, volumes: JSON.stringify(volumes) },
      sizeBytes: sizes.includes(null) ? null : sizes.reduce<number>((sum, size) => sum + size!, 0),
    };
    await tx.insertInto("backups").values({
      ...{ ...columns, ...readyColumns, createdAt: takenAt, images: images && JSON.stringify(images) },
      ...{ spokeId: spoke.id, federationId: spoke.federationId, cluster, namespace },
    }).onConflict((conflict) => conflict.doNothing()).execute();
    const unfinishedJobs = tx.selectFrom("jobs").select("id").where("state", "in", ["queued", "running"]);
    await tx.updateTable("backups").set(readyColumns).where("id", "=", columns.id).where("spokeId", "=", spoke.id)
      .where("state", "=", "pending").where("operationId", "not in", unfinishedJobs).execute();
  }
  const metadata = { reconciled: true, slug: spoke.slug, backups: backups.map(({ id }) => id) };
  await recordChange(tx, requester, {
    audit: [{ kind: "tenant_backup_succeeded", ...buildSpokeSubject(spoke), metadata }],
  });
  return null;
}

function reportLostBackups({ survey: { contents }, rows }: ClusterComparison): Discrepancy[] {
  if (contents === null) return [];
  const lost = rows.readyBackups.filter(({ contents: backupContents }) =>
    backupContents.some((name) => !contents.has(name))
  );
  return [...Map.groupBy(lost, ({ spokeId }) => spokeId)].map(([spokeId, backups]) => ({
    check: "backups",
    fact: `${formatCount(backups.length, "backup")} of ${rows.spokes.get(spokeId)?.slug ?? spokeId} (${spokeId}) ` +
      `${backups.length === 1 ? "has" : "have"} no snapshots in the cluster: ${backups.map(({ id }) => id).join(", ")}`,
    hint:
      "A restore works only if the storage still has the snapshots. To use another backup: wheelwright restore … --backup",
  }));
}
