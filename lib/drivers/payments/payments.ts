/**
 * What the payment provider is asked and what it answers, in this house's words: the contract of openPayments in open.ts.
 *
 * Amounts are integers in minor units of their currency (ISO 4217, upper case), times are Dates. Every call may be made
 * again: what makes something finds what an earlier call made, by the hub's id that is kept with it at the provider. All
 * of them throw a PaymentError.
 */
import { DriverError } from "#lib/base/errors.ts";

/** Why the payment provider did not do what it was asked. */
export class PaymentError extends DriverError {
  override readonly name = "PaymentError";
}

/** What came to the webhook is not the provider's. The message is for its sender. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

export interface Payments {
  /** Returns when the provider has answered, and taken our key. Changes nothing. */
  check(signal: AbortSignal): Promise<void>;
  /** The id of the price of one spoke of a size a month. It is made there if none exists; what differs is an error. */
  priceFor(wanted: PriceRequest, signal: AbortSignal): Promise<string>;
  /** The id of the hub's customer, who is made there if none exists, and told apart by the hub's id alone. */
  customerFor(wanted: CustomerRequest, signal: AbortSignal): Promise<string>;
  /** Whom the provider writes to from now on. */
  updateCustomer(id: string, wanted: CustomerRequest, signal: AbortSignal): Promise<void>;
  /** The hub's subscription that has not ended, or null. */
  findSubscription(of: { readonly customer: string; readonly federationId: string }, signal: AbortSignal): Promise<
    Subscription | null
  >;
  /** One item a size; at least one. Prorated from now on, and invoiced at once. */
  createSubscription(wanted: SubscriptionRequest, signal: AbortSignal): Promise<Subscription>;
  /** Null when the provider knows none of that id. */
  readSubscription(id: string, signal: AbortSignal): Promise<Subscription | null>;
  /**
   * Sets quantities, which may be 0, and adds items; what is not named stays. The difference is prorated and invoiced
   * at once.
   */
  setQuantities(id: string, items: readonly ItemRequest[], signal: AbortSignal): Promise<Subscription>;
  /** Ends it now: what was paid and not used is credited, what is open is invoiced. One that has ended stays as it is. */
  endSubscription(id: string, signal: AbortSignal): Promise<Subscription | null>;
  /**
   * What a change of quantities would cost, by the provider's own invoice preview; null where a size has neither price nor
   * item, or the subscription has ended. No quantity is changed. Somebody waits for it: it takes a few seconds at most.
   */
  preview(change: PreviewRequest, signal: AbortSignal): Promise<Preview | null>;
  /** The refunds of what a charge or a refund belongs to, and whose they are; null when the provider knows it no more. */
  readRefunds(of: RefundedObject, signal: AbortSignal): Promise<Refunds | null>;
  /**
   * A webhook's event. `body` is the raw body, `signature` the header, `now` the time by which its age is judged. Throws
   * a SignatureError for what the provider did not sign, signed long ago, or what is no event.
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
 * An item that is there by its id; else a new one by its price. With its price and size besides, one that is there no more
 * is made anew. A new one of a size that has an item changes that one: there is one item a size.
 */
export type ItemRequest =
  | { readonly item: string; readonly quantity: number; readonly price?: string; readonly size?: string }
  | { readonly price: string; readonly size: string; readonly quantity: number };

export interface SubscriptionRequest {
  readonly federationId: string;
  readonly customer: string;
  readonly items: readonly Extract<ItemRequest, { price: string }>[];
}

export interface PreviewRequest {
  readonly customer: string;
  /** Null before there is one. */
  readonly subscription: string | null;
  readonly sizes: readonly SizeChange[];
}

export interface SizeChange {
  readonly size: string;
  /** How many more than the provider counts now, or fewer; 0 to be told what one costs. */
  readonly by: number;
  /** Of a new item; one that is there keeps its own. */
  readonly price: PriceRequest | null;
}

/** What the provider calls these states: https://docs.stripe.com/api/subscriptions/object */
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

/** Whether what was owed is late. */
export function isDunning({ status }: { readonly status: string | null }): boolean {
  return status === "past_due" || status === "unpaid";
}

/** Whether it charges nothing any more, and never will again: another would have to be made. */
export function hasEnded({ status }: { readonly status: string | null }): boolean {
  return status === "canceled" || status === "incomplete_expired";
}

export interface Subscription {
  readonly id: string;
  readonly customer: string;
  /** Null where it was made by other hands than ours. */
  readonly federationId: string | null;
  readonly status: SubscriptionStatus;
  readonly currency: string;
  readonly items: readonly SubscriptionItem[];
  readonly invoice: Invoice | null;
}

export interface SubscriptionItem {
  readonly id: string;
  readonly price: string;
  /** Which size it is for; null for what is not ours. */
  readonly size: string | null;
  readonly quantity: number;
  /** A month; null where the price has no one amount. */
  readonly monthly: number | null;
}

/** The latest invoice; while one is late, the one that is to be paid first. */
export interface Invoice {
  readonly id: string;
  readonly number: string | null;
  readonly status: string;
  readonly total: number;
  readonly remaining: number;
  readonly currency: string;
  readonly dueAt: Date | null;
  /** The provider's page on which it can be paid, by everybody who has the address. */
  readonly url: string | null;
}

export interface Preview {
  readonly currency: string;
  /**
   * What is due now for the change: its prorations; all of the first invoice where there is no subscription yet. May be
   * negative.
   */
  readonly dueNow: number;
  /** As of when that was computed. */
  readonly prorationDate: Date;
  /** What the whole subscription comes to in each month from then on. */
  readonly monthly: number;
  /** What one spoke of each size that was asked about costs in each of these months. */
  readonly sizes: readonly { readonly size: string; readonly each: number }[];
}

export type RefundedObject = { readonly charge: string } | { readonly refund: string };

export interface Refunds {
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
  /** The object that it is about, as far as it says: what is in it is not believed but fetched again. */
  readonly object: {
    readonly id: string | null;
    readonly type: string | null;
    readonly customer: string | null;
    readonly subscription: string | null;
    readonly charge: string | null;
  };
}
