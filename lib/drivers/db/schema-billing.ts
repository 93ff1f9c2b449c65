/** The tables of billing, as kysely sees them: a part of the schema, in a file of its own for its length. */
import type { Big, DefaultJson, MaybeJson, MaybeStamp, Stamp } from "#lib/drivers/db/columns.ts";

export interface BillingTables {
  subscriptions: {
    federation_id: string;
    email: string;
    customer_id: string | null;
    subscription_id: string | null;
    status:
      | "incomplete"
      | "incomplete_expired"
      | "trialing"
      | "active"
      | "past_due"
      | "canceled"
      | "unpaid"
      | "paused"
      | null;
    currency: string | null;
    told: MaybeJson;
    items: DefaultJson;
    invoice: MaybeJson;
    difference: MaybeJson;
    past_due_since: MaybeStamp;
    error: string | null;
    retry_at: MaybeStamp;
    seen_at: MaybeStamp;
    created_at: Stamp;
    updated_at: Stamp;
  };
  billing_events: {
    id: string;
    type: string;
    object_id: string | null;
    customer_id: string | null;
    federation_id: string | null;
    created_at: Stamp;
    received_at: Stamp;
    handled_at: MaybeStamp;
  };
  billing_refunds: {
    id: string;
    federation_id: string;
    charge_id: string | null;
    amount: Big;
    currency: string;
    created_at: Stamp;
  };
}
