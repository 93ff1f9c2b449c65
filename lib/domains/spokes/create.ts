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
import { spokeInputs, type SpokeRequest } from "#lib/catalog/inputs.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { namespaceName } from "#lib/moodle/names.ts";
import { recordOperation } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { refuseWhenLeaving } from "#lib/domains/federations/state.ts";
import { type FederationRow, keepFederation } from "#lib/domains/federations/store.ts";
import { findReply, type IdempotencyKey, once } from "#lib/idempotency/store.ts";
import { newId } from "#lib/base/ids.ts";
import type { Job } from "#lib/jobs/job.ts";
import { streamOperation } from "#lib/jobs/operation.ts";
import { resolveWish, type SpokeWish } from "#lib/domains/spokes/defaults.ts";
import { requireProof } from "#lib/domains/spokes/domain-proof.ts";
import { domainsFor, domainTaken, namesAbove, ownNamesOf } from "#lib/domains/spokes/domains.ts";
import { isInUse, lockNames } from "#lib/domains/spokes/names.ts";
import { operationOn } from "#lib/domains/spokes/operation.ts";
import { showFound } from "#lib/domains/spokes/show.ts";
import { besides, hasSlug, insertSpoke, type NewSpokeRow, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { NewSpoke, SpokeRecord } from "#lib/domains/spokes/views.ts";

/** Another spoke that one is to be made after, in place of an installation: what of it others know (backups/copy.ts). */
export interface CopySource {
  /** What is not asked for is as it is there. */
  readonly spoke: SpokeRow;
  look(): Promise<CopyPlan>;
  /** The same, held from now on for the spoke that is made in this transaction. */
  claim(tx: Tx): Promise<CopyPlan>;
}

/** What the spoke is made from. */
export interface CopyPlan {
  readonly lmsVersion: string;
  /** backupId is null of one that would have to be taken first. */
  readonly from: { readonly spokeId: string; readonly backupId: string | null };
  inputsOf(spoke: SpokeRequest, cluster: string): SpokeInputs;
  tell(row: SpokeRow): Besides;
}

/** Finds it by the request; null where nothing is to be made after another. */
export type FindCopySource = (app: App, actor: Actor, input: NewSpoke) => Promise<CopySource | null>;
export const noCopy: FindCopySource = () => Promise.resolve(null);

/** Runs work in the hub's turn, among all that create something in it. */
type InTurn = <T>(hubId: string, work: () => Promise<T>) => Promise<T>;

interface CreateOptions {
  /** The request's: name servers may be slow. */
  readonly signal?: AbortSignal;
  readonly findCopySource?: FindCopySource;
  /** Immediately when absent. */
  readonly inTurn?: InTurn;
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
  { signal, findCopySource = noCopy, inTurn = (_, work) => work() }: CreateOptions = {},
): Promise<SpokeRecord> {
  const earlier = async () => {
    const answered = await findReply<SpokeRecord>(app.db.rows, key);
    return { answered, source: answered ? null : await findCopySource(app, actor, input) };
  };
  const reads = key !== null || input.copyOf !== undefined;
  const { answered, source } = await (reads ? inTurn(federation.id, earlier) : earlier());
  if (answered) return answered; // what has been proved need not be proved again
  const wish = resolveWish(app.catalog, federation, actor.email, input, source?.spoke);
  const domains = domainsFor(app.config, wish.slug, federation.slug, input.domain);
  await requireProof(app, actor, federation, domains, signal);
  const create = (tx: Tx): Promise<SpokeRecord> =>
    once(tx, key, async () => {
      const hub = await keepFederation(tx, federation.id);
      refuseWhenLeaving(hub.state, "add a spoke to");
      const plan = await source?.claim(tx), own = draftSpoke(app, hub.id, wish, plan);
      const cluster = clusterFor(app, hub, wish.region);
      const row = await placeSpoke(tx, app.config, own, domains, (domain) => {
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
      const job = await announceSpoke(tx, actor, row, plan?.tell(row));
      const found = { ...row, ...besides(row), busy: false, renamed: false };
      const [shown] = await showFound(tx, actor, [found], [job]);
      return shown!;
    });
  return await inTurn(federation.id, () => app.db.transact(create));
}

/** What it is made from. */
export function inputsOf(app: App, spoke: SpokeRequest, cluster: string, plan?: CopyPlan): SpokeInputs {
  return plan ? plan.inputsOf(spoke, cluster) : spokeInputs(app.catalog, app.config, spoke);
}

/** The row with the names that are its own. */
export function draftSpoke(
  { config: { releaseId: release } }: Pick<App, "config">,
  federationId: string,
  wish: SpokeWish,
  { lmsVersion = wish.lmsVersion }: Partial<CopyPlan> = {},
) {
  const id = newId("spk");
  return { ...wish, lmsVersion, id, federationId, namespace: namespaceName("spoke", { release, slug: wish.slug, id }) };
}

/** Tries the domains in turn. The insert itself says whether slug and domain are free. `rowUnder` makes the row of a domain. */
export async function placeSpoke(
  tx: Tx,
  config: App["config"],
  { federationId, slug }: Pick<SpokeRow, "federationId" | "slug">,
  domains: readonly string[],
  rowUnder: (domain: string) => NewSpokeRow,
): Promise<SpokeRow> {
  const place = ownNamesOf(config);
  for (const domain of domains) {
    // Asked at once, and done in this order: what is looked up stays so.
    const [, taken] = await Promise.all([
      lockNames(tx, domain, place),
      isInUse(tx, domain, namesAbove(domain, place)),
    ]);
    const row = taken ? undefined : await insertSpoke(tx, rowUnder(domain));
    if (row) return row;
    if (await hasSlug(tx, federationId, slug)) throw slugTaken(slug);
  }
  throw domainTaken(domains);
}

/** A region that has left the catalogue says nothing any more: then a spoke goes where its hub is. */
export function clusterFor({ catalog, clusters }: App, hub: FederationRow, region: string | null): string {
  const listed = catalog.regions.some(({ name }) => name === region);
  return listed ? clusters.clusterFor(region) : hub.cluster;
}

/** What is said of its making besides. */
export interface Besides {
  /** In the audit of the spoke. */
  readonly more?: object;
  /** In that of others. */
  readonly others?: readonly AuditEntry[];
}

export async function announceSpoke(
  tx: Tx,
  asker: Asker,
  spoke: SpokeRow,
  { more, others = [] }: Besides = {},
): Promise<Job> {
  const about = { federationId: spoke.federationId, spokeId: spoke.id };
  return await recordOperation(tx, asker, operationOn(spoke, "provision"), (job) => ({
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
