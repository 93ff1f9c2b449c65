/** Adds backups whose snapshots were found in the cluster. Completes rows of backups that were being taken. */
import type { Requester } from "#lib/audit/requester.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { DatabaseChange } from "#lib/doctor/reconcile/discrepancy.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { rowMissingRefusal } from "#lib/recovery/adoption/changes.ts";

export async function adoptBackups(
  tx: Tx,
  requester: Requester,
  { cluster, namespace: { name: namespace, spokeId }, backups }: Extract<DatabaseChange, { kind: "adopt-backups" }>,
): Promise<void> {
  const spoke = await tx.selectFrom("spokes").select(["id", "federationId", "slug"]).where("id", "=", spokeId)
    .where("state", "<>", "removed").executeTakeFirst();
  if (!spoke) throw rowMissingRefusal("spoke", spokeId);
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
}
