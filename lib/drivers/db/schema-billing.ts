/** Defines the billing tables for Kysely, the query builder. */
import type {
  BigintColumn,
  JsonColumnWithDefault,
  NullableJsonColumn,
  NullableTimestampColumn,
  TimestampColumn,
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
    sentQuantities: NullableJsonColumn;
    items: JsonColumnWithDefault;
    invoice: NullableJsonColumn;
    difference: NullableJsonColumn;
    pastDueSince: NullableTimestampColumn;
    error: string | null;
    retryAt: NullableTimestampColumn;
    checkedAt: NullableTimestampColumn;
    createdAt: TimestampColumn;
    updatedAt: TimestampColumn;
  };
  billing_events: {
    id: string;
    type: string;
    objectId: string | null;
    customerId: string | null;
    federationId: string | null;
    createdAt: TimestampColumn;
    receivedAt: TimestampColumn;
    handledAt: NullableTimestampColumn;
  };
  billing_refunds: {
    id: string;
    federationId: string;
    chargeId: string | null;
    amount: BigintColumn;
    currency: string;
    createdAt: TimestampColumn;
  };
}
