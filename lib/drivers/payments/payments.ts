/**
 * Defines the interface to the payment provider, which `openPaymentProvider` in open.ts implements. Amounts are
 * integers in the currency's smallest unit, such as cents. Calls are safe to repeat: before they create an object, they
 * look for an existing one with the hub's ID in its metadata. All calls throw PaymentError.
 */
import { DriverError } from "#lib/base/errors.ts";

export class PaymentError extends DriverError {
  override readonly name = "PaymentError";
}

/** The error for a webhook request that the provider did not sign. The sender gets the error's message. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

export interface PaymentProvider {
  /** Checks that the provider answers and accepts the API key. Changes nothing. */
  check(signal: AbortSignal): Promise<void>;
  /** Finds or creates the monthly price for a size. Returns the price's ID. Throws if an existing price differs. */
  priceFor(request: PriceRequest, signal: AbortSignal): Promise<string>;
  /** Finds or creates the hub's customer at the provider, and returns the customer's ID. */
  customerFor(request: CustomerRequest, signal: AbortSignal): Promise<string>;
  updateCustomer(id: string, request: CustomerRequest, signal: AbortSignal): Promise<void>;
  /** Returns the hub's open subscription, or null if it has none. */
  findSubscription(object: { readonly customer: string; readonly federationId: string }, signal: AbortSignal): Promise<
    Subscription | null
  >;
  /** Creates a subscription with one item per size (at least one). The first invoice is created immediately. */
  createSubscription(request: SubscriptionRequest, signal: AbortSignal): Promise<Subscription>;
  /** Returns the subscription, or null if it does not exist. */
  readSubscription(id: string, signal: AbortSignal): Promise<Subscription | null>;
  /** Sets the items' quantities, which may be 0, and adds missing items. The difference is invoiced immediately. */
  setQuantities(id: string, items: readonly ItemRequest[], signal: AbortSignal): Promise<Subscription>;
  /** Ends the subscription immediately, credits unused time and creates a final invoice. Safe to repeat. */
  endSubscription(id: string, signal: AbortSignal): Promise<Subscription | null>;
  /**
   * Previews what a change would cost, without changing quantities. Takes only a few seconds, because a user is
   * waiting. Returns null if a size has neither a price nor a subscription item, or if the subscription has ended.
   */
  preview(change: InvoicePreviewRequest, signal: AbortSignal): Promise<InvoicePreview | null>;
  /** Estimates the subscription's next invoice. Takes only a few seconds. The estimate may be a minute old. */
  nextInvoice(request: NextInvoiceRequest, signal: AbortSignal): Promise<NextInvoice>;
  /** Returns the customer and all refunds for a charge, or null if the charge does not exist. */
  readRefunds(object: RefundedObject, signal: AbortSignal): Promise<ChargeRefunds | null>;
  /**
   * Verifies and reads a webhook event. `body` is the raw request body, and `signature` is the header. Throws
   * SignatureError if the event is not signed, invalid, or too old at the time `now`.
   */
  readEvent(body: Uint8Array, signature: string | null, now: Date): Promise<ProviderEvent>;
}

export interface PriceRequest {
  readonly size: string;
  readonly title: string | null;
  readonly currency: string;
  readonly monthly: number;
}

export interface CustomerRequest {
  readonly federationId: string;
  readonly name: string;
  readonly email: string;
}

/**
 * Identifies an existing item by its ID, or a new item by its price. If the ID does not exist, the item is created
 * again from its price and size. If a new item's size already has an item, that item is changed instead.
 */
export type ItemRequest =
  | { readonly item: string; readonly quantity: number; readonly price?: string; readonly size?: string }
  | { readonly price: string; readonly size: string; readonly quantity: number };

export interface SubscriptionRequest {
  readonly federationId: string;
  readonly customer: string;
  readonly items: readonly Extract<ItemRequest, { price: string }>[];
}

export interface InvoicePreviewRequest {
  readonly customer: string;
  /** The subscription's ID. Null if the customer has no subscription yet. */
  readonly subscription: string | null;
  readonly sizes: readonly SizeQuantityChange[];
}

export interface SizeQuantityChange {
  readonly size: string;
  /** The change in quantity. Pass 0 to get only the price for one spoke. */
  readonly by: number;
  /** The price for a new item. An existing item keeps its current price. */
  readonly price: PriceRequest | null;
}

/** The provider's subscription states: https://docs.stripe.com/api/subscriptions/object */
export const SUBSCRIPTION_STATUSES = [
  "incomplete",
  "incomplete_expired",
  "trialing",
  "active",
  "past_due",
  "canceled",
  "unpaid",
  "paused",
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** Returns whether a payment for the subscription is overdue. */
export function isPaymentOverdue({ status }: { readonly status: string | null }): boolean {
  return status === "past_due" || status === "unpaid";
}

/** Returns whether the subscription has ended permanently. */
export function hasSubscriptionEnded({ status }: { readonly status: string | null }): boolean {
  return status === "canceled" || status === "incomplete_expired";
}

export interface Subscription {
  readonly id: string;
  readonly customer: string;
  /** The hub's ID. Null if Wheelwright did not create the subscription. */
  readonly federationId: string | null;
  readonly status: SubscriptionStatus;
  readonly currency: string;
  readonly items: readonly SubscriptionItem[];
  readonly invoice: Invoice | null;
}

export interface SubscriptionItem {
  readonly id: string;
  readonly price: string;
  /** The size that the item is for. Null if Wheelwright did not create the item. */
  readonly size: string | null;
  readonly quantity: number;
  /** The monthly price per unit in the currency's smallest unit, such as cents. Null if it is not a fixed amount. */
  readonly monthly: number | null;
}

/** The subscription's latest invoice or, if payments are overdue, the invoice that was due first. */
export interface Invoice {
  readonly id: string;
  readonly number: string | null;
  readonly status: string;
  readonly total: number;
  readonly remaining: number;
  readonly currency: string;
  readonly dueAt: Date | null;
  /** The provider's payment page for this invoice. Anyone who has the URL can pay. */
  readonly url: string | null;
}

export interface InvoicePreview {
  readonly currency: string;
  /** The amount due now: the prorations for the change, or the complete first invoice. May be negative. */
  readonly dueNow: number;
  /** The time for which the provider calculated the prorations. */
  readonly prorationDate: Date;
  /** The subscription's total price per month after the change. */
  readonly monthly: number;
  /** For each requested size, the monthly price for one spoke. */
  readonly sizes: readonly { readonly size: string; readonly each: number }[];
}

export interface NextInvoiceRequest {
  readonly customer: string;
  readonly subscription: string;
}

export interface NextInvoice {
  readonly currency: string;
  readonly total: number;
  /** The amount that the customer will have to pay: the total, reduced by the customer's credit. */
  readonly due: number;
  /** When the provider will create the invoice. */
  readonly at: Date;
}

export type RefundedObject = { readonly charge: string } | { readonly refund: string };

export interface ChargeRefunds {
  readonly customer: string | null;
  readonly refunds: readonly Refund[];
}

export interface Refund {
  readonly id: string;
  readonly charge: string | null;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly createdAt: Date;
}

export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly live: boolean;
  /** The object that the event is about. Only the IDs are trusted. All other data must be read from the provider. */
  readonly object: {
    readonly id: string | null;
    readonly type: string | null;
    readonly customer: string | null;
    readonly subscription: string | null;
    readonly charge: string | null;
  };
}
