/**
 * Manages subscriptions at the payment provider: one open subscription per hub, with the hub's ID in its metadata.
 * Invoices are sent by email and due within 30 days, because Wheelwright stores no cards. Operators can switch a
 * subscription to card payments at the provider. Changes are prorated and invoiced immediately.
 */
import { listAllPages, nullIfMissing, type PaymentCalls } from "#lib/drivers/payments/client.ts";
import { computeItemChanges } from "#lib/drivers/payments/items.ts";
import { createOnce } from "#lib/drivers/payments/create-once.ts";
import {
  hasSubscriptionEnded,
  type Invoice,
  isPaymentOverdue,
  type ItemRequest,
  PaymentError,
  type Subscription,
  type SubscriptionRequest,
} from "#lib/drivers/payments/payments.ts";
import {
  InvoiceSchema,
  parseResponse,
  SubscriptionItemSchema,
  SubscriptionSchema,
  toSubscription,
} from "#lib/drivers/payments/schemas.ts";
import { isObjectRateLimit } from "#lib/drivers/payments/errors.ts";

const DAYS_UNTIL_DUE = 30;

interface Owner {
  readonly customer: string;
  readonly federationId: string;
}

export async function findSubscription(client: PaymentCalls, owner: Owner): Promise<Subscription | null> {
  return findOpen(await listSubscriptions(client, owner));
}

export async function createSubscription(client: PaymentCalls, request: SubscriptionRequest): Promise<Subscription> {
  const { customer, federationId } = request;
  if (request.items.length === 0) throw new TypeError("A subscription needs at least one item");
  // The idempotency key includes the most recently ended subscription, so that the hub can subscribe again.
  const earlier = await listSubscriptions(client, request);
  const subscription = await createOnce<Subscription>(client, {
    key: `subscription-${federationId}-${earlier.findLast(hasSubscriptionEnded)?.id ?? "first"}`,
    find: async () => await findSubscription(client, request),
    create: async (idempotencyKey) => {
      const response = await client.call((stripe) =>
        stripe.subscriptions.create({
          customer,
          items: request.items.map(({ price, size, quantity }) => ({ price, quantity, metadata: { size } })),
          collection_method: "send_invoice",
          days_until_due: DAYS_UNTIL_DUE,
          metadata: { federationId },
          expand: ["latest_invoice"],
        }, { idempotencyKey })
      );
      const subscription = await readAll(client, response);
      // Reads the subscription again, because a repeated key may have returned an outdated result.
      const now = await readSubscription(client, subscription.id);
      return now && !hasSubscriptionEnded(now) ? now : null;
    },
  });
  // Sets the quantities again, because an existing subscription may have different items.
  return await setItemQuantities(client, subscription, request.items);
}

/** Reads a subscription. Returns null if it does not exist. */
export async function readSubscription(client: PaymentCalls, id: string): Promise<Subscription | null> {
  const expand = ["latest_invoice"];
  const found = await nullIfMissing(client.call((stripe) => stripe.subscriptions.retrieve(id, { expand })));
  return found && await readAll(client, found);
}

/**
 * Sets quantities. Sends only differences, so repeated calls create no invoices. The provider creates at most 20
 * invoices per subscription and day (https://docs.stripe.com/rate-limits). Later changes go on the next invoice.
 */
export async function setItemQuantities(
  client: PaymentCalls,
  subscription: Subscription,
  request: readonly ItemRequest[],
): Promise<Subscription> {
  const items = computeItemChanges(subscription, request);
  if (items.length === 0) return subscription;
  const change = (proration_behavior: "always_invoice" | "create_prorations") =>
    client.call((stripe) =>
      stripe.subscriptions.update(subscription.id, {
        items: [...items],
        proration_behavior,
        expand: ["latest_invoice"],
      })
    );
  const changed = await change("always_invoice").catch((error) => {
    if (!isObjectRateLimit(error)) throw error;
    return change("create_prorations");
  });
  return await readAll(client, changed);
}

/** Reads an open subscription. Throws if the subscription has ended, because no invoices would be sent. */
export async function readOpenSubscription(client: PaymentCalls, id: string): Promise<Subscription> {
  const subscription = await readSubscription(client, id);
  if (subscription && !hasSubscriptionEnded(subscription)) return subscription;
  const message = `The subscription ${id} ${subscription ? "has ended" : "no longer exists"}`;
  throw new PaymentError("subscription_ended", message, {
    transient: false,
    hint: "Reconcile the hub's billing to create a new subscription.",
  });
}

export async function endSubscription(client: PaymentCalls, id: string): Promise<Subscription | null> {
  const subscription = await readSubscription(client, id);
  if (!subscription || hasSubscriptionEnded(subscription)) return subscription;
  const params = { invoice_now: true, prorate: true, expand: ["latest_invoice"] };
  const ended = await nullIfMissing(client.call((stripe) => stripe.subscriptions.cancel(id, params)));
  if (ended === null) return await readSubscription(client, id); // somebody else has ended the subscription
  return await readAll(client, ended);
}

/** Returns the oldest open subscription, or null. Every replica therefore chooses the same subscription. */
function findOpen(subscriptions: readonly Subscription[]): Subscription | null {
  return subscriptions.find((each) => !hasSubscriptionEnded(each)) ?? null;
}

/** Lists the hub's subscriptions at the provider, oldest first. */
async function listSubscriptions(client: PaymentCalls, owner: Owner): Promise<readonly Subscription[]> {
  const expand = ["data.latest_invoice"];
  const params = { customer: owner.customer, status: "all", expand, limit: 100 } as const;
  const all = await listAllPages(client, SubscriptionSchema, (stripe) => stripe.subscriptions.list(params));
  // Reverses the list, because the provider returns the newest subscription first. Sorting by time would be unreliable,
  // because two subscriptions can be created in the same second.
  const ours = all.filter(({ metadata }) => metadata["federationId"] === owner.federationId).reverse();
  return await Promise.all(ours.map((each) => complete(client, each)));
}

async function readAll(client: PaymentCalls, answer: unknown): Promise<Subscription> {
  return await complete(client, parseResponse(SubscriptionSchema, answer, "subscription"));
}

/** Adds the items that the response omitted. If a payment is overdue, returns the invoice that was due first. */
async function complete(client: PaymentCalls, shape: SubscriptionSchema): Promise<Subscription> {
  const subscription = await withItems(client, shape);
  if (!isPaymentOverdue(subscription)) return subscription;
  // Reads all open invoices, because the latest invoice is often newer than the overdue one.
  const params = { subscription: shape.id, status: "open", limit: 100 } as const;
  const open = await listAllPages(client, InvoiceSchema, (stripe) => stripe.invoices.list(params));
  const [first] = open.sort((a, b) => dueTime(a) - dueTime(b));
  return first ? { ...subscription, invoice: first } : subscription;
}

function dueTime({ dueAt }: Invoice): number {
  return dueAt?.getTime() ?? 0; // an invoice without a due date is due immediately
}

async function withItems(client: PaymentCalls, shape: SubscriptionSchema): Promise<Subscription> {
  if (!shape.items.has_more) return toSubscription(shape);
  const params = { subscription: shape.id, limit: 100 };
  const data = await listAllPages(client, SubscriptionItemSchema, (stripe) => stripe.subscriptionItems.list(params));
  return toSubscription({ ...shape, items: { data, has_more: false } });
}
