/**
 * Creates a spoke: its row, what is told of it, and its install in the hub's queue, all in one transaction.
 *
 * Who is first to have a slug or a domain is decided by unique indexes, and whose domain stands above another's under a
 * lock; nothing here looks first and then hopes.
 */
import { type AuditEntry, onSpoke } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Asker } from "#lib/audit/asker.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { type SiteColumns, spokeInputs } from "#lib/catalog/inputs.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { namespaceName } from "#lib/moodle/names.ts";
import { recordOperation } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import { type FederationRow, lockFederationShared } from "#lib/domains/federations/store.ts";
import { findReply, type IdempotencyKey, once } from "#lib/idempotency/store.ts";
import { newId } from "#lib/base/ids.ts";
import type { Job } from "#lib/jobs/job.ts";
import { streamOperation } from "#lib/jobs/operation.ts";
import { applyDefaults, type DesiredSpoke } from "#lib/domains/spokes/defaults.ts";
import { requireVerifiedDomain } from "#lib/domains/spokes/domain-verification.ts";
import { domainsFor, domainTakenFault, ownNamesOf, parentNames } from "#lib/domains/spokes/domains.ts";
import { isInUse, lockNames } from "#lib/domains/spokes/names.ts";
import { operationOn } from "#lib/domains/spokes/operation.ts";
import { showListedSpokes } from "#lib/domains/spokes/show.ts";
import { defaultExtras, hasSlug, insertSpoke, type NewSpokeRow, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { NewSpoke, SpokeRecord } from "#lib/domains/spokes/views.ts";

/** Another spoke that one is to be made after, in place of an installation: what of it others know (backups/copy.ts). */
export interface CopySource {
  /** What is not asked for is as it is there. */
  readonly spoke: SpokeRow;
  preview(): Promise<CopyPlan>;
  /** The same, held from now on for the spoke that is made in this transaction. */
  claim(tx: Tx): Promise<CopyPlan>;
}

/** What the spoke is made from. */
export interface CopyPlan {
  readonly lmsVersion: string;
  /** backupId is null of one that would have to be taken first. */
  readonly from: { readonly spokeId: string; readonly backupId: string | null };
  inputsOf(spoke: SiteColumns, cluster: string): SpokeInputs;
  auditExtras(row: SpokeRow): AuditExtras;
}

/** Finds it by the request; null where nothing is to be made after another. */
export type FindCopySource = (app: App, actor: Actor, input: NewSpoke) => Promise<CopySource | null>;
export const noCopy: FindCopySource = () => Promise.resolve(null);

/** Runs work in the hub's turn, among all that create something in it. */
type RunInHubQueue = <T>(hubId: string, work: () => Promise<T>) => Promise<T>;

interface CreateOptions {
  /** The request's: name servers may be slow. */
  readonly signal?: AbortSignal;
  readonly findCopySource?: FindCopySource;
  /** Immediately when absent. */
  readonly runInHubQueue?: RunInHubQueue;
}

/**
 * Throws Fault conflict `slug_taken`, `domain_taken`, `domain_unproven` or `federation_state`, unavailable
 * `dns_unavailable`, invalid for what cannot be, and what `findCopySource` and what it finds throw.
 */
export async function createSpoke(
  app: App,
  actor: Actor,
  federation: FederationRow,
  input: NewSpoke,
  key: IdempotencyKey | null,
  { signal, findCopySource = noCopy, runInHubQueue = (_, work) => work() }: CreateOptions = {},
): Promise<SpokeRecord> {
  const readEarlier = async () => {
    const reply = await findReply<SpokeRecord>(app.db.rows, key);
    return { reply, source: reply ? null : await findCopySource(app, actor, input) };
  };
  const reads = key !== null || input.copyOf !== undefined;
  const { reply, source } = await (reads ? runInHubQueue(federation.id, readEarlier) : readEarlier());
  if (reply) return reply; // what has been proved need not be proved again
  const desired = applyDefaults(app.catalog, federation, actor.email, input, source?.spoke);
  const domains = domainsFor(app.config, desired.slug, federation.slug, input.domain);
  await requireVerifiedDomain(app, actor, federation, domains, signal);
  const create = (tx: Tx): Promise<SpokeRecord> =>
    once(tx, key, async () => {
      const hub = await lockFederationShared(tx, federation.id);
      requireLiveHub(hub.state, "add a spoke to");
      const plan = await source?.claim(tx), own = draftSpoke(app, hub.id, desired, plan);
      const cluster = clusterFor(app, hub, desired.region);
      const row = await insertUnderFreeDomain(tx, app.config, own, domains, (domain) => {
        const spoke = { ...own, domain };
        return {
          ...spoke,
          state: "provisioning",
          cluster,
          blueprintRevision: app.blueprint.revision,
          blueprintInputs: JSON.stringify(inputsOf(app, spoke, cluster, plan)),
          ...(plan && { copyOf: plan.from.spokeId, fromBackup: plan.from.backupId }),
          createdBy: actor.userId,
        };
      });
      const job = await recordNewSpoke(tx, actor, row, plan?.auditExtras(row));
      const found = { ...row, ...defaultExtras(row), busy: false, renamed: false };
      const [record] = await showListedSpokes(tx, actor, [found], [job]);
      return record!;
    });
  return await runInHubQueue(federation.id, () => app.db.transact(create));
}

/** What it is made from. */
export function inputsOf(app: App, spoke: SiteColumns, cluster: string, plan?: CopyPlan): SpokeInputs {
  return plan ? plan.inputsOf(spoke, cluster) : spokeInputs(app.catalog, app.config, spoke);
}

/** The row with the names that are its own. */
export function draftSpoke(
  { config: { releaseId: release } }: Pick<App, "config">,
  federationId: string,
  desired: DesiredSpoke,
  { lmsVersion = desired.lmsVersion }: Partial<CopyPlan> = {},
) {
  const id = newId("spk");
  return {
    ...desired,
    lmsVersion,
    id,
    federationId,
    namespace: namespaceName("spoke", { release, slug: desired.slug, id }),
  };
}

/** Tries the domains in turn. The insert itself says whether slug and domain are free. `rowUnder` makes the row of a domain. */
export async function insertUnderFreeDomain(
  tx: Tx,
  config: App["config"],
  { federationId, slug }: Pick<SpokeRow, "federationId" | "slug">,
  domains: readonly string[],
  rowFor: (domain: string) => NewSpokeRow,
): Promise<SpokeRow> {
  const ownNames = ownNamesOf(config);
  for (const domain of domains) {
    // Asked at once, and done in this order: what is looked up stays so.
    const [, taken] = await Promise.all([
      lockNames(tx, domain, ownNames),
      isInUse(tx, domain, parentNames(domain, ownNames)),
    ]);
    const row = taken ? undefined : await insertSpoke(tx, rowFor(domain));
    if (row) return row;
    if (await hasSlug(tx, federationId, slug)) throw slugTaken(slug);
  }
  throw domainTakenFault(domains);
}

/** A region that has left the catalogue says nothing any more: then a spoke goes where its hub is. */
export function clusterFor({ catalog, clusters }: App, hub: FederationRow, region: string | null): string {
  const isListed = catalog.regions.some(({ name }) => name === region);
  return isListed ? clusters.clusterFor(region) : hub.cluster;
}

/** What is said of its making besides. */
export interface AuditExtras {
  /** In the audit of the spoke. */
  readonly metadata?: object;
  /** In that of others. */
  readonly otherEntries?: readonly AuditEntry[];
}

export async function recordNewSpoke(
  tx: Tx,
  requester: Asker,
  spoke: SpokeRow,
  { metadata: more, otherEntries: others = [] }: AuditExtras = {},
): Promise<Job> {
  const about = { federationId: spoke.federationId, spokeId: spoke.id };
  return await recordOperation(tx, requester, operationOn(spoke, "provision"), (job) => ({
    audit: [{
      kind: "spoke_requested",
      ...onSpoke(spoke),
      metadata: {
        slug: spoke.slug,
        domain: spoke.domain,
        size: spoke.size,
        lmsVersion: spoke.lmsVersion,
        ...more,
        operationId: job.id,
      },
    }, ...others],
    events: [{ ...about, state: spoke.state, operation: streamOperation(job) }],
  }));
}

export function slugTaken(slug: string): Fault {
  return new Fault("conflict", "slug_taken", `This hub has a spoke with the slug ${slug} already; choose another`);
}
