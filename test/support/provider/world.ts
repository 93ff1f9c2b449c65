/** Contains the simulated payment provider's state: objects, clock and events. */
import { randomBytes } from "node:crypto";
import { truncateNested } from "#test/support/provider/lists.ts";
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
import { resourceMissing } from "#test/support/provider/api-error.ts";

/** The version of Stripe's API that the installed package `stripe` uses. */
export const VERSION = "2026-10-28.endive";

/** The amount charged for an item's billing period. A credit for the unused time is a part of this amount. */
export interface Debit {
  readonly amount: number;
  readonly quantity: number;
  readonly start: number;
  readonly end: number;
}

export interface World {
  /** The provider's current time, in seconds. Only a test moves this clock, so that amounts are predictable. */
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
  /** The previewed invoices, stored so that tests can read further pages of their lines. */
  readonly previews: Map<string, Invoice>;
  /** Payment cards, keyed by ID. `refused` means that the bank declines the card. */
  readonly cards: Map<string, { readonly customer: string; refused: boolean }>;
  readonly deleted: Set<string>;
  /** Subscriptions that wait for a first payment by the customer, because no card is charged automatically. */
  readonly awaiting: Set<string>;
  /** Invoices that the provider has already reported as overdue. */
  readonly overdue: Set<string>;
  /** Prorations to add to the next invoice for their subscription. */
  readonly pending: Line[];
  readonly debits: Map<string, Debit>;
  /** The customers in the delayed search index; null if the index is up to date. */
  indexed: readonly Customer[] | null;
  /** The request that the provider is handling now. */
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
    request: NO_REQUEST,
  };
}

/** The `request` field in events that no request caused. */
export const NO_REQUEST: World["request"] = { id: null, idempotency_key: null };

/** Returns a new random ID, such as `cus_9fK…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("base64url").replaceAll(/[-_]/g, "0")}`;
}

/** Returns the object with this ID. Throws if missing. `param` is the parameter with the ID, unless the URL has it. */
export function findRecord<T>(kind: string, all: ReadonlyMap<string, T>, id: string, param?: string): T {
  const found = all.get(id);
  if (!found) throw resourceMissing(kind, id, param);
  return found;
}

export function emit(world: World, type: string, object: Json, before?: Json): void {
  const previous = before !== undefined && /updated$|refunded$/.test(type) ? difference(before, object) : undefined;
  if (previous && Object.keys(previous).length === 0) return; // nothing changed, so the provider sends no event
  world.events.push({
    id: newId("evt"),
    object: "event",
    api_version: VERSION,
    created: world.now,
    data: { object: truncateNested(structuredClone(object)), ...(previous && { previous_attributes: previous }) },
    livemode: false,
    pending_webhooks: 1,
    request: world.request,
    type,
  });
}

/** Changes the object, and emits an event with the changed fields. */
export function changeRecord<T>(world: World, type: string, object: T, act: (object: T) => void): void {
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

/** Returns the subscription's items. */
export function itemsOf(subscription: Subscription): Item[] {
  return subscription.items.data;
}
