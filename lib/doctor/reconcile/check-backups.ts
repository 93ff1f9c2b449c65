/** Adopts backups that exist only in the cluster. Reports backups whose snapshots are missing, but keeps their rows. */
import type { BackupVolume } from "#lib/domains/backups/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { BackupRecord, parseRecord } from "#lib/moodle/site-record.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { spokeSubject } from "#lib/audit/store.ts";
import { record } from "#lib/changes/record.ts";
import type { ComparedCluster } from "#lib/doctor/reconcile/compare-rows.ts";
import type { Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import type { ClusterSurvey, ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";
import { isSigned } from "#lib/doctor/reconcile/trust.ts";
import { countOf } from "#lib/doctor/finding.ts";
import { refersToSnapshot } from "#lib/workers/backups/delete-expired.ts";

interface FoundBackup extends Omit<BackupRecord, "volumes"> {
  readonly volumes: readonly BackupVolume[];
  readonly takenAt: Date;
}

export function checkBackups(compared: ComparedCluster): Discrepancy[] {
  return [...unknownBackups(compared), ...lostBackups(compared)];
}

/** Returns the backups that the database does not know, keyed by namespace. */
export function findUnknownBackups({ survey, known, trust }: ComparedCluster): Map<string, FoundBackup[]> {
  const found = new Map<string, FoundBackup[]>();
  for (const snapshot of survey.snapshots) {
    const { signed, metadata } = snapshot, namespace = survey.namespaces.get(metadata.namespace!);
    if (!signed || !namespace?.spokeId) continue;
    const believed = trust.accepted.has(namespace.name) || isSigned(trust.installation, namespace.uid, signed);
    const particulars = believed ? parseRecord(BackupRecord, signed.text) : null;
    const all = found.get(namespace.name) ?? [];
    if (!particulars || known.backups.has(particulars.id) || all.some(({ id }) => id === particulars.id)) continue;
    const volumes = volumesOf(survey, namespace, particulars);
    const takenAt = new Date(metadata.creationTimestamp!);
    if (volumes) found.set(namespace.name, [...all, { ...particulars, volumes, takenAt }]);
  }
  return found;
}

function unknownBackups(compared: ComparedCluster): Discrepancy[] {
  const { survey } = compared;
  return [...findUnknownBackups(compared)].map(([name, backups]) => {
    const fact = `${name} has ${countOf(backups.length, "backup")} that the database does not know`;
    const act = (tx: Tx, requester: Requester) =>
      adoptBackups(tx, requester, survey.name, survey.namespaces.get(name)!, backups);
    return { check: "backups", fact, resolution: { done: "adopted", apply: act } };
  });
}

/** Returns the volumes that a restore needs; null if the backup is incomplete. */
function volumesOf(
  { snapshots, contents }: ClusterSurvey,
  { name: namespace }: ObservedNamespace,
  { volumes }: BackupRecord,
): BackupVolume[] | null {
  const all = volumes.map(({ claim, snapshot: name }): BackupVolume | null => {
    const snapshot = snapshots.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    const { boundVolumeSnapshotContentName, readyToUse } = snapshot?.status ?? {};
    const content = contents?.get(boundVolumeSnapshotContentName), handle = content?.["status"]?.snapshotHandle;
    const isGoing = snapshot?.metadata.deletionTimestamp !== undefined;
    if (!snapshot || isGoing || !readyToUse || !handle || !refersToSnapshot(content!, { ...KIND, ...snapshot })) {
      return null;
    }
    const { driver, volumeSnapshotClassName } = content!["spec"], { restoreSize } = content!["status"];
    return {
      ...{ claim, snapshot: name, snapshotUid: snapshot.metadata.uid!, content: content!.metadata.name },
      ...{ handle: String(handle), driver: String(driver), class: String(volumeSnapshotClassName ?? "") },
      restoreSize: Number(restoreSize) > 0 ? Number(restoreSize) : null,
    };
  });
  return all.length > 0 && all.every((volume) => volume !== null) ? all : null;
}

const KIND = { apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshot" };

async function adoptBackups(
  tx: Tx,
  requester: Requester,
  cluster: string,
  { name: namespace, spokeId }: ObservedNamespace,
  backups: readonly FoundBackup[],
): Promise<string | null> {
  const spoke = await tx.selectFrom("spokes").select(["id", "federationId", "slug"]).where("id", "=", spokeId)
    .where("state", "<>", "removed").executeTakeFirst();
  if (!spoke) return `its spoke ${spokeId} is not in the database`;
  for (const { takenAt, volumes, images, ...words } of backups) {
    const sizes = volumes.map(({ restoreSize }) => restoreSize ?? null);
    const ready = {
      ...{ state: "ready" as const, readyAt: takenAt, volumes: JSON.stringify(volumes) },
      sizeBytes: sizes.includes(null) ? null : sizes.reduce<number>((sum, size) => sum + size!, 0),
    };
    await tx.insertInto("backups").values({
      ...{ ...words, ...ready, createdAt: takenAt, images: images && JSON.stringify(images) },
      ...{ spokeId: spoke.id, federationId: spoke.federationId, cluster, namespace },
    }).onConflict((conflict) => conflict.doNothing()).execute();
    const live = tx.selectFrom("jobs").select("id").where("state", "in", ["queued", "running"]);
    await tx.updateTable("backups").set(ready).where("id", "=", words.id).where("spokeId", "=", spoke.id)
      .where("state", "=", "pending").where("operationId", "not in", live).execute();
  }
  const metadata = { reconciled: true, slug: spoke.slug, backups: backups.map(({ id }) => id) };
  await record(tx, requester, { audit: [{ kind: "tenant_backup_succeeded", ...spokeSubject(spoke), metadata }] });
  return null;
}

function lostBackups({ survey: { contents }, known }: ComparedCluster): Discrepancy[] {
  if (contents === null) return [];
  const lost = known.ready.filter(({ contents: own }) => own.some((name) => !contents.has(name)));
  return [...Map.groupBy(lost, ({ spokeId }) => spokeId)].map(([spokeId, backups]) => ({
    check: "backups",
    fact: `${countOf(backups.length, "backup")} of ${known.spokes.get(spokeId)?.slug ?? spokeId} (${spokeId}) ` +
      `${backups.length === 1 ? "has" : "have"} no snapshots in the cluster: ${backups.map(({ id }) => id).join(", ")}`,
    hint: "Restored only if the storage still has what they name: wheelwright restore … --backup takes another one",
  }));
}
