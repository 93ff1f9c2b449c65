/** The tables of billing for Kysely. */
import type {
  BigColumn,
  DefaultJsonColumn,
  MaybeJsonColumn,
  MaybeStampColumn,
  StampColumn,
} from "#lib/drivers/db/columns.ts";

export interface BillingTables {
  subscriptions: {
    federationId: string;
    email: string;
    customerId: string | null;
    subscriptionId: string | null;
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
    sentQuantities: MaybeJsonColumn;
    items: DefaultJsonColumn;
    invoice: MaybeJsonColumn;
    difference: MaybeJsonColumn;
    pastDueSince: MaybeStampColumn;
    error: string | null;
    retryAt: MaybeStampColumn;
    checkedAt: MaybeStampColumn;
    createdAt: StampColumn;
    updatedAt: StampColumn;
  };
  billing_events: {
    id: string;
    type: string;
    objectId: string | null;
    customerId: string | null;
    federationId: string | null;
    createdAt: StampColumn;
    receivedAt: StampColumn;
    handledAt: MaybeStampColumn;
  };
  billing_refunds: {
    id: string;
    federationId: string;
    chargeId: string | null;
    amount: BigColumn;
    currency: string;
    createdAt: StampColumn;
  };
}
