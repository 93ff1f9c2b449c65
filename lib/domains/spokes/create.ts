/**
 * Creates a spoke: one transaction adds the row, records the events and enqueues the install in the hub's lane (queue).
 * Unique indexes ensure that only one request gets a slug or domain. A lock prevents conflicts with parent domains.
 */
import { type AuditEntry, buildSpokeSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createSpokeInputs, type SpokeInputSource } from "#lib/catalog/inputs.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { buildNamespaceName } from "#lib/moodle/names.ts";
import { startOperation } from "#lib/changes/record.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import { type FederationRow, lockFederationShared, readStableFederation } from "#lib/domains/federations/store.ts";
import { canSeeObject } from "#lib/domains/federations/viewer.ts";
import { findStoredReply, type IdempotencyKey, runIdempotently } from "#lib/idempotency/store.ts";
import { createId } from "#lib/base/ids.ts";
import type { Job } from "#lib/jobs/job.ts";
import { describeNewOperation, toStreamOperation } from "#lib/jobs/operation.ts";
import { applyDefaults, type DesiredSpoke } from "#lib/domains/spokes/defaults.ts";
import { requireVerifiedDomain } from "#lib/domains/spokes/domain-verification.ts";
import {
  domainTakenFault,
  getServiceDomains,
  listCandidateDomains,
  listParentDomains,
} from "#lib/domains/spokes/domains.ts";
import { isDomainInUse, lockDomains } from "#lib/domains/spokes/names.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import { toSpokeRecord } from "#lib/domains/spokes/show.ts";
import {
  createDefaultSpokeExtras,
  insertSpoke,
  isSlugInUse,
  type NewSpokeRow,
  type SpokeRow,
} from "#lib/domains/spokes/store.ts";
import { lockHubBounds, requireAllowedSize, requireWithinBounds } from "#lib/domains/spokes/tier-limits.ts";
import type { NewSpoke, SpokeRecord } from "#lib/domains/spokes/views.ts";

/** The existing spoke from which a new spoke is copied (see backups/copy.ts). */
export interface CopySource {
  /** The spoke to copy. Values that the request omits are taken from this spoke. */
  readonly spoke: SpokeRow;
  preview(): Promise<CopyPlan>;
  /** Plans the copy in the transaction that creates the new spoke, and reserves the backup for the copy. */
  claim(tx: Tx): Promise<CopyPlan>;
}

export interface CopyPlan {
  readonly lmsVersion: string;
  /** The IDs of the copied spoke and backup. `backupId` is null in a preview if there is no backup yet. */
  readonly from: { readonly spokeId: string; readonly backupId: string | null };
  inputsOf(spoke: SpokeInputSource, cluster: string): SpokeInputs;
  auditExtras(row: SpokeRow): NewSpokeAuditData;
}

/** A function that finds the spoke to copy, or returns null if the request is not for a copy. */
export type CopySourceFinder = (app: App, actor: Actor, input: NewSpoke) => Promise<CopySource | null>;
export const returnNoCopySource: CopySourceFinder = () => Promise.resolve(null);

/** A function that runs `work` after earlier creations of spokes in the same hub, and returns its result. */
type RunInHubQueue = <T>(hubId: string, work: () => Promise<T>) => Promise<T>;

interface CreateOptions {
  /** Aborts the creation, for example during a slow DNS query. */
  readonly signal?: AbortSignal;
  readonly findCopySource?: CopySourceFinder;
  /** Runs creations in a hub one after another. If undefined, the creation runs immediately. */
  readonly runInHubQueue?: RunInHubQueue;
}

/**
 * Creates a spoke. Throws the faults of `findCopySource`, or a fault: `conflict` (`slug_taken`, `domain_taken`,
 * `domain_unproven`, `federation_state`, `tier_size` or `tier_bound`), `unavailable` (`dns_unavailable`) or `invalid`.
 */
export async function createSpoke(
  app: App,
  actor: Actor,
  federation: FederationRow,
  input: NewSpoke,
  key: IdempotencyKey | null,
  { signal, findCopySource = returnNoCopySource, runInHubQueue = (_, work) => work() }: CreateOptions = {},
): Promise<SpokeRecord> {
  const readEarlier = async () => {
    const reply = await findStoredReply<SpokeRecord>(app.db.rows, key);
    return { reply, source: reply ? null : await findCopySource(app, actor, input) };
  };
  const reads = key !== null || input.copyOf !== undefined;
  const { reply, source } = await (reads ? runInHubQueue(federation.id, readEarlier) : readEarlier());
  if (reply) return reply; // a repeated request need not verify the domain again
  const desired = applyDefaults(app.catalog, federation, actor.email, input, source?.spoke);
  const domains = listCandidateDomains(app.config, desired.slug, federation.slug, input.domain);
  await requireVerifiedDomain(app, actor, federation, domains, signal);
  const create = async (tx: Tx): Promise<SpokeRecord> => {
    const hub = await lockHub(tx, app, federation.id);
    requireLiveHub(hub.state, "add a spoke to");
    await lockHubBounds(tx, app.catalog, hub);
    const plan = await source?.claim(tx), own = buildSpokeRow(app, hub.id, desired, plan);
    const cluster = selectNewSpokeCluster(app, hub, desired.region);
    const expected = buildBlueprintInputs(app, { ...own, domain: domains[0]!, hubTier: hub.tier }, cluster, plan);
    await requireTierAllowsSpoke(tx, app, hub, expected);
    const row = await insertUnderFreeDomain(tx, app.config, own, domains, (domain) => {
      const spoke = { ...own, domain };
      return {
        ...spoke,
        state: "provisioning",
        cluster,
        blueprintRevision: app.blueprint.revision,
        blueprintInputs: JSON.stringify(buildBlueprintInputs(app, { ...spoke, hubTier: hub.tier }, cluster, plan)),
        ...(plan && { copyOf: plan.from.spokeId, fromBackup: plan.from.backupId }),
        createdBy: actor.userId,
      };
    });
    const { enqueued, recorded } = startNewSpoke(tx, actor, row, plan?.auditExtras(row));
    const describeJob = async () => describeNewOperation(tx, await enqueued, (job) => canSeeObject(actor, job));
    const [operation] = await Promise.all([describeJob(), recorded]);
    return toSpokeRecord(actor, { ...row, ...createDefaultSpokeExtras(row) }, [], operation);
  };
  return await runInHubQueue(federation.id, () => runIdempotently(app.db, key, create));
}

/** Throws a `conflict` fault (`tier_size` or `tier_bound`) if the hub's tier does not allow the new spoke. */
export async function requireTierAllowsSpoke(
  rows: RowQueries,
  { catalog }: App,
  hub: FederationRow,
  { size, resources }: SpokeInputs,
): Promise<void> {
  requireAllowedSize(catalog, hub.tier, size);
  await requireWithinBounds(rows, catalog, hub, resources);
}

/** Locks the hub. If tiers are described, a change of the hub's tier waits until the new spoke is visible to it. */
async function lockHub(tx: Tx, { catalog }: App, id: string): Promise<FederationRow> {
  return await (catalog.tiers.length > 0 ? readStableFederation(tx, id) : lockFederationShared(tx, id));
}

/** Returns the blueprint inputs: the values for rendering the new spoke's manifests. */
export function buildBlueprintInputs(
  app: App,
  spoke: SpokeInputSource,
  cluster: string,
  plan?: CopyPlan,
): SpokeInputs {
  return plan ? plan.inputsOf(spoke, cluster) : createSpokeInputs(app.catalog, app.config, spoke);
}

/** Returns the columns of a new spoke, with a generated ID and namespace name. */
export function buildSpokeRow(
  { config: { releaseId: release } }: Pick<App, "config">,
  federationId: string,
  desired: DesiredSpoke,
  { lmsVersion = desired.lmsVersion }: Partial<CopyPlan> = {},
) {
  const id = createId("spk");
  return {
    ...desired,
    lmsVersion,
    id,
    federationId,
    namespace: buildNamespaceName("spoke", { release, slug: desired.slug, id }),
  };
}

/** Inserts a spoke with the first free domain. `rowFor` returns the row to insert for a domain. */
export async function insertUnderFreeDomain(
  tx: Tx,
  config: App["config"],
  { federationId, slug }: Pick<SpokeRow, "federationId" | "slug">,
  domains: readonly string[],
  rowFor: (domain: string) => NewSpokeRow,
): Promise<SpokeRow> {
  const ownNames = getServiceDomains(config);
  for (const domain of domains) {
    // Sends both statements together; PostgreSQL runs them in order. The lock comes first, so the result of the check
    // stays valid until the transaction ends.
    const [, taken] = await Promise.all([
      lockDomains(tx, domain, ownNames),
      isDomainInUse(tx, domain, listParentDomains(domain, ownNames)),
    ]);
    const row = taken ? undefined : await insertSpoke(tx, rowFor(domain));
    if (row) return row;
    if (await isSlugInUse(tx, federationId, slug)) throw slugTakenFault(slug);
  }
  throw domainTakenFault(domains);
}

/** Returns the cluster for a new spoke: the region's cluster or, if the catalog has no such region, the hub's. */
export function selectNewSpokeCluster({ catalog, clusters }: App, hub: FederationRow, region: string | null): string {
  const isListed = catalog.regions.some(({ name }) => name === region);
  return isListed ? clusters.clusterFor(region) : hub.cluster;
}

export interface NewSpokeAuditData {
  /** Additional metadata for the audit event about the new spoke. */
  readonly metadata?: object;
  /** Additional audit events, about objects other than the new spoke. */
  readonly otherEntries?: readonly AuditEntry[];
}

export async function recordNewSpoke(
  tx: Tx,
  requester: Requester,
  spoke: SpokeRow,
  data?: NewSpokeAuditData,
): Promise<Job> {
  const { enqueued, recorded } = startNewSpoke(tx, requester, spoke, data);
  const [job] = await Promise.all([enqueued, recorded]);
  return job;
}

/** Does the same as `recordNewSpoke`, but returns the job as soon as it is stored. */
function startNewSpoke(
  tx: Tx,
  requester: Requester,
  spoke: SpokeRow,
  { metadata: more, otherEntries: others = [] }: NewSpokeAuditData = {},
) {
  const about = { federationId: spoke.federationId, spokeId: spoke.id };
  return startOperation(tx, requester, buildSpokeJob(spoke, "provision"), (job) => ({
    audit: [{
      kind: "spoke_requested",
      ...buildSpokeSubject(spoke),
      metadata: {
        slug: spoke.slug,
        domain: spoke.domain,
        size: spoke.size,
        lmsVersion: spoke.lmsVersion,
        ...more,
        operationId: job.id,
      },
    }, ...others],
    events: [{ ...about, state: spoke.state, operation: toStreamOperation(job) }],
  }));
}

export function slugTakenFault(slug: string): Fault {
  return new Fault("conflict", "slug_taken", `This hub already has a spoke with the slug ${slug}; choose another slug`);
}
