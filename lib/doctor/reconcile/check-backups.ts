/** Reports backups whose snapshots are missing, and backups that exist only in the cluster. */
import type { BackupVolume } from "#lib/domains/backups/store.ts";
import { BackupRecord, parseRecordJson } from "#lib/moodle/site-record.ts";
import type { ClusterComparison, DatabaseChange, Discrepancy, FoundBackup } from "#lib/doctor/reconcile/discrepancy.ts";
import type { ClusterSurvey, ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";
import { isSignedByInstallation } from "#lib/doctor/reconcile/site-records.ts";
import { formatCount } from "#lib/base/text.ts";
import { refersToSnapshot } from "#lib/moodle/storage-objects.ts";

export function checkBackups(compared: ClusterComparison): Discrepancy[] {
  return [...reportUnknownBackups(compared), ...reportLostBackups(compared)];
}

/** Returns the backups that exist in the cluster but have no row in the database, keyed by namespace. */
export function findUnknownBackups({ survey, rows, trust }: ClusterComparison): Map<string, FoundBackup[]> {
  const backupsByNamespace = new Map<string, FoundBackup[]>();
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
    const namespace = survey.namespaces.get(name)!;
    const change: DatabaseChange = { kind: "adopt-backups", cluster: survey.name, namespace, backups };
    return { check: "backups", fact, resolution: { result: "adopted", change } };
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
      !refersToSnapshot(content!, snapshot)
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

function reportLostBackups({ survey: { contents }, rows }: ClusterComparison): Discrepancy[] {
  if (contents === null) return [];
  const lost = rows.readyBackups.filter(({ contents: backupContents }) =>
    backupContents.some((name) => !contents.has(name))
  );
  return [...Map.groupBy(lost, ({ ownerId }) => ownerId)].map(([ownerId, backups]) => ({
    check: "backups",
    fact: `${formatCount(backups.length, "backup")} of ${findSlug(rows, ownerId)} (${ownerId}) ` +
      `${backups.length === 1 ? "has" : "have"} no snapshots in the cluster: ${backups.map(({ id }) => id).join(", ")}`,
    hint:
      "A restore works only if the storage still has the snapshots. To use another backup: wheelwright restore … --backup",
  }));
}

/** Returns the slug of a spoke, or of a hub whose library was backed up. */
export function findSlug({ spokes, hubs }: ClusterComparison["rows"], id: string): string {
  return spokes.get(id)?.slug ?? hubs.get(id)?.slug ?? id;
}
