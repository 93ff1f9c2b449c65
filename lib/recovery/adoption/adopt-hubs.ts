/** Adds missing hubs to the database, and updates existing hubs, from site records (ConfigMaps) in the cluster. */
import { sql } from "kysely";
import type { Requester } from "#lib/audit/requester.ts";
import {
  isRowOutdated,
  listChangedHubFields,
  pickValuesChangedAfterRestore,
  readChangesAfterRestore,
} from "#lib/doctor/reconcile/changed-fields.ts";
import type { FoundInCluster } from "#lib/doctor/reconcile/discrepancy.ts";
import { determineHubState } from "#lib/doctor/reconcile/site-records.ts";
import { insertFederation, lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { fieldsWith, pickFields } from "#lib/model/field.ts";
import { hubFields } from "#lib/model/hub.ts";
import type { HubSiteRecord } from "#lib/moodle/site-record.ts";
import { recordResolution } from "#lib/recovery/adoption/changes.ts";
import { isBeingRemoved } from "#lib/steps/outcomes.ts";

type FoundHub = FoundInCluster<HubSiteRecord>;

/** Creates a hub's database row from its site record. The hub's members are lost, because records omit them. */
export async function adoptHub(tx: Tx, requester: Requester, found: FoundHub): Promise<string | null> {
  const { id, slug, createdBy, createdAt } = found.siteRecord;
  const slugHolder = await tx.selectFrom("federations").select("id").where("slug", "=", slug)
    .where("state", "<>", "removed").executeTakeFirst();
  if (slugHolder) return `hub ${slugHolder.id} already uses the slug ${slug}`;
  const user = await tx.selectFrom("users").select("id")
    .where((is) => is.or([is("id", "=", createdBy), is("operator", "=", true)]))
    .orderBy(sql`id = ${createdBy}`, "desc").orderBy("createdAt").limit(1).executeTakeFirst();
  if (!user) return "no user exists; set BOOTSTRAP_ADMIN_EMAIL and start serve once";
  const row = await insertFederation(tx, { ...toColumns(found), id, createdAt, createdBy: user.id });
  if (!row) return "the database already has a hub with this ID or namespace";
  await recordResolution(tx, requester, row, { action: "adopt", slug });
  return null;
}

/** Updates a hub's row from its site record. Keeps fields that users changed after the database was restored. */
export async function updateHubFromRecord(
  tx: Tx,
  requester: Requester,
  found: FoundHub,
  restoredAt: Date | null,
): Promise<null> {
  const { namespace, siteRecord } = found, before = await lockFederation(tx, siteRecord.id);
  if (isBeingRemoved(before) || !isRowOutdated(before, namespace, siteRecord)) return null;
  const changes = await readChangesAfterRestore(tx, restoredAt, before.id), requested = changes.get(before.id);
  const userValues = pickValuesChangedAfterRestore(before, changes);
  const after = await updateFederation(tx, before.id, { ...toColumns(found), ...userValues });
  const changedFields = listChangedHubFields(before, siteRecord, { state: after.state, requested });
  await recordResolution(tx, requester, after, { action: "catch up", slug: after.slug, ...changedFields });
  return null;
}

function toColumns({ cluster, clusterUid, namespace, siteRecord }: FoundHub) {
  const { readyAt, updatedAt } = siteRecord;
  return {
    ...determineHubState(siteRecord),
    ...pickFields(siteRecord, fieldsWith(hubFields, "settable")),
    readyAt,
    ...{ cluster, clusterUid, namespace: namespace.name, namespaceUid: namespace.uid, recordedAt: null },
    backupUpdatedAt: updatedAt,
  };
}
