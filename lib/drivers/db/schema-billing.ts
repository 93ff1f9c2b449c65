/** The tables of billing, as kysely sees them: a part of the schema, in a file of its own for its length. */
import type { Big, DefaultJson, MaybeJson, MaybeStampColumn, StampColumn } from "#lib/drivers/db/columns.ts";

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
    past_due_since: MaybeStampColumn;
    error: string | null;
    retry_at: MaybeStampColumn;
    seen_at: MaybeStampColumn;
    created_at: StampColumn;
    updated_at: StampColumn;
  };
  billing_events: {
    id: string;
    type: string;
    object_id: string | null;
    customer_id: string | null;
    federation_id: string | null;
    created_at: StampColumn;
    received_at: StampColumn;
    handled_at: MaybeStampColumn;
  };
  billing_refunds: {
    id: string;
    federation_id: string;
    charge_id: string | null;
    amount: Big;
    currency: string;
    created_at: StampColumn;
  };
}
