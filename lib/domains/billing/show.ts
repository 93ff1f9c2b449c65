/**
 * A hub's billing as its admins and operators see it: what the provider last showed, and whether a change is on its way.
 *
 * Asked of the rows alone: it answers while the provider is away. Why the provider refused is for operators, who can do
 * something about it.
 */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { type BilledHub, needsSync, readBilledHub } from "#lib/domains/billing/hubs.ts";
import { SYNC_BILLING } from "#lib/domains/billing/jobs.ts";
import type { BillingDifference } from "#lib/domains/billing/compare.ts";
import type { BillingRecord } from "#lib/domains/billing/views.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import type { SubscriptionItem } from "#lib/drivers/payments/payments.ts";

/** What a hub shows that is not billed. */
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
  seenAt: null,
};

export async function showBilling(
  { db, catalog }: Pick<App, "db" | "catalog">,
  actor: Pick<Actor, "role">,
  { id }: { readonly id: string },
): Promise<BillingRecord> {
  const hub = await readBilledHub(db.rows, id);
  if (!hub) return NOT_BILLED;
  const { row } = hub, items = (row.items as SubscriptionItem[]).map(showItem), pending = needsSync(hub, catalog);
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
    seenAt: row.seenAt,
  };
}

function showItem({ size, quantity, monthly }: SubscriptionItem): BillingRecord["items"][number] {
  return { size, quantity, monthly: monthly === null ? null : monthly * quantity };
}

/** Null where one of them has no amount of its own, or none exists. */
function sumOf(items: BillingRecord["items"]): number | null {
  if (items.length === 0 || items.some(({ monthly }) => monthly === null)) return null;
  return items.reduce((sum, { monthly }) => sum + monthly!, 0);
}

function describeDifference(difference: BillingDifference | null): BillingRecord["difference"] {
  if (difference === null) return null;
  if (typeof difference === "string") return { message: difference, sizes: [] };
  const parts = difference.map(({ size, spokes, billed }) => `${billed} of size ${size} where there are ${spokes}`);
  return { message: `The payment provider counts ${parts.join(", ")}`, sizes: [...difference] };
}

/** What was refused for good, or what the last try of the sync that is still under way ran into. */
async function findSyncError(rows: Rows, { row }: BilledHub): Promise<string | null> {
  if (row.error !== null) return row.error;
  const live = await rows.selectFrom("jobs").select("failure")
    .where("dedupeKey", "=", `${SYNC_BILLING.kind}:${row.federationId}`)
    .where("state", "in", ["queued", "running"]).executeTakeFirst();
  return live?.failure?.message ?? null;
}
