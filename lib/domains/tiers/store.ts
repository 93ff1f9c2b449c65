/** Reads which values of a tier each site has, and marks the spokes whose site lacks those of its hub's tier. */
import { type RawBuilder, sql } from "kysely";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { toTierInputs } from "#lib/catalog/tier.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { SpokeState } from "#lib/model/states.ts";
import type { TierInputs } from "#lib/moodle/tier-inputs.ts";
import { TIER_CHANGED_MARK, TIER_STARTED_MARK } from "#lib/moodle/tier-marks.ts";

/** A spoke of a hub, with the values of a tier that its site has. */
export interface TieredSpoke {
  readonly id: string;
  readonly slug: string;
  readonly domain: string;
  readonly cluster: string;
  readonly state: SpokeState;
  readonly size: string;
  readonly tier: TierInputs | null;
  /** Whether an operation has begun to give the site these values, and has not succeeded. */
  readonly isUnfinished: boolean;
}

/** Reads all spokes of a hub that are not being removed, by slug. */
export async function readTieredSpokes(rows: RowQueries, federationId: string): Promise<readonly TieredSpoke[]> {
  const { rows: found } = await sql<TieredSpoke>`
    select id, slug, domain, cluster, state, size, blueprint_inputs -> 'tier' as tier,
      right(blueprint_revision, ${TIER_STARTED_MARK.length}) = ${TIER_STARTED_MARK} as is_unfinished
    from spokes where federation_id = ${federationId} and state not in ('removing', 'removed') order by slug`
    .execute(rows);
  return found;
}

/** Adds the mark, or removes it from a spoke whose site is equal to the tier again. */
const TOGGLED_REVISION = sql`case when right(blueprint_revision, ${TIER_CHANGED_MARK.length}) = ${TIER_CHANGED_MARK}
  then left(blueprint_revision, ${-TIER_CHANGED_MARK.length}) else blueprint_revision || ${TIER_CHANGED_MARK} end`;

/** Whether the mark of a spoke is wrong. `wanted` is what the tier sets, as JSON. A site that was begun keeps its mark. */
function isMarkWrong(wanted: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`spokes.state not in ('removing', 'removed')
    and right(blueprint_revision, ${TIER_STARTED_MARK.length}) <> ${TIER_STARTED_MARK}
    and (blueprint_inputs -> 'tier' is distinct from ${wanted})
      <> (right(blueprint_revision, ${TIER_CHANGED_MARK.length}) = ${TIER_CHANGED_MARK})`;
}

/**
 * Marks the spokes of a hub whose site differs from the tier, and removes the mark from those that are equal again.
 * Skips locked rows, because an operation that ends locks its spoke before the hub; `compareTiers` marks these later.
 */
export async function markChangedTier(tx: Tx, federationId: string, tier: TierInputs | undefined): Promise<void> {
  const wanted = sql`${tier === undefined ? null : JSON.stringify(tier)}::jsonb`;
  await sql`update spokes set updated_at = wheelwright_now(), blueprint_revision = ${TOGGLED_REVISION}
    where id in (select id from spokes where federation_id = ${federationId} and ${isMarkWrong(wanted)}
      order by id for no key update skip locked)`.execute(tx);
}

/** The maximum number of spokes that one transaction marks. */
const BATCH = 200;

/**
 * Marks spokes whose site differs from what the catalog says about their hub's tier, and removes marks of others.
 * Returns the number of changed spokes. Skips locked rows; the next run marks them.
 */
export async function markOutdatedTiers(tx: Tx, { tiers }: Pick<Catalog, "tiers">): Promise<number> {
  const names = tiers.map(({ name }) => name), wanted = tiers.map((tier) => JSON.stringify(toTierInputs(tier) ?? null));
  const { rows: marked } =
    await sql`update spokes set updated_at = wheelwright_now(), blueprint_revision = ${TOGGLED_REVISION}
    where id in (
      select spokes.id from federations as hub join spokes on spokes.federation_id = hub.id
        left join unnest(${names}::text[], ${wanted}::text[]) as described (name, inputs) on described.name = hub.tier
      where hub.tier is not null and ${isMarkWrong(sql`nullif(described.inputs::jsonb, 'null'::jsonb)`)}
      order by spokes.id limit ${BATCH} for no key update of spokes skip locked)
    returning id`.execute(tx);
  return marked.length;
}
