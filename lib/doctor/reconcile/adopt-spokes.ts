/**
 * Adds missing spokes to the database, and updates existing spokes, from site records (ConfigMaps) in the cluster.
 */
import { sql } from "kysely";
import type { Config } from "#lib/base/config.ts";
import { deleteRetainedPvcRows } from "#lib/domains/backups/retained-pvcs.ts";
import { createCancellationAuditEntries } from "#lib/domains/federations/remove.ts";
import { getServiceDomains, listParentDomains } from "#lib/domains/spokes/domains.ts";
import { FORMER_DOMAIN_DAYS, isDomainInUse, lockDomains } from "#lib/domains/spokes/names.ts";
import { insertSpoke, lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { withRequestedDomain } from "#lib/domains/spokes/desired.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { omitFields } from "#lib/model/field.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import type { SpokeSiteRecord } from "#lib/moodle/site-record.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { cancelRunningJobs } from "#lib/jobs/removal.ts";
import type { Job } from "#lib/jobs/job.ts";
import { requestJobCancellation } from "#lib/jobs/store.ts";
import {
  isRowOutdated,
  pickValuesChangedAfterRestore,
  readChangesAfterRestore,
} from "#lib/doctor/reconcile/outdated-rows.ts";
import { listChangedSpokeFields } from "#lib/doctor/reconcile/changed-fields.ts";
import { determineSpokeState } from "#lib/doctor/reconcile/recorded-state.ts";
import type { ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";

/** A spoke that was found in a cluster, with its site record. */
export interface SpokeInCluster {
  readonly cluster: string;
  readonly clusterUid: string | null;
  readonly namespace: ObservedNamespace;
  readonly siteRecord: SpokeSiteRecord;
}

type DomainConfig = Pick<Config, "rootDomain" | "publicUrl">;

const NOW = sql<Date>`wheelwright_now()`;

export async function adoptSpoke(
  tx: Tx,
  requester: Requester,
  config: DomainConfig,
  spokeInCluster: SpokeInCluster,
): Promise<string | null> {
  const { id, federationId, slug, domain, createdBy, createdAt, copyOf } = spokeInCluster.siteRecord;
  const hub = await tx.selectFrom("federations").select(["state", "createdBy"]).where("id", "=", federationId)
    .forKeyShare().executeTakeFirst();
  if (!hub || hub.state === "removed") return `hub ${federationId} is not in the database`;
  const slugHolder = await tx.selectFrom("spokes").select("id").where("federationId", "=", federationId)
    .where("slug", "=", slug).where("state", "<>", "removed").where("id", "<>", id).executeTakeFirst();
  if (slugHolder) return `spoke ${slugHolder.id} already uses the slug ${slug}`;
  const domainConflict = await reserveDomain(tx, config, spokeInCluster.siteRecord);
  if (domainConflict !== null) return domainConflict;
  const [user, source] = await Promise.all([
    tx.selectFrom("users").select("id").where("id", "=", createdBy).executeTakeFirst(),
    tx.selectFrom("spokes").select("id").where("id", "=", copyOf).executeTakeFirst(),
  ]);
  const row = await insertSpoke(tx, {
    ...toColumns(spokeInCluster),
    ...{ id, federationId, slug, domain, createdAt, copyOf: source?.id ?? null },
    createdBy: user?.id ?? hub.createdBy,
  });
  if (!row) return "the database already has a spoke with this ID or namespace";
  await storeFormerDomains(tx, spokeInCluster.siteRecord);
  await recordSpokeResolution(tx, requester, row, {
    action: "adopt",
    slug,
    domain,
    size: row.size,
    lmsVersion: row.lmsVersion,
  });
  return null;
}

/**
 * Updates a spoke's row from its site record. Keeps fields that users changed after the database was restored. If a
 * user requested a new domain, the request stays pending.
 */
export async function updateSpokeFromRecord(
  tx: Tx,
  requester: Requester,
  config: DomainConfig,
  spokeInCluster: SpokeInCluster,
  restoredAt: Date | null,
): Promise<string | null> {
  const { namespace, siteRecord } = spokeInCluster, before = await lockSpoke(tx, siteRecord.id);
  if (isBeingRemoved(before) || !isRowOutdated(before, namespace, siteRecord)) return null;
  const domainConflict = await reserveDomain(tx, config, siteRecord);
  if (domainConflict !== null) return domainConflict;
  const changes = await readChangesAfterRestore(tx, restoredAt, before.id);
  const { domain: requestedDomain = siteRecord.domain, ...requestedValues } = pickValuesChangedAfterRestore(
    withRequestedDomain(before),
    changes,
  );
  await deleteRetainedPvcRows(tx, before.id, Object.values(getSitePvcNames(siteRecord.blueprintInputs as SpokeInputs)));
  const after = await tx.updateTable("spokes")
    .set({
      ...toColumns(spokeInCluster),
      ...requestedValues,
      domain: siteRecord.domain,
      requestedDomain: requestedDomain === siteRecord.domain ? null : requestedDomain,
      ...{ drift: null, failedChecks: 0, updatedAt: NOW },
    })
    .where("id", "=", before.id).returningAll().executeTakeFirstOrThrow();
  await storeFormerDomains(tx, siteRecord);
  const requested = changes.get(before.id),
    changedFields = listChangedSpokeFields(before, siteRecord, { state: after.state, requested });
  await recordSpokeResolution(tx, requester, after, { action: "catch up", slug: after.slug, ...changedFields });
  return null;
}

/** Marks a spoke as failed because its namespace is missing. Keeps the spoke's row. */
export async function markSpokeMissing(
  tx: Tx,
  requester: Requester,
  { id, namespaceUid }: SpokeRow,
  reason: string,
): Promise<null> {
  const before = await lockSpoke(tx, id);
  if (isBeingRemoved(before) || before.namespaceUid !== namespaceUid) return null;
  const after = await tx.updateTable("spokes")
    .set({ state: "failed", stateReason: reason, health: "unknown", requestedDomain: null, updatedAt: NOW })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
  await recordSpokeResolution(tx, requester, after, {
    action: "give up",
    slug: after.slug,
    from: before.state,
    reason,
  });
  return null;
}

/** Cancels a spoke's operations in the database. Does nothing if the spoke is being removed. */
export async function cancelOperationsOfSpoke(
  tx: Tx,
  requester: Requester,
  { id }: SpokeRow,
  operations: readonly string[],
  replicas: ObservedNamespace["replicas"] | null,
): Promise<null> {
  const before = await lockSpoke(tx, id);
  if (isBeingRemoved(before)) return null;
  const cancelledJobs = await cancelJobs(tx, operations);
  if (cancelledJobs.length === 0) return null;
  const after = await tx.updateTable("spokes").set({ ...determineSpokeState(before, replicas), updatedAt: NOW })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
  const ids = { federationId: after.federationId, spokeId: id };
  await recordChange(tx, requester, {
    audit: createCancellationAuditEntries(cancelledJobs, ids, "the database was restored to an earlier time"),
    events: cancelledJobs.map((job) => ({ ...ids, state: after.state, operation: toStreamOperation(job) })),
  });
  return null;
}

/** Cancels the given operations that are still queued or running. Returns the cancelled jobs. */
export async function cancelJobs(tx: Tx, operations: readonly string[]): Promise<Job[]> {
  const cancelledJobs: Job[] = [];
  for (const id of operations) {
    const job = await requestJobCancellation(tx, id);
    if (job) cancelledJobs.push(job);
  }
  return await cancelRunningJobs(tx, cancelledJobs);
}

/** Columns that the caller sets: they never change, need a reservation, or name a user or spoke that may be gone. */
const SET_BY_CALLER = ["id", "federationId", "slug", "domain", "createdAt", "createdBy", "copyOf"] as const;

function toColumns({ cluster, clusterUid: identity, namespace, siteRecord }: SpokeInCluster) {
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

/** Reserves the spoke's domain. Returns null on success, or an error message if the domain is already in use. */
async function reserveDomain(tx: Tx, config: DomainConfig, { id, domain }: SpokeSiteRecord): Promise<string | null> {
  const ownNames = getServiceDomains(config);
  await lockDomains(tx, domain, ownNames);
  const domainConflict = await isDomainInUse(tx, domain, listParentDomains(domain, ownNames), id);
  return domainConflict ? `the domain ${domain}, a parent or a subdomain is in use` : null;
}

async function storeFormerDomains(tx: Tx, { id, blueprintInputs }: SpokeSiteRecord): Promise<void> {
  const formerHosts = (blueprintInputs as SpokeInputs).formerHosts ?? [];
  await tx.deleteFrom("former_domains").where("spokeId", "=", id).execute();
  if (formerHosts.length === 0) return;
  const until = sql<Date>`wheelwright_now() + make_interval(days => ${FORMER_DOMAIN_DAYS}::integer)`;
  await tx.insertInto("former_domains").values(formerHosts.map(({ host }) => ({ domain: host, spokeId: id, until })))
    .onConflict((conflict) => conflict.doNothing()).execute();
}

async function recordSpokeResolution(
  tx: Tx,
  requester: Requester,
  spoke: SpokeRow,
  metadata: Record<string, unknown>,
): Promise<void> {
  const { id: spokeId, federationId, state, stateReason: error } = spoke;
  await recordChange(tx, requester, {
    audit: [{ kind: "spoke_actioned", ...buildSpokeSubject(spoke), metadata: { ...metadata, reconciled: true } }],
    events: [{ federationId, spokeId, state, error }],
  });
}

function isBeingRemoved({ state }: SpokeRow): boolean {
  return state === "removing" || state === "removed";
}
