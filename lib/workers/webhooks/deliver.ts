/**
 * Delivers the events of one hub to one webhook, in order and at least once. The job stores the result of each attempt
 * and the webhook's position in one transaction. After a crash, another replica sends the same message again, with the
 * same ID. After a failed attempt the job waits in the queue.
 */
import type { App } from "#lib/app.ts";
import { SECOND } from "#lib/base/time.ts";
import { buildMessageBody } from "#lib/domains/webhooks/messages.ts";
import { openWebhookSecrets } from "#lib/domains/webhooks/secrets.ts";
import type { WebhookRow } from "#lib/domains/webhooks/store.ts";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { WebhookAnswer } from "#lib/drivers/webhooks/sender.ts";
import { WEBHOOK_JOB_KIND, WEBHOOK_MESSAGE_JOB_KIND } from "#lib/jobs/webhook.ts";
import { createHandler, type JobHandler, type JobRun, type RunOf } from "#lib/scheduler/handler.ts";
import { StepYielded } from "#lib/scheduler/stop-reasons.ts";
import { decideAfterFailure } from "#lib/workers/webhooks/backoff.ts";
import {
  type NextMessage,
  readNextMessages,
  readWebhookCursor,
  type WebhookCursor,
} from "#lib/workers/webhooks/next-messages.ts";
import {
  advanceCursor,
  type AttemptedMessage,
  lockSendingWebhook,
  recordDelivery,
  recordFailure,
} from "#lib/workers/webhooks/outcomes.ts";

type DeliveryApp = Pick<App, "db" | "secrets" | "webhookSender" | "telemetry">;
type WebhookRun = RunOf<typeof WEBHOOK_JOB_KIND>;

/** How long a job delivers before it lets the jobs of other webhooks run. */
const TURN = 20 * SECOND;

export function deliverWebhook(app: DeliveryApp): JobHandler {
  return createHandler({
    kind: WEBHOOK_JOB_KIND,
    steps: { deliver: (run) => deliverEvents(app, run) },
  });
}

export function sendWebhookMessage(app: DeliveryApp): JobHandler {
  return createHandler({
    kind: WEBHOOK_MESSAGE_JOB_KIND,
    steps: {
      async send(run) {
        const { payload } = run.job, webhook = await findSendingWebhook(app, payload.webhookId);
        if (!webhook) return;
        const message: AttemptedMessage = { ...payload, attempt: 1 };
        const answer = await send(app, run, webhook, message);
        await run.write(async (tx) => {
          if (await lockSendingWebhook(tx, webhook.id)) await recordDelivery(tx, message, answer);
        });
      },
    },
  });
}

async function deliverEvents(app: DeliveryApp, run: WebhookRun): Promise<void> {
  const { webhookId, federationId } = run.job.payload, endsAt = performance.now() + TURN;
  for (;;) {
    const webhook = await findSendingWebhook(app, webhookId);
    if (webhook?.state !== "active") return;
    const cursor = await readWebhookCursor(app.db.rows, webhookId, federationId);
    if (cursor.waitMs > 0) throw new StepYielded("Waiting to try again", cursor.waitMs);
    const page = await readNextMessages(app.db.rows, webhook, federationId, cursor.number);
    if (page.length === 0) return;
    await deliverPage(app, run, { webhook, cursor, page, endsAt });
  }
}

interface Delivery {
  readonly webhook: WebhookRow;
  readonly cursor: WebhookCursor;
  readonly page: readonly NextMessage[];
  readonly endsAt: number;
}

/** Delivers a page of messages. Stops after a skipped row of events or a change of the webhook, to read it again. */
async function deliverPage(
  app: DeliveryApp,
  run: WebhookRun,
  { webhook, cursor, page, endsAt }: Delivery,
): Promise<void> {
  const { federationId } = run.job.payload;
  let { attempt } = cursor;
  for (const [i, { number, message }] of page.entries()) {
    run.throwIfStopped();
    if (message === null) {
      const isLastSkipped = page[i + 1]?.message !== null;
      if (isLastSkipped) await run.write((tx) => skipTo(tx, webhook.id, federationId, number));
      continue;
    }
    if (performance.now() > endsAt || run.leaving.aborted) throw new StepYielded("Letting other webhooks send", 0);
    const attempted: AttemptedMessage = {
      ...{ webhookId: webhook.id, federationId, number, trigger: "event", messageId: message.id, type: message.type },
      body: buildMessageBody(message.type, message.at, message.data),
      attempt: ++attempt,
    };
    const answer = await send(app, run, webhook, attempted);
    if (!await recordAttempt(run, { federationId, number, attempted, answer, cursor })) return;
    attempt = 0;
  }
}

async function skipTo(tx: Tx, webhookId: string, federationId: string, number: number): Promise<void> {
  if (await lockSendingWebhook(tx, webhookId)) await advanceCursor(tx, webhookId, federationId, number);
}

interface Attempt {
  readonly federationId: string;
  readonly number: number;
  readonly attempted: AttemptedMessage;
  readonly answer: WebhookAnswer;
  readonly cursor: WebhookCursor;
}

/** Records an attempt. Returns whether the next message may be sent with the same settings of the webhook. */
async function recordAttempt(
  run: WebhookRun,
  { federationId, number, attempted, answer, cursor }: Attempt,
): Promise<boolean> {
  const { webhookId, attempt } = attempted;
  return await run.write(async (tx) => {
    const webhook = await lockSendingWebhook(tx, webhookId);
    if (!webhook) return false;
    await recordDelivery(tx, attempted, answer);
    if (answer.error === null) {
      await advanceCursor(tx, webhookId, federationId, number);
      return true;
    }
    const now = await readDatabaseTime(tx), failingSince = cursor.failingSince ?? now;
    const decision = decideAfterFailure(answer, { attempt, failingSince, now });
    await recordFailure(tx, webhook, federationId, { attempt, failingSince, decision });
    return false;
  });
}

/** Sends a message. Requeues the job if the receiver has enough messages at the moment. */
async function send(
  { db, secrets, webhookSender, telemetry }: DeliveryApp,
  run: Pick<JobRun, "signal" | "throwIfStopped">,
  webhook: WebhookRow,
  { messageId, body }: AttemptedMessage,
): Promise<WebhookAnswer> {
  const signing = openWebhookSecrets(secrets, webhook, await db.now());
  run.throwIfStopped();
  const { id: webhookId, url } = webhook;
  const result = await webhookSender.send({ webhookId, url, messageId, body, secrets: signing }, run.signal);
  if ("busyMs" in result) throw new StepYielded("Waiting for the receiver", Math.ceil(result.busyMs));
  telemetry.record("webhook_delivery", { outcome: result.error === null ? "succeeded" : "failed" });
  return result;
}

async function findSendingWebhook({ db }: DeliveryApp, id: string): Promise<WebhookRow | undefined> {
  return await db.rows.selectFrom("webhooks").selectAll().where("id", "=", id).executeTakeFirst();
}
