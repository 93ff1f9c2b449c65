/**
 * Reads billed hubs: the subscription's row and the current number of spokes per size. A hub needs a billing sync if
 * the last sent quantities differ from the current quantities, are unknown, or were refused. A removed hub needs a sync
 * until the hub's subscription has ended.
 */
import { type RawBuilder, sql } from "kysely";
import {
  areQuantitiesEqual,
  BILLED_SPOKE_STATES,
  type BilledQuantities,
  selectBilledQuantities,
  type SubscriptionRow,
} from "#lib/domains/billing/store.ts";
import { SYNC_BILLING_JOB } from "#lib/domains/billing/jobs.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { hasSubscriptionEnded, type SubscriptionItem } from "#lib/drivers/payments/payments.ts";

export interface BilledHub {
  readonly row: SubscriptionRow;
  readonly name: string;
  readonly removed: boolean;
  /** The number of billable spokes per size, including sizes without a price. */
  readonly counts: BilledQuantities;
}

/** Reads a hub's billing data. Returns undefined if the hub is not billed. */
export async function readBilledHub(rows: RowQueries, federationId: string): Promise<BilledHub | undefined> {
  return (await selectHubs(rows, sql`where subscriptions.federation_id = ${federationId}`))[0];
}

interface Batch {
  /** The last hub ID of the previous batch. An empty string for the first batch. */
  readonly after: string;
  readonly limit: number;
}

/**
 * Returns hubs that may need a billing sync, sorted by ID. Skips hubs with a queued or running sync job, hubs that wait
 * for a retry after a refusal, and removed hubs with an ended subscription.
 */
export async function readHubsToSync(rows: RowQueries, { after, limit }: Batch): Promise<BilledHub[]> {
  return await selectHubs(
    rows,
    sql`where subscriptions.federation_id > ${after}
      and (subscriptions.retry_at is null or subscriptions.retry_at <= wheelwright_now())
      and not (federations.state = 'removed' and subscriptions.sent_quantities is not null
        and (subscriptions.status is null or subscriptions.status in ('canceled', 'incomplete_expired')))
      and not exists (select from jobs where jobs.dedupe_key = ${
      SYNC_BILLING_JOB.kind + ":"
    } || subscriptions.federation_id
        and jobs.state in ('queued', 'running'))
    order by subscriptions.federation_id limit ${limit}`,
  );
}

/** Finds hubs with an active subscription that was not checked in the last 24 hours, longest unchecked first. */
export async function findUncheckedHubs(rows: RowQueries, limit: number): Promise<string[]> {
  const { rows: found } = await sql<{ id: string }>`
    select federation_id as id from subscriptions
    where status not in ('canceled', 'incomplete_expired') and checked_at < wheelwright_now() - interval '24 hours'
    order by checked_at limit ${limit}`.execute(rows);
  return found.map(({ id }) => id);
}

function billedQuantities({ row, counts }: BilledHub, catalog: Pick<Catalog, "priceOf">): BilledQuantities {
  return selectBilledQuantities(counts, catalog, row.items as SubscriptionItem[]);
}

/** Returns whether changes in a hub must still be sent to the payment provider. */
export function needsBillingSync(hub: BilledHub, catalog: Pick<Catalog, "priceOf">): boolean {
  const { row: { sentQuantities, status, error }, removed } = hub;
  if (
    error !== null || sentQuantities === null ||
    !areQuantitiesEqual(sentQuantities as BilledQuantities, billedQuantities(hub, catalog))
  ) {
    return true;
  }
  return removed && status !== null && !hasSubscriptionEnded({ status });
}

async function selectHubs(rows: RowQueries, where: RawBuilder<unknown>): Promise<BilledHub[]> {
  const { rows: found } = await sql<BilledHubRow>`
    select subscriptions.*, federations.name as hub_name, federations.state = 'removed' as hub_removed,
      coalesce((
        select jsonb_object_agg(size, count) from (
          select size, count(*)::integer as count from spokes
          where spokes.federation_id = subscriptions.federation_id and spokes.state = any(${BILLED_SPOKE_STATES}::text[])
          group by size
        ) as sizes
      ), '{}') as counts
    from subscriptions join federations on federations.id = subscriptions.federation_id ${where}`.execute(rows);
  return found.map(({ hubName: name, hubRemoved: removed, counts, ...row }) => ({ row, name, removed, counts }));
}

type BilledHubRow = SubscriptionRow & {
  readonly hubName: string;
  readonly hubRemoved: boolean;
  readonly counts: BilledQuantities;
};
