/** Plans the additions, changes and removals of a subscription's items, and rejects invalid changes. */
import { mergeMetadata, type ParamRules } from "#test/support/provider/params.ts";
import type { ProratedChange } from "#test/support/provider/prorations.ts";
import type { Item, Json, Metadata, Price, Subscription } from "#test/support/provider/records.ts";
import { invalidParameter, ProviderError } from "#test/support/provider/api-error.ts";
import { findRecord, newId, type World } from "#test/support/provider/world.ts";

const MOST = 20;

export const ITEM_PARAMS: ParamRules = { price: "text", quantity: "natural", metadata: "metadata" };
export const CHANGED_ITEM_PARAMS: ParamRules = { ...ITEM_PARAMS, id: "text", deleted: "boolean" };

/** A planned change to a subscription item. The plan also contains unchanged items. */
export interface PlannedItem extends ProratedChange {
  readonly becomes: { readonly price: Price; readonly quantity: number; readonly metadata: Metadata } | null;
}

/** Plans the requested changes to items. `param` is the name of the request parameter with these changes. */
export function planItems(
  world: World,
  current: readonly Item[],
  given: readonly Json[],
  param: string,
): PlannedItem[] {
  const plan: PlannedItem[] = current.map((was) => ({ id: was.id, was, becomes: was }));
  for (const [i, { id, price: wanted, quantity, deleted = false, metadata }] of given.entries()) {
    const at = `${param}[${i}]`;
    if (id === undefined) {
      if (deleted) throw invalidParameter(`${at}[id]`, "An item can only be deleted by its id", "parameter_missing");
      if (wanted === undefined) {
        throw invalidParameter(`${at}[price]`, `Missing required param: ${at}[price].`, "parameter_missing");
      }
      const price = usable(world, wanted, `${at}[price]`);
      plan.push({
        id: newId("si"),
        was: null,
        becomes: { price, quantity: quantity ?? 1, metadata: mergeMetadata({}, metadata) },
      });
      continue;
    }
    const place = plan.findIndex((each) => each.id === id && each.was !== null);
    if (place < 0) throw invalidParameter(`${at}[id]`, `No such subscription_item: '${id}'`, "resource_missing");
    const was = plan[place]!.was!;
    const price = wanted === undefined ? was.price : usable(world, wanted, `${at}[price]`);
    const becomes = { price, quantity: quantity ?? was.quantity, metadata: mergeMetadata(was.metadata, metadata) };
    plan[place] = { id, was, becomes: deleted ? null : becomes };
  }
  refuseImpossible(plan, param);
  return plan;
}

/** Applies the planned changes. New items have the same billing period as the existing items. */
export function applyPlan(subscription: Subscription, plan: readonly PlannedItem[], made: number): void {
  const { current_period_start, current_period_end } = subscription.items.data[0] ?? plan[0]!.was!;
  subscription.items.data = plan.flatMap(({ id, was, becomes }): Item[] => {
    if (!becomes) return [];
    const period = { current_period_start, current_period_end };
    return [newItem(id, subscription.id, was?.created ?? made, becomes, period)];
  });
  Object.assign(subscription.items, { total_count: subscription.items.data.length });
}

export function newItem(
  id: string,
  subscription: string,
  created: number,
  { price, quantity, metadata }: NonNullable<PlannedItem["becomes"]>,
  period: Pick<Item, "current_period_start" | "current_period_end">,
): Item {
  return {
    ...{ billing_thresholds: null, current_trial: null, discounts: [], tax_rates: [], plan: planOf(price) },
    ...{ id, object: "subscription_item", created, ...period },
    metadata,
    price: structuredClone(price),
    quantity,
    subscription,
  };
}

/** Returns a price in the format of a plan, the deprecated predecessor of prices, which Stripe still sends. */
function planOf(price: Price): object {
  const { id, active, created, currency, metadata, nickname, product, recurring, unit_amount } = price;
  return {
    ...{ id, object: "plan", active, amount: unit_amount, amount_decimal: String(unit_amount), created, currency },
    ...{ billing_scheme: "per_unit", livemode: false, metadata, meter: null, nickname, product, tiers_mode: null },
    ...{ interval: recurring!.interval, interval_count: recurring!.interval_count, transform_usage: null },
    ...{ trial_period_days: null, usage_type: "licensed" },
  };
}

function usable(world: World, id: string, param: string): Price {
  const price = findRecord("price", world.prices, id, param);
  if (!price.active) {
    throw invalidParameter(param, "The price specified is inactive. This field only accepts active prices.");
  }
  if (price.recurring) return price;
  throw invalidParameter(
    param,
    "The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.",
  );
}

function refuseImpossible(plan: readonly PlannedItem[], param: string): void {
  const left = plan.flatMap(({ becomes }) => becomes ?? []);
  if (left.length === 0) {
    const message = "A subscription must have at least one active item; to end it, cancel the subscription";
    throw new ProviderError(400, message, { param });
  }
  if (left.length > MOST) {
    throw invalidParameter(param, `A subscription can have at most ${MOST} items: ${left.length} given`);
  }
  const first = left[0]!.price, seen = new Set<string>();
  for (const { price } of left) {
    if (seen.has(price.id)) {
      throw invalidParameter(param, `Cannot add multiple subscription items with the same plan: ${price.id}`);
    }
    seen.add(price.id);
    if (price.currency !== first.currency) {
      const message = `The price specified only supports \`${price.currency}\`. ` +
        `This doesn't match the expected currency: \`${first.currency}\`.`;
      throw invalidParameter(param, message);
    }
    const [a, b] = [price.recurring!, first.recurring!];
    if (a.interval !== b.interval || a.interval_count !== b.interval_count) {
      throw invalidParameter(param, "All prices on a subscription must have the same recurring interval");
    }
  }
}
