/**
 * Adopts and updates rows of spokes from their records. Each change is one transaction with its audit and stream
 * events.
 */
import { sql } from "kysely";
import type { Config } from "#lib/base/config.ts";
import { deleteRetainedPvcRows } from "#lib/domains/backups/retained-pvcs.ts";
import { createCancellationEntries } from "#lib/domains/federations/abandon.ts";
import { parentDomains, serviceDomainsOf } from "#lib/domains/spokes/domains.ts";
import { FORMER_DOMAIN_DAYS, isInUse, lockNames } from "#lib/domains/spokes/names.ts";
import { insertSpoke, lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { withRequestedDomain } from "#lib/domains/spokes/desired.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { sitePvcNames } from "#lib/moodle/names.ts";
import type { SpokeSiteRecord } from "#lib/moodle/site-record.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { spokeSubject } from "#lib/audit/store.ts";
import { record } from "#lib/changes/record.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { cancelRunningJobs } from "#lib/jobs/removal.ts";
import type { Job } from "#lib/jobs/job.ts";
import { requestCancel } from "#lib/jobs/store.ts";
import { isRowOutdated, pickChangedValues, readChangesAfterRestore } from "#lib/doctor/reconcile/outdated-rows.ts";
import { changedOfSpoke } from "#lib/doctor/reconcile/changed-fields.ts";
import { stateOfRecordedSpoke } from "#lib/doctor/reconcile/recorded-state.ts";
import type { ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";

/** A spoke in a cluster, with its record. */
export interface SpokeInCluster {
  readonly cluster: string;
  readonly identity: string | null;
  readonly namespace: ObservedNamespace;
  readonly particulars: SpokeSiteRecord;
}

type Names = Pick<Config, "rootDomain" | "publicUrl">;

const NOW = sql<Date>`wheelwright_now()`;

export async function adoptSpoke(
  tx: Tx,
  requester: Requester,
  names: Names,
  standing: SpokeInCluster,
): Promise<string | null> {
  const { id, federationId, slug, domain, createdBy, createdAt, copyOf } = standing.particulars;
  const hub = await tx.selectFrom("federations").select(["state", "createdBy"]).where("id", "=", federationId)
    .forKeyShare().executeTakeFirst();
  if (!hub || hub.state === "removed") return `its hub ${federationId} is not in the database`;
  const holder = await tx.selectFrom("spokes").select("id").where("federationId", "=", federationId)
    .where("slug", "=", slug).where("state", "<>", "removed").where("id", "<>", id).executeTakeFirst();
  if (holder) return `the spoke ${holder.id} has its slug ${slug}`;
  const taken = await takeNames(tx, names, standing.particulars);
  if (taken !== null) return taken;
  const [user, source] = await Promise.all([
    tx.selectFrom("users").select("id").where("id", "=", createdBy).executeTakeFirst(),
    tx.selectFrom("spokes").select("id").where("id", "=", copyOf).executeTakeFirst(),
  ]);
  const row = await insertSpoke(tx, {
    ...columnsOf(standing),
    ...{ id, federationId, slug, domain, createdAt, copyOf: source?.id ?? null },
    createdBy: user?.id ?? hub.createdBy,
  });
  if (!row) return "a spoke of its id or namespace is in the database";
  await keepFormerNames(tx, standing.particulars);
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
 * Updates a spoke from its record. Keeps the fields that users changed after the restore. A domain that they requested
 * is still to be applied.
 */
export async function updateSpokeFromRecord(
  tx: Tx,
  requester: Requester,
  names: Names,
  standing: SpokeInCluster,
  restoredAt: Date | null,
): Promise<string | null> {
  const { namespace, particulars } = standing, before = await lockSpoke(tx, particulars.id);
  if (isGoing(before) || !isRowOutdated(before, namespace, particulars)) return null;
  const taken = await takeNames(tx, names, particulars);
  if (taken !== null) return taken;
  const changes = await readChangesAfterRestore(tx, restoredAt, before.id);
  const { domain: requestedDomain = particulars.domain, ...words } = pickChangedValues(
    withRequestedDomain(before),
    changes,
  );
  await deleteRetainedPvcRows(tx, before.id, Object.values(sitePvcNames(particulars.blueprintInputs as SpokeInputs)));
  const after = await tx.updateTable("spokes")
    .set({
      ...columnsOf(standing),
      ...words,
      domain: particulars.domain,
      requestedDomain: requestedDomain === particulars.domain ? null : requestedDomain,
      ...{ drift: null, failedChecks: 0, updatedAt: NOW },
    })
    .where("id", "=", before.id).returningAll().executeTakeFirstOrThrow();
  await keepFormerNames(tx, particulars);
  const requested = changes.get(before.id),
    changed = changedOfSpoke(before, particulars, { state: after.state, requested });
  await recordSpokeResolution(tx, requester, after, { action: "catch up", slug: after.slug, ...changed });
  return null;
}

/** Marks a spoke whose namespace is missing as failed. Its row stays, because the cause is unknown. */
export async function markSpokeGone(
  tx: Tx,
  requester: Requester,
  { id, namespaceUid }: SpokeRow,
  reason: string,
): Promise<null> {
  const before = await lockSpoke(tx, id);
  if (isGoing(before) || before.namespaceUid !== namespaceUid) return null;
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

/** Cancels operations of a spoke, in the database only. Removals are not cancelled and continue. */
export async function cancelOperationsOfSpoke(
  tx: Tx,
  requester: Requester,
  { id }: SpokeRow,
  operations: readonly string[],
  replicas: ObservedNamespace["replicas"] | null,
): Promise<null> {
  const before = await lockSpoke(tx, id);
  if (isGoing(before)) return null;
  const ended = await cancelJobs(tx, operations);
  if (ended.length === 0) return null;
  const after = await tx.updateTable("spokes").set({ ...stateOfRecordedSpoke(before, replicas), updatedAt: NOW })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
  const about = { federationId: after.federationId, spokeId: id };
  await record(tx, requester, {
    audit: createCancellationEntries(ended, about, "the database was restored to a time before"),
    events: ended.map((job) => ({ ...about, state: after.state, operation: toStreamOperation(job) })),
  });
  return null;
}

/** Cancels those of the operations that are still queued or running. */
export async function cancelJobs(tx: Tx, operations: readonly string[]): Promise<Job[]> {
  const ended: Job[] = [];
  for (const id of operations) {
    const job = await requestCancel(tx, id);
    if (job) ended.push(job);
  }
  return await cancelRunningJobs(tx, ended);
}

function columnsOf({ cluster, identity, namespace, particulars }: SpokeInCluster) {
  const { displayName, size, brand, adminEmail, region, lmsVersion, seed, mail, maintenance, readyAt } = particulars;
  const { content, contentMode, siteIdentifier, fromBackup, blueprintRevision, blueprintInputs } = particulars;
  return {
    ...stateOfRecordedSpoke(particulars, namespace.replicas),
    ...{ displayName, size, brand, adminEmail, region, lmsVersion, seed, mail, maintenance, readyAt },
    ...{ identity: particulars.identity, content, contentMode, siteIdentifier, fromBackup, blueprintRevision },
    imageDigest: particulars.imageDigest,
    health: "unknown" as const,
    blueprintInputs: JSON.stringify(blueprintInputs),
    ...{ cluster, clusterUid: identity, namespace: namespace.name, namespaceUid: namespace.uid, recordedAt: null },
    backupUpdatedAt: particulars.updatedAt,
  };
}

/** Reserves the domain of a spoke. Returns the reason if the domain is in use; null on success. */
async function takeNames(tx: Tx, names: Names, { id, domain }: SpokeSiteRecord): Promise<string | null> {
  const place = serviceDomainsOf(names);
  await lockNames(tx, domain, place);
  const taken = await isInUse(tx, domain, parentDomains(domain, place), id);
  return taken ? `its domain ${domain} is in use, or one above or below it` : null;
}

async function keepFormerNames(tx: Tx, { id, blueprintInputs }: SpokeSiteRecord): Promise<void> {
  const former = (blueprintInputs as SpokeInputs).formerHosts ?? [];
  await tx.deleteFrom("former_domains").where("spokeId", "=", id).execute();
  if (former.length === 0) return;
  const until = sql<Date>`wheelwright_now() + make_interval(days => ${FORMER_DOMAIN_DAYS}::integer)`;
  await tx.insertInto("former_domains").values(former.map(({ host }) => ({ domain: host, spokeId: id, until })))
    .onConflict((conflict) => conflict.doNothing()).execute();
}

async function recordSpokeResolution(
  tx: Tx,
  requester: Requester,
  spoke: SpokeRow,
  metadata: Record<string, unknown>,
): Promise<void> {
  const { id: spokeId, federationId, state, stateReason: error } = spoke;
  await record(tx, requester, {
    audit: [{ kind: "spoke_actioned", ...spokeSubject(spoke), metadata: { ...metadata, reconciled: true } }],
    events: [{ federationId, spokeId, state, error }],
  });
}

function isGoing({ state }: SpokeRow): boolean {
  return state === "removing" || state === "removed";
}
