/** Replaces IDs in responses with objects, as `expand[]` requests: https://docs.stripe.com/api/expanding_objects */
import { truncateNested } from "#test/support/provider/lists.ts";
import type { Json } from "#test/support/provider/records.ts";
import { invalidParameter } from "#test/support/provider/api-error.ts";
import { listOf, type World } from "#test/support/provider/world.ts";

const DEEPEST = 4;
const INCLUDED: readonly string[] = ["payments", "refunds", "subscriptions"];

/** Throws an error if a path in `expand[]` cannot be expanded. Called before the request does any work. */
export function checkPaths(paths: readonly string[] = []): void {
  for (const path of paths) {
    const parts = path.split(".").filter((part) => part !== "data"), last = parts.at(-1)!;
    if (parts.length > DEEPEST) {
      throw invalidParameter(
        "expand",
        `You cannot expand more than ${DEEPEST} levels of a property. Property: ${path}`,
      );
    }
    if (!(last in STORES) && !INCLUDED.includes(last)) {
      throw invalidParameter("expand", `This property cannot be expanded (${path}).`);
    }
  }
}

/** Returns a copy of the response with expanded paths. Throws a ProviderError for a path that does not exist. */
export function expandFields(world: World, answer: Json, paths: readonly string[] = []): Json {
  const copy = structuredClone(answer);
  for (const path of paths) {
    walk(world, copy, path.split("."), path);
  }
  return truncateNested(copy);
}

function walk(world: World, at: Json, [name, ...rest]: string[], path: string): void {
  if (name === undefined || at === null) return;
  if (Array.isArray(at)) return at.forEach((each) => walk(world, each, [name, ...rest], path));
  const included = include(world, at, name);
  if (included !== undefined) at[name] = included;
  if (typeof at !== "object" || !(name in at)) {
    throw invalidParameter("expand", `This property cannot be expanded (${path}).`);
  }
  if (typeof at[name] === "string") {
    const found = STORES[name]?.(world).get(at[name]);
    if (!found) throw invalidParameter("expand", `This property cannot be expanded (${path}).`);
    at[name] = structuredClone(found);
  } else if (at[name] !== null && typeof at[name] !== "object") {
    throw invalidParameter("expand", `This property cannot be expanded (${path}).`);
  }
  walk(world, at[name], rest, path);
}

/** Adds a field that responses contain only if the request expands this field. */
function include(world: World, at: Json, name: string): Json {
  const within = <T extends object>(all: Map<string, T>, matches: (each: T) => boolean, url: string): Json =>
    listOf(url, [...all.values()].filter(matches).reverse().map((each) => structuredClone(each)));
  if (at.object === "invoice" && name === "payments") {
    return within(world.payments, ({ invoice }) => invoice === at.id, `/v1/invoice_payments?invoice=${at.id}`);
  }
  if (at.object === "charge" && name === "refunds") {
    return within(world.refunds, ({ charge }) => charge === at.id, `/v1/charges/${at.id}/refunds`);
  }
  if (at.object !== "customer" || name !== "subscriptions") return undefined;
  const live = within(
    world.subscriptions,
    ({ customer, ended_at }) => customer === at.id && ended_at === null,
    `/v1/customers/${at.id}/subscriptions`,
  );
  return live;
}

const STORES: Record<string, (world: World) => ReadonlyMap<string, object>> = {
  charge: ({ charges }) => charges,
  customer: ({ customers }) => customers,
  invoice: ({ invoices }) => invoices,
  latest_charge: ({ charges }) => charges,
  latest_invoice: ({ invoices }) => invoices,
  payment_intent: ({ intents }) => intents,
  price: ({ prices }) => prices,
  product: ({ products }) => products,
  subscription: ({ subscriptions }) => subscriptions,
};
