/**
 * What adding or changing a spoke would cost its hub, in the payment provider's own words. Nothing is written here.
 *
 * It is asked from what the provider counts now: a change that it has not been told of yet, for some seconds, costs the same
 * whether or not it is there already.
 */
import type { App } from "#lib/app.ts";
import { BILLED_STATES, priceWanted } from "#lib/billing/billed.ts";
import { type Cost, NO_COST } from "#lib/billing/cost.ts";
import { findSubscriptionRow } from "#lib/billing/store.ts";
import type { Schema } from "#lib/db/schema.ts";
import { Fault } from "#lib/errors.ts";
import { PaymentError } from "#lib/payments/error.ts";
import type { SizeChange } from "#lib/payments/payments.ts";
import { SECOND } from "#lib/time.ts";

type Asking = Pick<App, "catalog" | "db" | "log" | "payments">;
type State = Schema["spokes"]["state"];

/** A spoke before and after; null where there is none. */
export interface CostChange {
  readonly federationId: string;
  readonly before: { readonly size: string; readonly state: State } | null;
  readonly after: { readonly size: string; readonly state: State };
}

const TRY_AGAIN = 5; // seconds

/** One more spoke of a size. */
export function addedSpoke(federationId: string, size: string): CostChange {
  return { federationId, before: null, after: { size, state: "active" } };
}

/** Throws Fault unavailable `billing_unavailable` when the provider cannot say it now. */
export async function previewCost(app: Asking, change: CostChange, signal: AbortSignal): Promise<Cost> {
  try {
    return await askCost(app, change, signal);
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error;
    const { code, message, hint, transient, retryAfterMs } = error;
    app.log[transient ? "warn" : "error"]("Cannot preview a cost", { code, message, hint });
    const retryAfter = retryAfterMs === undefined ? TRY_AGAIN : Math.ceil(retryAfterMs / SECOND);
    const said = "The payment provider cannot be asked right now; try again";
    throw new Fault("unavailable", "billing_unavailable", said, { retryAfter });
  }
}

/** The same for an answer of which the cost is a part: it does not fail for that. */
export async function previewCostIfTold(app: Asking, change: CostChange, signal: AbortSignal): Promise<Cost> {
  try {
    return await previewCost(app, change, signal);
  } catch (error) {
    if (error instanceof Fault && error.code === "billing_unavailable") return NO_COST;
    throw error;
  }
}

async function askCost(app: Asking, change: CostChange, signal: AbortSignal): Promise<Cost> {
  const { catalog, db, payments } = app, { size, state } = change.after;
  const row = payments && await findSubscriptionRow(db.rows, change.federationId);
  if (!row || row.customer_id === null) return NO_COST;
  const sizes = changesOf(change).map(({ size, by }): SizeChange => ({ size, by, price: priceWanted(catalog, size) }));
  const subscription = row.subscription_id;
  const preview = await payments!.preview({ customer: row.customer_id, subscription, sizes }, signal);
  const each = preview?.sizes.find((one) => one.size === size)?.each;
  if (!preview || each === undefined) return NO_COST;
  const { currency, dueNow, prorationDate } = preview;
  const recurringMonthly = isBilled(state) ? each : 0;
  return { available: true, currency, size, recurringMonthly, dueNow, prorationDate };
}

/** Pure: how many more or fewer of each size are billed; the size that it has afterwards is always named. */
export function changesOf({ before, after }: CostChange): readonly { readonly size: string; readonly by: number }[] {
  const [was, is] = [before && isBilled(before.state) ? 1 : 0, isBilled(after.state) ? 1 : 0];
  if (!before || before.size === after.size) return [{ size: after.size, by: is - was }];
  return [...(was === 0 ? [] : [{ size: before.size, by: -was }]), { size: after.size, by: is }];
}

function isBilled(state: State): boolean {
  return BILLED_STATES.includes(state);
}
