/**
 * Defines the interface to the payment provider, which `openPayments` in open.ts implements. Amounts are integers in
 * minor units of their currency (ISO 4217, upper case). Every call can be repeated: before a call creates an object, it
 * searches for the hub's ID in the provider's metadata. All calls throw PaymentErrors.
 */
import { DriverError } from "#lib/base/errors.ts";

export class PaymentError extends DriverError {
  override readonly name = "PaymentError";
}

/** A webhook request that the provider did not sign. The message is for its sender. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

export interface Payments {
  /** Checks that the provider answers and accepts the API key. Changes nothing. */
  check(signal: AbortSignal): Promise<void>;
  /** Finds or creates the monthly price of a size, and returns its ID. Throws if an existing price differs. */
  priceFor(request: PriceRequest, signal: AbortSignal): Promise<string>;
  /** Finds or creates the hub's customer, and returns its ID. */
  customerFor(request: CustomerRequest, signal: AbortSignal): Promise<string>;
  updateCustomer(id: string, request: CustomerRequest, signal: AbortSignal): Promise<void>;
  /** Returns the hub's open subscription, or null. */
  findSubscription(object: { readonly customer: string; readonly federationId: string }, signal: AbortSignal): Promise<
    Subscription | null
  >;
  /** Creates a subscription with one item per size, at least one. Prorated from now on and invoiced immediately. */
  createSubscription(request: SubscriptionRequest, signal: AbortSignal): Promise<Subscription>;
  /** Returns null if the subscription does not exist. */
  readSubscription(id: string, signal: AbortSignal): Promise<Subscription | null>;
  /** Sets quantities, which may be 0, and adds items. The difference is prorated and invoiced immediately. */
  setQuantities(id: string, items: readonly ItemRequest[], signal: AbortSignal): Promise<Subscription>;
  /**
   * Ends the subscription immediately. Credits unused time and invoices open amounts. Repeating the call changes
   * nothing.
   */
  endSubscription(id: string, signal: AbortSignal): Promise<Subscription | null>;
  /**
   * Previews the cost of a change, without changing quantities. Takes a few seconds at most, because a user waits.
   * Returns null if a size has neither price nor item, or if the subscription has ended.
   */
  preview(change: InvoicePreviewRequest, signal: AbortSignal): Promise<InvoicePreview | null>;
  /** Returns all refunds of a charge and its customer. Returns null if the charge does not exist. */
  readRefunds(object: RefundedObject, signal: AbortSignal): Promise<ChargeRefunds | null>;
  /**
   * Verifies and reads a webhook event. `body` is the raw body, `signature` the header. Throws a SignatureError if the
   * event is unsigned, invalid, or too old at the time `now`.
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
 * An existing item by its ID, or a new item by its price. A missing item with price and size is created again. If the
 * size already has an item, a new item changes the existing one.
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
  /** Null before a subscription exists. */
  readonly subscription: string | null;
  readonly sizes: readonly SizeQuantityChange[];
}

export interface SizeQuantityChange {
  readonly size: string;
  /** The change of the quantity. 0 only returns the price of one spoke. */
  readonly by: number;
  /** The price of a new item. An existing item keeps its own. */
  readonly price: PriceRequest | null;
}

/** The provider's states: https://docs.stripe.com/api/subscriptions/object */
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

/** Whether a payment is overdue. */
export function isPaymentOverdue({ status }: { readonly status: string | null }): boolean {
  return status === "past_due" || status === "unpaid";
}

/** Whether the subscription has ended and cannot continue. */
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
  /** The size of the item. Null for items that Wheelwright did not create. */
  readonly size: string | null;
  readonly quantity: number;
  /** The price per month. Null if the price has no fixed amount. */
  readonly monthly: number | null;
}

/** The latest invoice, or the invoice that is due first if payments are overdue. */
export interface Invoice {
  readonly id: string;
  readonly number: string | null;
  readonly status: string;
  readonly total: number;
  readonly remaining: number;
  readonly currency: string;
  readonly dueAt: Date | null;
  /** The provider's payment page. Everybody with the URL can pay. */
  readonly url: string | null;
}

export interface InvoicePreview {
  readonly currency: string;
  /** The amount due now: the prorations of the change, or the complete first invoice. May be negative. */
  readonly dueNow: number;
  /** The time for which the prorations were computed. */
  readonly prorationDate: Date;
  /** The total of the subscription per month after the change. */
  readonly monthly: number;
  /** The monthly price of one spoke of each requested size. */
  readonly sizes: readonly { readonly size: string; readonly each: number }[];
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
  /** The event's object. Only its IDs are trusted; the object itself is read from the provider again. */
  readonly object: {
    readonly id: string | null;
    readonly type: string | null;
    readonly customer: string | null;
    readonly subscription: string | null;
    readonly charge: string | null;
  };
}
