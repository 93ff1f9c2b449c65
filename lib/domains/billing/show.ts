/** Shows a hub's billing from the database: the last observed subscription, and whether changes are still pending. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { type BilledHub, needsBillingSync, readBilledHub } from "#lib/domains/billing/hubs.ts";
import { SYNC_BILLING_JOB } from "#lib/domains/billing/jobs.ts";
import type { BillingDifference } from "#lib/domains/billing/compare.ts";
import type { BillingRecord } from "#lib/domains/billing/views.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { SubscriptionItem } from "#lib/drivers/payments/payments.ts";

const NOT_BILLED: BillingRecord = {
  connected: false,
  email: null,
  status: null,
  pastDueSince: null,
  currency: null,
  items: [],
  monthly: null,
  invoice: null,
  pending: false,
  difference: null,
  error: null,
  checkedAt: null,
};

export async function showBilling(
  { db, catalog }: Pick<App, "db" | "catalog">,
  actor: Pick<Actor, "role">,
  { id }: { readonly id: string },
): Promise<BillingRecord> {
  const hub = await readBilledHub(db.rows, id);
  if (!hub) return NOT_BILLED;
  const { row } = hub,
    items = (row.items as SubscriptionItem[]).map(showItem),
    pending = needsBillingSync(hub, catalog);
  return {
    connected: true,
    email: row.email,
    status: row.status,
    pastDueSince: row.pastDueSince,
    currency: row.currency,
    items,
    monthly: sumOf(items),
    invoice: row.invoice,
    pending,
    difference: describeDifference(row.difference as BillingDifference | null),
    error: pending && actor.role === "operator" ? await findSyncError(db.rows, hub) : null,
    checkedAt: row.checkedAt,
  };
}

function showItem({ size, quantity, monthly }: SubscriptionItem): BillingRecord["items"][number] {
  return { size, quantity, monthly: monthly === null ? null : monthly * quantity };
}

/** Returns the sum of the items' monthly amounts. Null if there are no items or an item has no amount. */
function sumOf(items: BillingRecord["items"]): number | null {
  if (items.length === 0 || items.some(({ monthly }) => monthly === null)) return null;
  return items.reduce((sum, { monthly }) => sum + monthly!, 0);
}

function describeDifference(difference: BillingDifference | null): BillingRecord["difference"] {
  if (difference === null) return null;
  if (typeof difference === "string") return { message: difference, sizes: [] };
  const parts = difference.map(({ size, spokes, billed }) => `${billed} instead of ${spokes} spokes of size ${size}`);
  return { message: `The payment provider bills ${parts.join(", ")}`, sizes: [...difference] };
}

/** Returns the stored error from the payment provider, or else the last error of a queued or running sync job. */
async function findSyncError(rows: RowQueries, { row }: BilledHub): Promise<string | null> {
  if (row.error !== null) return row.error;
  const live = await rows.selectFrom("jobs").select("failure")
    .where("dedupeKey", "=", `${SYNC_BILLING_JOB.kind}:${row.federationId}`)
    .where("state", "in", ["queued", "running"]).executeTakeFirst();
  return live?.failure?.message ?? null;
}
