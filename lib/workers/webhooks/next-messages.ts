/** Reads the next messages that a webhook has to deliver in a hub. */
import { sql } from "kysely";
import { removeOperatorDetailsDeep } from "#lib/base/operator-details.ts";
import type { WebhookRow } from "#lib/domains/webhooks/store.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { createMessageId } from "#lib/drivers/webhooks/sign.ts";
import { readStreamBounds, readStreamEvents } from "#lib/events/store.ts";
import { isEventWanted, RESET_MESSAGE_TYPE } from "#lib/model/webhook.ts";

const PAGE_SIZE = 50;

export interface WebhookCursor {
  readonly number: number;
  readonly attempt: number;
  readonly failingSince: Date | null;
  /** How long the webhook must wait before the next attempt, in milliseconds. */
  readonly waitMs: number;
}

/** A message to deliver. `null` instead of a message means that the webhook does not want the event. */
export interface NextMessage {
  readonly number: number;
  readonly message: { readonly id: string; readonly type: string; readonly at: string; readonly data: object } | null;
}

/** Reads the webhook's position in the hub. Events from before the webhook's creation are before this position. */
export async function readWebhookCursor(
  rows: RowQueries,
  webhookId: string,
  federationId: string,
): Promise<WebhookCursor> {
  const { rows: [row] } = await sql<{
    number: string;
    attempt: number;
    failingSince: Date | null;
    waitMs: number | null;
  }>`
    select number, attempt, failing_since, extract(epoch from retry_at - wheelwright_now())::float8 * 1000 as wait_ms
    from webhook_cursors where webhook_id = ${webhookId} and federation_id = ${federationId}`.execute(rows);
  if (!row) return { number: 0, attempt: 0, failingSince: null, waitMs: 0 };
  return { ...row, number: Number(row.number), waitMs: Math.max(0, row.waitMs ?? 0) };
}

/** Reads the next page of messages after the event with this number. An empty page means that all were delivered. */
export async function readNextMessages(
  rows: RowQueries,
  webhook: WebhookRow,
  federationId: string,
  after: number,
): Promise<NextMessage[]> {
  const { prunedThrough } = await readStreamBounds(rows, federationId);
  if (after < prunedThrough) return [await buildResetMessage(rows, webhook, federationId, prunedThrough)];
  const events = await readStreamEvents(rows, federationId, after, PAGE_SIZE);
  return events.map(({ number, type, data }) => ({
    number,
    message: isEventWanted(webhook.eventTypes, type)
      ? {
        id: createMessageId(webhook.id, federationId, number),
        type,
        at: data.at,
        data: webhook.federationId === null ? data : removeOperatorDetailsDeep(data),
      }
      : null,
  }));
}

/** Builds the message that some events were deleted before they could be delivered. Every webhook gets it. */
async function buildResetMessage(
  rows: RowQueries,
  { id }: WebhookRow,
  federationId: string,
  number: number,
): Promise<NextMessage> {
  const { state, now } = await rows.selectFrom("federations").select(["state", sql<Date>`wheelwright_now()`.as("now")])
    .where("id", "=", federationId).executeTakeFirstOrThrow();
  const type = RESET_MESSAGE_TYPE, at = now.toISOString();
  const data = { id: String(number), type, at, federationId, state };
  return { number, message: { id: createMessageId(id, federationId, number, type), type, at, data } };
}
