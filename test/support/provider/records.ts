/** Defines the objects in the provider's responses, limited to the fields that tests read. */

// deno-lint-ignore no-explicit-any
export type Json = any;

export type Metadata = Record<string, string>;

export interface List<T> {
  readonly object: "list";
  data: T[];
  readonly has_more: boolean;
  readonly url: string;
  readonly total_count?: number;
}

interface BaseRecord<Kind extends string> {
  readonly id: string;
  readonly object: Kind;
  readonly created: number;
  readonly livemode: false;
}

export interface Customer extends BaseRecord<"customer"> {
  email: string | null;
  name: string | null;
  description: string | null;
  metadata: Metadata;
  /** The balance in minor units, such as cents. A negative balance means that the customer has credit. */
  balance: number;
  currency: string | null;
  invoice_settings: { default_payment_method: string | null; [field: string]: Json };
}

export interface Product extends BaseRecord<"product"> {
  name: string;
  active: boolean;
  description: string | null;
  metadata: Metadata;
  unit_label: string | null;
  updated: number;
}

export interface Price extends BaseRecord<"price"> {
  active: boolean;
  readonly currency: string;
  lookup_key: string | null;
  metadata: Metadata;
  nickname: string | null;
  readonly product: string;
  readonly recurring: { readonly interval: Interval; readonly interval_count: number; [field: string]: Json } | null;
  readonly type: "recurring" | "one_time";
  readonly unit_amount: number;
}

export type Interval = "day" | "week" | "month" | "year";

export interface Item {
  readonly id: string;
  readonly object: "subscription_item";
  readonly created: number;
  current_period_start: number;
  current_period_end: number;
  metadata: Metadata;
  price: Price;
  quantity: number;
  readonly subscription: string;
}

export type Status = "active" | "past_due" | "unpaid" | "canceled" | "incomplete" | "incomplete_expired";

export interface Subscription extends BaseRecord<"subscription"> {
  billing_cycle_anchor: number;
  readonly billing_mode: { readonly type: "classic" | "flexible"; [field: string]: Json };
  cancel_at_period_end: boolean;
  canceled_at: number | null;
  collection_method: "charge_automatically" | "send_invoice";
  readonly currency: string;
  readonly customer: string;
  days_until_due: number | null;
  default_payment_method: string | null;
  description: string | null;
  ended_at: number | null;
  items: List<Item>;
  latest_invoice: string | null;
  metadata: Metadata;
  readonly start_date: number;
  status: Status;
}

export interface Line {
  readonly id: string;
  readonly object: "line_item";
  readonly amount: number;
  readonly currency: string;
  readonly description: string;
  invoice: string | null;
  readonly metadata: Metadata;
  readonly parent: {
    readonly type: "subscription_item_details";
    readonly invoice_item_details: null;
    readonly subscription_item_details: {
      readonly invoice_item: string | null;
      readonly proration: boolean;
      readonly subscription: string;
      readonly subscription_item: string;
      [field: string]: Json;
    };
  };
  readonly period: { readonly start: number; readonly end: number };
  readonly pricing: {
    readonly price_details: { readonly price: string; readonly product: string };
    [field: string]: Json;
  };
  readonly quantity: number;
  readonly subscription: string;
}

export interface Invoice extends BaseRecord<"invoice"> {
  amount_due: number;
  amount_paid: number;
  amount_remaining: number;
  attempt_count: number;
  attempted: boolean;
  automatically_finalizes_at: number | null;
  readonly billing_reason: string;
  readonly collection_method: Subscription["collection_method"];
  readonly currency: string;
  readonly customer: string;
  due_date: number | null;
  ending_balance: number | null;
  hosted_invoice_url: string | null;
  lines: List<Line>;
  number: string | null;
  readonly parent: {
    readonly subscription_details: { readonly subscription: string; [field: string]: Json };
    [field: string]: Json;
  };
  readonly period_start: number;
  readonly period_end: number;
  starting_balance: number;
  status: "draft" | "open" | "paid" | "void" | "uncollectible";
  status_transitions: Record<"finalized_at" | "marked_uncollectible_at" | "paid_at" | "voided_at", number | null>;
  readonly subtotal: number;
  readonly total: number;
}

export interface PaymentIntent extends BaseRecord<"payment_intent"> {
  readonly amount: number;
  amount_received: number;
  readonly currency: string;
  readonly customer: string;
  latest_charge: string | null;
  status: "requires_payment_method" | "succeeded";
}

export interface Charge extends BaseRecord<"charge"> {
  readonly amount: number;
  amount_refunded: number;
  readonly currency: string;
  readonly customer: string;
  readonly paid: boolean;
  readonly payment_intent: string;
  refunded: boolean;
  readonly status: "succeeded" | "failed";
}

export interface Refund extends Omit<BaseRecord<"refund">, "livemode"> {
  readonly amount: number;
  readonly charge: string;
  readonly currency: string;
  readonly customer: string;
  readonly payment_intent: string;
  status: string;
}

/** Connects a payment with the paid invoice. */
export interface InvoicePayment extends BaseRecord<"invoice_payment"> {
  readonly amount_paid: number | null;
  readonly invoice: string;
  readonly payment: { readonly type: "payment_intent"; readonly payment_intent: string };
  readonly status: "open" | "paid" | "canceled";
  [field: string]: Json;
}

export interface StripeEvent {
  readonly id: string;
  readonly object: "event";
  readonly api_version: string;
  readonly created: number;
  /** The object at the time of the event, and the previous values of changed fields. */
  readonly data: { readonly object: Json; readonly previous_attributes?: Json };
  readonly livemode: false;
  readonly pending_webhooks: number;
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null };
  readonly type: string;
}
