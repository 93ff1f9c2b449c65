/** Previews the cost of adding or changing a spoke, as computed by the payment provider. Writes nothing. */
import type { App } from "#lib/app.ts";
import { BILLED_SPOKE_STATES, findSubscriptionRow, getCatalogPrice } from "#lib/domains/billing/store.ts";
import { type Cost, UNAVAILABLE_COST } from "#lib/domains/billing/views.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { Fault } from "#lib/base/errors.ts";
import { PaymentError, type SizeQuantityChange } from "#lib/drivers/payments/payments.ts";
import { SECOND } from "#lib/base/time.ts";

type CostDependencies = Pick<App, "catalog" | "db" | "log" | "payments">;
type State = Schema["spokes"]["state"];

/** A spoke's size and state before and after a change. `before` is null for a new spoke. */
interface CostChange {
  readonly federationId: string;
  readonly before: { readonly size: string; readonly state: State } | null;
  readonly after: { readonly size: string; readonly state: State };
}

const RETRY_SECONDS = 5; // seconds
const SETUP_RETRY_SECONDS = 3; // seconds; the scan for due syncs runs every few seconds

export function buildNewSpokeCostChange(federationId: string, size: string): CostChange {
  return { federationId, before: null, after: { size, state: "active" } };
}

/** Returns the cost after a change. Throws an `unavailable` fault if the payment provider does not respond. */
export async function previewCost(app: CostDependencies, change: CostChange, signal: AbortSignal): Promise<Cost> {
  try {
    return await readCost(app, change, signal);
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error;
    const { code, message, hint, transient, retryAfterMs } = error;
    app.log[transient ? "warn" : "error"]("Could not preview the cost of a spoke", { code, message, hint });
    const retryAfter = retryAfterMs === undefined ? RETRY_SECONDS : Math.ceil(retryAfterMs / SECOND);
    throw unavailable("The payment provider does not respond; try again", retryAfter);
  }
}

/** Returns the cost after a change, or the reason why the cost is temporarily unavailable. */
export async function previewCostOrReason(
  app: CostDependencies,
  change: CostChange,
  signal: AbortSignal,
): Promise<Cost> {
  try {
    return await previewCost(app, change, signal);
  } catch (error) {
    if (error instanceof Fault && error.code === "billing_unavailable") {
      return { available: false, reason: error.message };
    }
    throw error;
  }
}

function unavailable(message: string, retryAfter: number): Fault {
  return new Fault("unavailable", "billing_unavailable", message, { retryAfter });
}

async function readCost(app: CostDependencies, change: CostChange, signal: AbortSignal): Promise<Cost> {
  const { catalog, db, payments } = app, { size, state } = change.after;
  const row = payments && await findSubscriptionRow(db.rows, change.federationId);
  if (!row) return UNAVAILABLE_COST;
  // Without a customer, the first sync has not succeeded yet. GET …/billing shows whether the provider refused it.
  if (row.customerId === null) {
    throw unavailable("The hub is still being connected to the payment provider; try again", SETUP_RETRY_SECONDS);
  }
  const sizes = countQuantityChanges(change).map(({ size, by }): SizeQuantityChange => ({
    size,
    by,
    price: getCatalogPrice(catalog, size),
  }));
  const subscription = row.subscriptionId;
  const preview = await payments!.preview({ customer: row.customerId, subscription, sizes }, signal);
  const each = preview?.sizes.find((one) => one.size === size)?.each;
  if (!preview || each === undefined) return UNAVAILABLE_COST;
  const { currency, dueNow, prorationDate } = preview;
  const recurringMonthly = isBilled(state) ? each : 0;
  return { available: true, currency, size, recurringMonthly, dueNow, prorationDate };
}

/** Returns by how much the number of billed spokes changes, per size. Always includes the spoke's new size. */
export function countQuantityChanges(
  { before, after }: CostChange,
): readonly { readonly size: string; readonly by: number }[] {
  const [billedBefore, billedAfter] = [before && isBilled(before.state) ? 1 : 0, isBilled(after.state) ? 1 : 0];
  if (!before || before.size === after.size) return [{ size: after.size, by: billedAfter - billedBefore }];
  return [...(billedBefore === 0 ? [] : [{ size: before.size, by: -billedBefore }]), {
    size: after.size,
    by: billedAfter,
  }];
}

function isBilled(state: State): boolean {
  return BILLED_SPOKE_STATES.includes(state);
}
