/** Records the result of an attempt to deliver a message, in one transaction with the webhook's position. */
import { sql } from "kysely";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { createId } from "#lib/base/ids.ts";
import { recordChange } from "#lib/changes/record.ts";
import { listOperators } from "#lib/domains/users/store.ts";
import { createWebhookEntry } from "#lib/domains/webhooks/change.ts";
import type { WebhookRow } from "#lib/domains/webhooks/store.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { WebhookAnswer } from "#lib/drivers/webhooks/sender.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { createBulkMailJob } from "#lib/jobs/mail.ts";
import type { DeliveryTrigger } from "#lib/model/webhook.ts";
import type { FailureDecision } from "#lib/workers/webhooks/backoff.ts";

export interface AttemptedMessage {
  readonly webhookId: string;
  readonly federationId: string | null;
  readonly number: number | null;
  readonly trigger: DeliveryTrigger;
  readonly messageId: string;
  readonly type: string;
  readonly body: string;
  readonly attempt: number;
}

/**
 * Locks a webhook's row, so that it is neither deleted nor changed until the transaction ends. Returns null if the
 * webhook was deleted.
 */
export async function lockSendingWebhook(tx: Tx, id: string): Promise<WebhookRow | null> {
  return await tx.selectFrom("webhooks").selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirst() ?? null;
}

export async function recordDelivery(
  tx: Tx,
  message: AttemptedMessage,
  { status, text, error, durationMs }: WebhookAnswer,
): Promise<void> {
  await tx.insertInto("webhook_deliveries").values({
    ...message,
    id: createId("whd"),
    status,
    answer: text,
    error,
    durationMs,
  }).execute();
}

/** Moves the webhook's position in the hub after a delivered or skipped event. */
export async function advanceCursor(tx: Tx, webhookId: string, federationId: string, number: number): Promise<void> {
  await sql`insert into webhook_cursors as cursor (webhook_id, federation_id, number)
    values (${webhookId}, ${federationId}, ${number})
    on conflict (webhook_id, federation_id) do update set number = greatest(cursor.number, excluded.number),
      attempt = 0, failing_since = null, retry_at = null`.execute(tx);
}

/** Records a failed attempt: when the next one may start, or that the webhook is now disabled. */
export async function recordFailure(
  tx: Tx,
  webhook: WebhookRow,
  federationId: string,
  { attempt, failingSince, decision }: {
    readonly attempt: number;
    readonly failingSince: Date;
    readonly decision: FailureDecision;
  },
): Promise<void> {
  const delayMs = decision.kind === "retry" ? decision.delayMs : 0;
  await sql`insert into webhook_cursors (webhook_id, federation_id, number, attempt, failing_since, retry_at)
    values (${webhook.id}, ${federationId}, 0, ${attempt}, ${failingSince},
      wheelwright_now() + ${delayMs}::float8 * interval '1 millisecond')
    on conflict (webhook_id, federation_id) do update set attempt = excluded.attempt,
      failing_since = excluded.failing_since, retry_at = excluded.retry_at`.execute(tx);
  if (decision.kind === "retry" || webhook.state !== "active") return;
  const { reason } = decision;
  await tx.updateTable("webhooks")
    .set({ state: "disabled", disabledReason: reason, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", webhook.id).execute();
  await recordChange(tx, SYSTEM_REQUESTER, {
    audit: [createWebhookEntry(webhook, "webhook_disabled", { reason })],
    jobs: await createDisabledMails(tx, webhook, reason),
  });
}

/** Creates an email for each admin of the hub, or for each operator if the webhook belongs to the installation. */
async function createDisabledMails(
  rows: RowQueries,
  { id, url, federationId }: WebhookRow,
  reason: string,
): Promise<NewJob[]> {
  const host = new URL(url).host;
  if (federationId === null) {
    return (await listOperators(rows)).map(({ email, displayName: name }) =>
      createBulkMailJob({ template: "webhook-disabled", to: { email, name }, about: { id, host, hub: "", reason } })
    );
  }
  const admins = await rows.selectFrom("federation_members").innerJoin("users", "users.id", "federation_members.userId")
    .innerJoin("federations", "federations.id", "federation_members.federationId")
    .select(["users.email", "users.displayName", "federations.name as hub"])
    .where("federation_members.federationId", "=", federationId)
    .where("users.disabledAt", "is", null).where("users.emailVerifiedAt", "is not", null)
    .orderBy("users.id").execute();
  return admins.map(({ email, displayName: name, hub }) =>
    createBulkMailJob({ template: "webhook-disabled", to: { email, name }, about: { id, host, hub, reason } })
  );
}
