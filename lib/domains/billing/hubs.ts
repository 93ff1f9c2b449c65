/**
 * Hubs that are billed, as one look at the database shows them: the subscription's row, and what is there to be paid for.
 *
 * A hub needs a sync where the provider was last asked to count something else than what is there now, or where it is
 * not known what it was asked, or it refused; and where the hub is gone and its subscription goes on. Code that changes a
 * spoke need not remember to bill it: comparing forgets no path, and a provider that is away keeps nobody from anything.
 */
import { type RawBuilder, sql } from "kysely";
import { BILLED_STATES, equalQuantities, type Quantities, selectBilled } from "#lib/domains/billing/billed.ts";
import { SYNC_BILLING } from "#lib/domains/billing/jobs.ts";
import type { SubscriptionRow } from "#lib/domains/billing/store.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { hasEnded, type SubscriptionItem } from "#lib/drivers/payments/payments.ts";

export interface BilledHub {
  readonly row: SubscriptionRow;
  readonly name: string;
  /** Nothing of it is left but its rows. */
  readonly removed: boolean;
  /** Its spokes that are paid for, by size, whether or not the size has a price. */
  readonly counts: Quantities;
}

/** Undefined for a hub that is not billed. */
export async function readBilledHub(rows: Rows, federationId: string): Promise<BilledHub | undefined> {
  return (await selectHubs(rows, sql`where subscriptions.federation_id = ${federationId}`))[0];
}

interface Batch {
  /** The id behind which it begins; "" at first. */
  readonly after: string;
  readonly limit: number;
}

/**
 * Those that may need a sync, in the order of their ids: all but the ones that one is under way for or that have to wait
 * after a refusal, and but hubs that are gone with all that was to be told of them.
 */
export async function readHubsToSync(rows: Rows, { after, limit }: Batch): Promise<BilledHub[]> {
  return await selectHubs(
    rows,
    sql`where subscriptions.federation_id > ${after}
      and (subscriptions.retry_at is null or subscriptions.retry_at <= wheelwright_now())
      and not (federations.state = 'removed' and subscriptions.told is not null
        and (subscriptions.status is null or subscriptions.status in ('canceled', 'incomplete_expired')))
      and not exists (select from jobs where jobs.dedupe_key = ${SYNC_BILLING.kind + ":"} || subscriptions.federation_id
        and jobs.state in ('queued', 'running'))
    order by subscriptions.federation_id limit ${limit}`,
  );
}

/** The hubs whose subscription goes on and was not looked at for a day, those that were waiting longest first. */
export async function findUncheckedHubs(rows: Rows, limit: number): Promise<string[]> {
  const { rows: found } = await sql<{ id: string }>`
    select federation_id as id from subscriptions
    where status not in ('canceled', 'incomplete_expired') and seen_at < wheelwright_now() - interval '24 hours'
    order by seen_at limit ${limit}`.execute(rows);
  return found.map(({ id }) => id);
}

/** What is to be billed now. */
function billedQuantities({ row, counts }: BilledHub, catalog: Pick<Catalog, "priceOf">): Quantities {
  return selectBilled(counts, catalog, row.items as SubscriptionItem[]);
}

/** Pure. Whether the provider is still to be told something. */
export function needsSync(hub: BilledHub, catalog: Pick<Catalog, "priceOf">): boolean {
  const { row: { told, status, error }, removed } = hub;
  if (error !== null || told === null || !equalQuantities(told as Quantities, billedQuantities(hub, catalog))) {
    return true;
  }
  return removed && status !== null && !hasEnded({ status });
}

async function selectHubs(rows: Rows, where: RawBuilder<unknown>): Promise<BilledHub[]> {
  const { rows: found } = await sql<BilledHubRow>`
    select subscriptions.*, federations.name as hub_name, federations.state = 'removed' as hub_removed,
      coalesce((
        select jsonb_object_agg(size, count) from (
          select size, count(*)::integer as count from spokes
          where spokes.federation_id = subscriptions.federation_id and spokes.state = any(${BILLED_STATES}::text[])
          group by size
        ) as sizes
      ), '{}') as counts
    from subscriptions join federations on federations.id = subscriptions.federation_id ${where}`.execute(rows);
  return found.map(({ hubName: name, hubRemoved: removed, counts, ...row }) => ({ row, name, removed, counts }));
}

type BilledHubRow = SubscriptionRow & {
  readonly hubName: string;
  readonly hubRemoved: boolean;
  readonly counts: Quantities;
};
