/** Writes site records: ConfigMaps from which lost database rows can be rebuilt. A newer record is never replaced. */
import type { App } from "#lib/app.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { buildSiteRecordConfigMap, serializeHubRecord, serializeSpokeRecord } from "#lib/moodle/site-record.ts";
import { type Installation, readInstallation, signWithInstallationKey } from "#lib/installation/installation.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { createOrApplyWithFence } from "#lib/steps/fenced-objects.ts";

export type SiteRecordTable = "spokes" | "federations";

/** Writes the site record of a spoke or hub to its namespace, which must already exist. */
export async function writeSiteRecord(
  { db, clusters }: App,
  run: JobRun,
  table: SiteRecordTable,
  id: string,
): Promise<void> {
  const [row] = await rowsOf(db.rows, table).where("id", "=", id).execute();
  await applySiteRecord({ clusters, installation: await readInstallation(db.rows) }, run, table, row!);
}

/** Returns the rows of spokes or hubs with a missing or outdated site record, sorted by ID. */
export async function listOutdatedRecords(rows: RowQueries, table: SiteRecordTable, after: string, limit: number) {
  return await rowsOf(rows, table).where("namespaceUid", "is not", null).where("state", "<>", "removed")
    .whereRef("recordedAt", "is distinct from", "updatedAt").where("id", ">", after).orderBy("id").limit(limit)
    .execute();
}

interface RecordTarget extends Pick<App, "clusters"> {
  readonly installation: Installation;
}

export async function applySiteRecord(
  { clusters, installation }: RecordTarget,
  run: JobRun,
  table: SiteRecordTable,
  row: SpokeRow | FederationRow,
): Promise<void> {
  const { id, cluster, namespace, namespaceUid, updatedAt } = row;
  const space = (await clusters.open(cluster)).space(namespace, namespaceUid!);
  await createOrApplyWithFence(space, objectOf(installation, row), run.job, run); // the row may have changed
  await run.write((tx) =>
    tx.updateTable(table).set({ recordedAt: updatedAt }).where("id", "=", id).where("namespaceUid", "=", namespaceUid)
      .execute()
  );
}

function objectOf(installation: Installation, row: SpokeRow | FederationRow): KubeObject {
  const [of, text] = "federationId" in row
    ? ["spoke", serializeSpokeRecord(row)] as const
    : ["hub", serializeHubRecord(row)] as const;
  const signature = signWithInstallationKey(installation, row.namespaceUid!, text);
  return buildSiteRecordConfigMap(of, { text, installation: installation.id, signature });
}

function rowsOf(rows: RowQueries, table: SiteRecordTable) {
  return rows.selectFrom(table as "spokes").selectAll().$castTo<SpokeRow | FederationRow>();
}
