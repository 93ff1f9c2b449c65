/** Sends single messages on request: a test message, or an earlier message again. */
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import { createRandomHex, isId } from "#lib/base/ids.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createWebhookEntry } from "#lib/domains/webhooks/change.ts";
import { lockWebhook, type WebhookRow } from "#lib/domains/webhooks/store.ts";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import { createMessageId } from "#lib/drivers/webhooks/sign.ts";
import { createWebhookMessageJob } from "#lib/jobs/webhook.ts";
import { TEST_MESSAGE_TYPE } from "#lib/model/webhook.ts";

interface QueuedMessage {
  readonly messageId: string;
}

/** Builds the body of a message, as Standard Webhooks recommends it. */
export function buildMessageBody(type: string, timestamp: string, data: object): string {
  return JSON.stringify({ type, timestamp, data });
}

/** Queues a test message, also to a disabled webhook. The list of deliveries shows its result. */
export async function sendTestMessage({ db }: App, actor: Actor, { id }: WebhookRow): Promise<QueuedMessage> {
  const messageId = createMessageId(id, "test", createRandomHex());
  return await db.transact(async (tx) => {
    const row = await lockWebhook(tx, id), at = (await readDatabaseTime(tx)).toISOString();
    const data = { webhookId: id, ...(row.federationId !== null && { federationId: row.federationId }), at };
    const job = createWebhookMessageJob({
      webhookId: id,
      federationId: row.federationId,
      number: null,
      trigger: "test",
      messageId,
      type: TEST_MESSAGE_TYPE,
      body: buildMessageBody(TEST_MESSAGE_TYPE, at, data),
    });
    await recordChange(tx, actor, { audit: [createWebhookEntry(row, "webhook_tested", { messageId })], jobs: [job] });
    return { messageId };
  });
}

/**
 * Queues an earlier message again, with the same ID and body. Throws a `missing` fault (`delivery_missing`) if the
 * delivery was deleted.
 */
export async function redeliverMessage(
  { db }: App,
  actor: Actor,
  { id }: WebhookRow,
  deliveryId: string,
): Promise<QueuedMessage> {
  return await db.transact(async (tx) => {
    const row = await lockWebhook(tx, id);
    const delivery = isId("whd", deliveryId)
      ? await tx.selectFrom("webhook_deliveries").selectAll().where("id", "=", deliveryId).where("webhookId", "=", id)
        .executeTakeFirst()
      : undefined;
    if (!delivery) {
      const message = "The webhook has no such delivery; deliveries are kept for 14 days";
      throw new Fault("missing", "delivery_missing", message);
    }
    const { federationId, number, messageId, type, body } = delivery;
    const job = createWebhookMessageJob({
      ...{ webhookId: id, federationId, number: number === null ? null : Number(number) },
      ...{ trigger: "redelivery", messageId, type, body },
    });
    const metadata = { messageId, deliveryId };
    await recordChange(tx, actor, { audit: [createWebhookEntry(row, "webhook_redelivered", metadata)], jobs: [job] });
    return { messageId };
  });
}
