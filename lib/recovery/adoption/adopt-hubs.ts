/** Adds missing hubs to the database, and updates existing hubs, from site records (ConfigMaps) in the cluster. */
import { sql } from "kysely";
import type { Requester } from "#lib/audit/requester.ts";
import { Refusal } from "#lib/base/refusals.ts";
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
import { restorePolicyHistory } from "#lib/domains/policy/store.ts";
import { fieldsWith, pickFields } from "#lib/model/field.ts";
import { hubFields } from "#lib/model/hub.ts";
import type { HubSiteRecord } from "#lib/moodle/site-record.ts";
import { recordResolution, rowExistsRefusal } from "#lib/recovery/adoption/changes.ts";
import { isBeingRemoved } from "#lib/steps/outcomes.ts";

type FoundHub = FoundInCluster<HubSiteRecord>;

/** Creates a hub's database row from its site record. The hub's members are lost, because records omit them. */
export async function adoptHub(tx: Tx, requester: Requester, found: FoundHub): Promise<void> {
  const { id, slug, createdBy, createdAt } = found.siteRecord;
  const slugHolder = await tx.selectFrom("federations").select("id").where("slug", "=", slug)
    .where("state", "<>", "removed").executeTakeFirst();
  if (slugHolder) {
    throw new Refusal("SlugTaken", `hub ${slugHolder.id} already uses the slug ${slug}`, "Remove one of the two hubs.");
  }
  const user = await tx.selectFrom("users").select("id")
    .where((is) => is.or([is("id", "=", createdBy), is("operator", "=", true)]))
    .orderBy(sql`id = ${createdBy}`, "desc").orderBy("createdAt").limit(1).executeTakeFirst();
  if (!user) throw new Refusal("NoUser", "no user exists", "Set BOOTSTRAP_ADMIN_EMAIL and start serve once.");
  const row = await insertFederation(tx, { ...toColumns(found), id, createdAt, createdBy: user.id });
  if (!row) throw rowExistsRefusal("hub");
  await restorePolicyHistory(tx, row);
  await recordResolution(tx, requester, row, { action: "adopt", slug });
}

/** Updates a hub's row from its site record. Keeps fields that users changed after the database was restored. */
export async function updateHubFromRecord(
  tx: Tx,
  requester: Requester,
  found: FoundHub,
  restoredAt: Date | null,
): Promise<void> {
  const { namespace, siteRecord } = found, before = await lockFederation(tx, siteRecord.id);
  if (isBeingRemoved(before) || !isRowOutdated(before, namespace, siteRecord)) return;
  const changes = await readChangesAfterRestore(tx, restoredAt, before.id), requested = changes.get(before.id);
  const { policy, courses, ...userValues } = pickValuesChangedAfterRestore(before, changes);
  const after = await updateFederation(tx, before.id, {
    ...toColumns(found),
    ...userValues,
    ...(policy && { policy: JSON.stringify(policy) }),
    ...(courses && { courses: JSON.stringify(courses) }),
  });
  await restorePolicyHistory(tx, after);
  const changedFields = listChangedHubFields(before, siteRecord, { state: after.state, requested });
  await recordResolution(tx, requester, after, { action: "catch up", slug: after.slug, ...changedFields });
}

function toColumns({ cluster, clusterUid, namespace, siteRecord }: FoundHub) {
  const { readyAt, updatedAt, policy, courses } = siteRecord;
  return {
    policy: policy && JSON.stringify(policy),
    courses: courses && JSON.stringify(courses),
    ...determineHubState(siteRecord),
    ...pickFields(siteRecord, fieldsWith(hubFields, "settable")),
    readyAt,
    ...{ cluster, clusterUid, namespace: namespace.name, namespaceUid: namespace.uid, recordedAt: null },
    backupUpdatedAt: updatedAt,
  };
}
