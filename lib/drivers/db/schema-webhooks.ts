/** Defines the tables for webhooks, for the query builder Kysely. */
import type { Generated } from "kysely";
import type {
  BigintColumn,
  NullableBigintColumn,
  NullableTimestampColumn,
  TimestampColumn,
} from "#lib/drivers/db/columns.ts";
import type { DeliveryTrigger, WebhookState } from "#lib/model/webhook.ts";

export interface WebhookTables {
  webhooks: {
    id: string;
    federationId: string | null;
    url: string;
    eventTypes: string[];
    description: Generated<string>;
    secret: string;
    formerSecret: string | null;
    formerSecretEndsAt: NullableTimestampColumn;
    state: Generated<WebhookState>;
    disabledReason: string | null;
    createdBy: string;
    createdAt: TimestampColumn;
    updatedAt: TimestampColumn;
  };
  webhook_cursors: {
    webhookId: string;
    federationId: string;
    number: BigintColumn;
    attempt: Generated<number>;
    failingSince: NullableTimestampColumn;
    retryAt: NullableTimestampColumn;
  };
  webhook_deliveries: {
    id: string;
    webhookId: string;
    federationId: string | null;
    number: NullableBigintColumn;
    trigger: DeliveryTrigger;
    messageId: string;
    type: string;
    body: string;
    attempt: number;
    status: number | null;
    answer: string;
    error: string | null;
    durationMs: number;
    createdAt: TimestampColumn;
  };
}
