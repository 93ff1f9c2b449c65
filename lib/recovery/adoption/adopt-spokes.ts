/**
 * Adds missing spokes and backups to the database, and updates existing spokes, from the records in the cluster.
 */
import { sql } from "kysely";
import type { Requester } from "#lib/audit/requester.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import { Refusal } from "#lib/base/refusals.ts";
import type { Config } from "#lib/base/config.ts";
import { recordChange } from "#lib/changes/record.ts";
import {
  isRowOutdated,
  listChangedSpokeFields,
  pickValuesChangedAfterRestore,
  readChangesAfterRestore,
} from "#lib/doctor/reconcile/changed-fields.ts";
import type { DatabaseChange, FoundInCluster } from "#lib/doctor/reconcile/discrepancy.ts";
import { determineSpokeState } from "#lib/doctor/reconcile/site-records.ts";
import { deleteRetainedPvcRows } from "#lib/domains/backups/retained-pvcs.ts";
import { withRequestedDomain } from "#lib/domains/spokes/desired.ts";
import { getServiceDomains, listParentDomains } from "#lib/domains/spokes/domains.ts";
import { FORMER_DOMAIN_DAYS, isDomainInUse, lockDomains } from "#lib/domains/spokes/names.ts";
import { insertSpoke, lockSpoke } from "#lib/domains/spokes/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { omitFields } from "#lib/model/field.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import type { SpokeSiteRecord } from "#lib/moodle/site-record.ts";
import {
  recordResolution,
  rowExistsRefusal,
  rowMissingRefusal,
  updateSpokeRow,
} from "#lib/recovery/adoption/changes.ts";
import { isBeingRemoved } from "#lib/steps/outcomes.ts";

type FoundSpoke = FoundInCluster<SpokeSiteRecord>;
type DomainConfig = Pick<Config, "rootDomain" | "publicUrl">;

export async function adoptSpoke(
  tx: Tx,
  requester: Requester,
  config: DomainConfig,
  found: FoundSpoke,
): Promise<void> {
  const { id, federationId, slug, domain, createdBy, createdAt, copyOf } = found.siteRecord;
  const hub = await tx.selectFrom("federations").select(["state", "createdBy"]).where("id", "=", federationId)
    .forKeyShare().executeTakeFirst();
  if (!hub || hub.state === "removed") throw rowMissingRefusal("hub", federationId);
  const slugHolder = await tx.selectFrom("spokes").select("id").where("federationId", "=", federationId)
    .where("slug", "=", slug).where("state", "<>", "removed").where("id", "<>", id).executeTakeFirst();
  if (slugHolder) {
    const message = `spoke ${slugHolder.id} already uses the slug ${slug}`;
    throw new Refusal("SlugTaken", message, "Remove one of the two spokes.");
  }
  await reserveDomain(tx, config, found.siteRecord);
  const [user, source] = await Promise.all([
    tx.selectFrom("users").select("id").where("id", "=", createdBy).executeTakeFirst(),
    tx.selectFrom("spokes").select("id").where("id", "=", copyOf).executeTakeFirst(),
  ]);
  const row = await insertSpoke(tx, {
    ...toColumns(found),
    ...{ id, federationId, slug, domain, createdAt, copyOf: source?.id ?? null },
    createdBy: user?.id ?? hub.createdBy,
  });
  if (!row) throw rowExistsRefusal("spoke");
  await storeFormerDomains(tx, found.siteRecord);
  await recordResolution(tx, requester, row, {
    action: "adopt",
    slug,
    domain,
    size: row.size,
    lmsVersion: row.lmsVersion,
  });
}

/**
 * Updates a spoke's row from its site record. Keeps fields that users changed after the database was restored. If a
 * user requested a new domain, the request stays pending.
 */
export async function updateSpokeFromRecord(
  tx: Tx,
  requester: Requester,
  config: DomainConfig,
  found: FoundSpoke,
  restoredAt: Date | null,
): Promise<void> {
  const { namespace, siteRecord } = found, before = await lockSpoke(tx, siteRecord.id);
  if (isBeingRemoved(before) || !isRowOutdated(before, namespace, siteRecord)) return;
  await reserveDomain(tx, config, siteRecord);
  const changes = await readChangesAfterRestore(tx, restoredAt, before.id);
  const { domain: requestedDomain = siteRecord.domain, ...requestedValues } = pickValuesChangedAfterRestore(
    withRequestedDomain(before),
    changes,
  );
  await deleteRetainedPvcRows(tx, before.id, Object.values(getSitePvcNames(siteRecord.blueprintInputs as SpokeInputs)));
  const after = await updateSpokeRow(tx, before.id, {
    ...toColumns(found),
    ...requestedValues,
    domain: siteRecord.domain,
    requestedDomain: requestedDomain === siteRecord.domain ? null : requestedDomain,
    ...{ drift: null, failedChecks: 0 },
  });
  await storeFormerDomains(tx, siteRecord);
  const requested = changes.get(before.id),
    changedFields = listChangedSpokeFields(before, siteRecord, { state: after.state, requested });
  await recordResolution(tx, requester, after, { action: "catch up", slug: after.slug, ...changedFields });
}

/** Columns that the caller sets: they never change, need a reservation, or name a user or spoke that may be gone. */
const SET_BY_CALLER = ["id", "federationId", "slug", "domain", "createdAt", "createdBy", "copyOf"] as const;

function toColumns({ cluster, clusterUid: identity, namespace, siteRecord }: FoundSpoke) {
  const { blueprintInputs, updatedAt, ...columns } = omitFields(siteRecord, SET_BY_CALLER);
  return {
    ...columns,
    ...determineSpokeState(siteRecord, namespace.replicas),
    health: "unknown" as const,
    blueprintInputs: JSON.stringify(blueprintInputs),
    ...{ cluster, clusterUid: identity, namespace: namespace.name, namespaceUid: namespace.uid, recordedAt: null },
    backupUpdatedAt: updatedAt,
  };
}

/** Reserves the spoke's domain. Throws a Refusal if the domain is already in use. */
async function reserveDomain(tx: Tx, config: DomainConfig, { id, domain }: SpokeSiteRecord): Promise<void> {
  const ownNames = getServiceDomains(config);
  await lockDomains(tx, domain, ownNames);
  if (!await isDomainInUse(tx, domain, listParentDomains(domain, ownNames), id)) return;
  const message = `the domain ${domain}, a parent or a subdomain is in use`;
  throw new Refusal("DomainTaken", message, "Change the domain of the other spoke, or remove that spoke.");
}

async function storeFormerDomains(tx: Tx, { id, blueprintInputs }: SpokeSiteRecord): Promise<void> {
  const formerHosts = (blueprintInputs as SpokeInputs).formerHosts ?? [];
  await tx.deleteFrom("former_domains").where("spokeId", "=", id).execute();
  if (formerHosts.length === 0) return;
  const until = sql<Date>`wheelwright_now() + make_interval(days => ${FORMER_DOMAIN_DAYS}::integer)`;
  await tx.insertInto("former_domains").values(formerHosts.map(({ host }) => ({ domain: host, spokeId: id, until })))
    .onConflict((conflict) => conflict.doNothing()).execute();
}

/** Adds backups whose snapshots were found in the cluster. Completes rows of backups that were being taken. */
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
