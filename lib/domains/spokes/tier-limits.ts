/** Enforces what the tier of a hub allows: the sizes of its spokes, and the bounds of all its spokes together. */
import { sql } from "kysely";
import { Fault } from "#lib/base/errors.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { CatalogTier } from "#lib/catalog/tier.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { formatQuantity } from "#lib/moodle/quota.ts";
import { type DiskSizes, getLargerQuantity } from "#lib/moodle/resize.ts";
import { OPERATIONS } from "#lib/operations/table.ts";

type TierCatalog = Pick<Catalog, "tierOf" | "defaults" | "resourcesOf" | "findProblem">;
type TierHub = Pick<FederationRow, "id" | "tier">;

/** Returns the default size for new spokes of the hub: the catalog's, or the first one that the tier allows. */
export function getDefaultSize({ tierOf, defaults }: TierCatalog, tier: string | null): string {
  const { sizes = [] } = tierOf(tier) ?? {};
  return sizes.length === 0 || sizes.includes(defaults.size) ? defaults.size : sizes[0]!;
}

/** Returns why the tier does not allow the size; null if it does. */
export function findSizeProblem({ tierOf }: Pick<Catalog, "tierOf">, tier: string | null, size: string): string | null {
  const { sizes } = tierOf(tier) ?? {};
  return !sizes || sizes.includes(size)
    ? null
    : `The tier ${tier} allows only the sizes ${sizes.join(", ")}, not ${size}`;
}

/** Throws a `conflict` fault (`tier_size`) if the hub's tier does not allow the size. */
export function requireAllowedSize(catalog: Pick<Catalog, "tierOf">, tier: string | null, size: string): void {
  const problem = findSizeProblem(catalog, tier, size);
  if (problem !== null) throw new Fault("conflict", "tier_size", problem);
}

/**
 * Makes other requests that a bound of the hub's tier concerns wait until the transaction ends. Does nothing if the tier
 * has no bounds. Must be called before the spoke's row is locked.
 */
export async function lockHubBounds(tx: Tx, catalog: TierCatalog, { id, tier }: TierHub): Promise<void> {
  if (!catalog.tierOf(tier)?.bounds) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`wheelwright: bounds of ${id}`}, 0))`.execute(tx);
}

/** The disks that a request adds to a hub: those of a new spoke, or the new disks of a spoke that is resized. */
export interface AddedDisks {
  readonly disks: DiskSizes;
  /** The ID of the spoke that is resized; undefined for a new spoke. */
  readonly resized?: string;
}

/** Throws a `conflict` fault (`tier_bound`) if the hub would exceed a bound of its tier. */
export async function requireWithinBounds(
  rows: RowQueries,
  catalog: TierCatalog,
  hub: TierHub,
  added: AddedDisks,
): Promise<void> {
  const { bounds } = catalog.tierOf(hub.tier) ?? {};
  if (!bounds) return;
  if (bounds.spokes !== undefined && added.resized === undefined) await requireSpokeBound(rows, hub, bounds.spokes);
  if (bounds.storage !== undefined) await requireStorageBound(rows, catalog, hub, added, bounds.storage);
}

async function requireSpokeBound(rows: RowQueries, { id, tier }: TierHub, bound: number): Promise<void> {
  const { count } = await rows.selectFrom("spokes").select(sql<number>`count(*)::int`.as("count"))
    .where("federationId", "=", id).where("state", "<>", "removed").executeTakeFirstOrThrow();
  if (count < bound) return;
  throw new Fault(
    "conflict",
    "tier_bound",
    `The tier ${tier} allows at most ${bound} in a hub, and this hub has ${count} spokes`,
  );
}

async function requireStorageBound(
  rows: RowQueries,
  catalog: TierCatalog,
  hub: TierHub,
  { disks, resized }: AddedDisks,
  bound: NonNullable<NonNullable<CatalogTier["bounds"]>["storage"]>,
): Promise<void> {
  const sites = await readHubDisks(rows, catalog, hub.id);
  const used = sites.reduce((sum, site) => sum + countBytes(site.disks), 0);
  const before = sites.find(({ spokeId }) => spokeId === resized);
  const total = used - (before ? countBytes(before.disks) : 0) +
    countBytes(before ? getLargerQuantity(before.disks, disks) : disks);
  if (total <= used || total <= parseQuantity(bound)) return;
  const message = `The tier ${hub.tier} allows ${bound} for the volumes of a hub's sites. They have ${
    formatQuantity("storage", used)
  }, and would have ${formatQuantity("storage", total)}`;
  throw new Fault("conflict", "tier_bound", message);
}

function countBytes({ files, database }: DiskSizes): number {
  return parseQuantity(files) + parseQuantity(database);
}

/** Reads the disks of each spoke of the hub, as they are after all queued operations. */
async function readHubDisks(
  rows: RowQueries,
  catalog: TierCatalog,
  federationId: string,
): Promise<readonly { readonly spokeId: string; readonly disks: DiskSizes }[]> {
  const { rows: found } = await sql<{ id: string; disks: DiskSizes; sizes: readonly string[] }>`
    select id, blueprint_inputs #> '{resources,disks}' as disks, array(select payload ->> 'size' from jobs
        where jobs.spoke_id = spokes.id and kind = ${OPERATIONS.resize.name} and jobs.state in ('queued', 'running')) as sizes
    from spokes where federation_id = ${federationId} and state <> 'removed'
      and blueprint_inputs #> '{resources,disks}' is not null`.execute(rows);
  return found.map(({ id, disks, sizes }) => ({
    spokeId: id,
    disks: sizes.filter((size) => catalog.findProblem("size", size) === null)
      .map((size) => catalog.resourcesOf(size).disks).reduce(getLargerQuantity, disks),
  }));
}
