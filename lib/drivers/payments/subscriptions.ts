/**
 * Hubs' subscriptions at the provider: one that has not ended for each hub, known by the hub's id in its metadata.
 *
 * Invoices are sent and paid within 30 days, for a hub has no card here; a host that wants to charge cards changes that
 * at the provider, where nothing of it is ever touched again. Changes are prorated and invoiced at once, so that what a
 * preview says is due now is due now.
 */
import { listAll, nullIfMissing, type PaymentClient } from "#lib/drivers/payments/client.ts";
import { itemChanges } from "#lib/drivers/payments/items.ts";
import { createOnce } from "#lib/drivers/payments/create-once.ts";
import {
  hasEnded,
  type Invoice,
  isDunning,
  type ItemRequest,
  PaymentError,
  type Subscription,
  type SubscriptionRequest,
} from "#lib/drivers/payments/payments.ts";
import {
  InvoiceShape,
  ItemShape,
  parseAnswer,
  subscriptionOf,
  SubscriptionShape,
} from "#lib/drivers/payments/schemas.ts";
import { isResourceLimit } from "#lib/drivers/payments/errors.ts";

const DAYS_UNTIL_DUE = 30;

interface Owner {
  readonly customer: string;
  readonly federationId: string;
}

export async function findSubscription(
  client: PaymentClient,
  of: Owner,
  signal: AbortSignal,
): Promise<Subscription | null> {
  return findOpen(await listSubscriptions(client, of, signal));
}

export async function createSubscription(
  client: PaymentClient,
  wanted: SubscriptionRequest,
  signal: AbortSignal,
): Promise<Subscription> {
  const { customer, federationId } = wanted;
  if (wanted.items.length === 0) throw new TypeError("A subscription needs an item");
  // After one has ended another may be made, so each makes a wish of its own of the next.
  const earlier = await listSubscriptions(client, wanted, signal);
  const subscription = await createOnce<Subscription>(client, {
    key: `subscription-${federationId}-${earlier.findLast(hasEnded)?.id ?? "first"}`,
    find: async () => await findSubscription(client, wanted, signal),
    create: async (idempotencyKey) => {
      const made = await client.call(signal, (stripe) =>
        stripe.subscriptions.create({
          customer,
          items: wanted.items.map(({ price, size, quantity }) => ({ price, quantity, metadata: { size } })),
          collection_method: "send_invoice",
          days_until_due: DAYS_UNTIL_DUE,
          metadata: { federationId },
          expand: ["latest_invoice"],
        }, { idempotencyKey }));
      const subscription = await readAll(client, made, signal);
      // What the key remembers may be of yesterday.
      const now = await readSubscription(client, subscription.id, signal);
      return now && !hasEnded(now) ? now : null;
    },
  }, signal);
  // One that was found may be of an earlier wish.
  return await setQuantities(client, subscription, wanted.items, signal);
}

/** Null when the provider knows none of that id. */
export async function readSubscription(
  client: PaymentClient,
  id: string,
  signal: AbortSignal,
): Promise<Subscription | null> {
  const expand = ["latest_invoice"];
  const found = await nullIfMissing(client.call(signal, (stripe) => stripe.subscriptions.retrieve(id, { expand })));
  return found && await readAll(client, found, signal);
}

/**
 * Sends only what differs from what is there: what is repeated changes nothing, and makes no invoice.
 *
 * The provider makes 20 invoices a day for a subscription at most (https://docs.stripe.com/rate-limits). What more changes
 * cost waits for the next invoice, in place of the changes.
 */
export async function setQuantities(
  client: PaymentClient,
  subscription: Subscription,
  wanted: readonly ItemRequest[],
  signal: AbortSignal,
): Promise<Subscription> {
  const items = itemChanges(subscription, wanted);
  if (items.length === 0) return subscription;
  const change = (proration_behavior: "always_invoice" | "create_prorations") =>
    client.call(signal, (stripe) =>
      stripe.subscriptions.update(subscription.id, {
        items: [...items],
        proration_behavior,
        expand: ["latest_invoice"],
      }));
  const changed = await change("always_invoice").catch((error) => {
    if (!isResourceLimit(error)) throw error;
    return change("create_prorations");
  });
  return await readAll(client, changed, signal);
}

/** Of a standing subscription; refuses one that has ended, for nobody would be billed. */
export async function readOpen(client: PaymentClient, id: string, signal: AbortSignal): Promise<Subscription> {
  const subscription = await readSubscription(client, id, signal);
  if (subscription && !hasEnded(subscription)) return subscription;
  const message = `The subscription ${id} ${subscription ? "has ended" : "no longer exists"}`;
  throw new PaymentError("subscription_ended", message, {
    transient: false,
    hint: "Reconcile the hub's billing to create a new one.",
  });
}

export async function endSubscription(
  client: PaymentClient,
  id: string,
  signal: AbortSignal,
): Promise<Subscription | null> {
  const subscription = await readSubscription(client, id, signal);
  if (!subscription || hasEnded(subscription)) return subscription;
  const params = { invoice_now: true, prorate: true, expand: ["latest_invoice"] };
  const ended = await nullIfMissing(client.call(signal, (stripe) => stripe.subscriptions.cancel(id, params)));
  if (ended === null) return await readSubscription(client, id, signal); // somebody was faster
  return await readAll(client, ended, signal);
}

/** The oldest, should there be several: everybody chooses the same one. */
function findOpen(subscriptions: readonly Subscription[]): Subscription | null {
  return subscriptions.find((each) => !hasEnded(each)) ?? null;
}

/** All of the hub's own, the oldest first. */
async function listSubscriptions(
  client: PaymentClient,
  of: Owner,
  signal: AbortSignal,
): Promise<readonly Subscription[]> {
  const expand = ["data.latest_invoice"];
  const params = { customer: of.customer, status: "all", expand, limit: 100 } as const;
  const all = await listAll(client, SubscriptionShape, signal, (stripe) => stripe.subscriptions.list(params));
  // The provider lists the newest first; by their seconds alone two of one second could not be told apart.
  const ours = all.filter(({ metadata }) => metadata["federationId"] === of.federationId).reverse();
  return await Promise.all(ours.map((each) => complete(client, each, signal)));
}

async function readAll(client: PaymentClient, answer: unknown, signal: AbortSignal): Promise<Subscription> {
  return await complete(client, parseAnswer(SubscriptionShape, answer, "subscription"), signal);
}

/** With what did not come along, and where somebody is late with paying, with the invoice that is to be paid first. */
async function complete(client: PaymentClient, shape: SubscriptionShape, signal: AbortSignal): Promise<Subscription> {
  const subscription = await withItems(client, shape, signal);
  if (!isDunning(subscription)) return subscription;
  // By the time that one is overdue, the next month's has often been made: the latest says nothing of it.
  const params = { subscription: shape.id, status: "open", limit: 100 } as const;
  const open = await listAll(client, InvoiceShape, signal, (stripe) => stripe.invoices.list(params));
  const [first] = open.sort((a, b) => dueTime(a) - dueTime(b));
  return first ? { ...subscription, invoice: first } : subscription;
}

function dueTime({ dueAt }: Invoice): number {
  return dueAt?.getTime() ?? 0; // what has no such day was to be paid at once
}

/** An object's list holds its first ones only. */
async function withItems(client: PaymentClient, shape: SubscriptionShape, signal: AbortSignal): Promise<Subscription> {
  if (!shape.items.has_more) return subscriptionOf(shape);
  const params = { subscription: shape.id, limit: 100 };
  const data = await listAll(client, ItemShape, signal, (stripe) => stripe.subscriptionItems.list(params));
  return subscriptionOf({ ...shape, items: { data, has_more: false } });
}
