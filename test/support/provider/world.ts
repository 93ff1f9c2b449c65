/** All that the provider knows: its objects, its clock, and what it told about them. */
import { randomBytes } from "node:crypto";
import { shorten } from "#test/support/provider/lists.ts";
import type {
  Charge,
  Customer,
  Invoice,
  InvoicePayment,
  Item,
  Json,
  Line,
  PaymentIntent,
  Price,
  Product,
  Refund,
  StripeEvent,
  Subscription,
} from "#test/support/provider/records.ts";
import { missing } from "#test/support/provider/refusal.ts";

/** The version that the provider speaks: the one of the `stripe` package that the house uses. */
export const VERSION = "2026-10-28.endive";

/** What was charged for an item's period: what a credit is reckoned from. */
export interface Debit {
  readonly amount: number;
  readonly quantity: number;
  readonly start: number;
  readonly end: number;
}

export interface World {
  /** Seconds. It stands still until somebody moves it, so that amounts can be foretold to the second. */
  now: number;
  readonly customers: Map<string, Customer>;
  readonly products: Map<string, Product>;
  readonly prices: Map<string, Price>;
  readonly subscriptions: Map<string, Subscription>;
  readonly invoices: Map<string, Invoice>;
  readonly intents: Map<string, PaymentIntent>;
  readonly charges: Map<string, Charge>;
  readonly refunds: Map<string, Refund>;
  readonly payments: Map<string, InvoicePayment>;
  readonly events: StripeEvent[];
  /** What was previewed, for the rest of its lines. */
  readonly previews: Map<string, Invoice>;
  /** Cards by their id: whose, and whether the bank refuses them. */
  readonly cards: Map<string, { readonly customer: string; refused: boolean }>;
  readonly deleted: Set<string>;
  /** Subscriptions whose first payment the customer makes, and no card by itself. */
  readonly awaiting: Set<string>;
  /** Invoices whose being late was told. */
  readonly overdue: Set<string>;
  /** Prorations that wait for the next invoice of their subscription. */
  readonly pending: Line[];
  readonly debits: Map<string, Debit>;
  /** Customers as the search knows them, while its index is behind; null while it is not. */
  indexed: readonly Customer[] | null;
  /** The request that is being answered. */
  request: { readonly id: string | null; readonly idempotency_key: string | null };
}

export function newWorld(): World {
  return {
    now: Math.floor(Date.now() / 1000),
    customers: new Map(),
    products: new Map(),
    prices: new Map(),
    subscriptions: new Map(),
    invoices: new Map(),
    intents: new Map(),
    charges: new Map(),
    refunds: new Map(),
    payments: new Map(),
    events: [],
    previews: new Map(),
    cards: new Map(),
    deleted: new Set(),
    awaiting: new Set(),
    overdue: new Set(),
    pending: [],
    debits: new Map(),
    indexed: null,
    request: NOBODY,
  };
}

/** What happens by itself has no request. */
export const NOBODY: World["request"] = { id: null, idempotency_key: null };

/** An id such as `cus_9fK…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("base64url").replaceAll(/[-_]/g, "0")}`;
}

/** What is there by that id. `param` names the parameter it came from; absent where it stands in the URL. */
export function find<T>(kind: string, all: ReadonlyMap<string, T>, id: string, param?: string): T {
  const found = all.get(id);
  if (!found) throw missing(kind, id, param);
  return found;
}

export function emit(world: World, type: string, object: Json, before?: Json): void {
  const previous = before !== undefined && /updated$|refunded$/.test(type) ? difference(before, object) : undefined;
  if (previous && Object.keys(previous).length === 0) return; // nothing changed: the provider is silent
  world.events.push({
    id: newId("evt"),
    object: "event",
    api_version: VERSION,
    created: world.now,
    data: { object: shorten(structuredClone(object)), ...(previous && { previous_attributes: previous }) },
    livemode: false,
    pending_webhooks: 1,
    request: world.request,
    type,
  });
}

/** Does it, and tells what changed in the object. */
export function change<T>(world: World, type: string, object: T, act: (object: T) => void): void {
  const before = structuredClone(object);
  act(object);
  emit(world, type, object, before);
}

function difference(before: Json, after: Json): Json {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(names.map((name) => [name, structuredClone(before[name])]));
}

export function listOf<T>(
  url: string,
  data: T[],
): { object: "list"; data: T[]; has_more: boolean; url: string; total_count: number } {
  return { object: "list", data, has_more: false, total_count: data.length, url };
}

/** The items of a subscription. */
export function itemsOf(subscription: Subscription): Item[] {
  return subscription.items.data;
}
