/** Creates, changes and deletes webhooks. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { AuditKind } from "#lib/audit/kinds.ts";
import type { AuditEntry } from "#lib/audit/store.ts";
import { Fault } from "#lib/base/errors.ts";
import { createId } from "#lib/base/ids.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import { lockFederationShared } from "#lib/domains/federations/store.ts";
import { createSealedWebhookSecret } from "#lib/domains/webhooks/secrets.ts";
import { lockWebhook, showWebhook, type WebhookRow } from "#lib/domains/webhooks/store.ts";
import type { NewWebhook, NewWebhookRecord, WebhookPatch, WebhookRecord } from "#lib/domains/webhooks/views.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { enqueueMissedWebhookJobs } from "#lib/jobs/webhook.ts";

/** The maximum number of webhooks of one hub, and of the installation. */
const MAX_WEBHOOKS = 10;

/**
 * Creates a webhook of a hub, or of the installation if `federationId` is null. It sends the events from now on. Throws
 * a fault: `invalid` (`webhook_address`), `conflict` (`too_many_webhooks`, `federation_state` or `secrets_key_missing`)
 * or `unavailable` (`dns_unavailable`).
 */
export async function createWebhook(
  app: App,
  actor: Actor,
  federationId: string | null,
  { url, eventTypes, description }: NewWebhook,
): Promise<NewWebhookRecord> {
  const id = createId("whk"), { secret, sealed } = createSealedWebhookSecret(app.secrets, id);
  await requireAllowedReceiver(app, url);
  return await app.db.transact(async (tx) => {
    if (federationId !== null) requireLiveHub((await lockFederationShared(tx, federationId)).state, "add a webhook to");
    await requireBelowLimit(tx, federationId);
    const row = await tx.insertInto("webhooks")
      .values({
        id,
        federationId,
        url,
        eventTypes: unique(eventTypes),
        description,
        secret: sealed,
        createdBy: actor.userId,
      })
      .returningAll().executeTakeFirstOrThrow();
    await sql`insert into webhook_cursors (webhook_id, federation_id, number)
      select ${id}, federation_id, number from stream_heads
      where ${federationId}::text is null or federation_id = ${federationId}`.execute(tx);
    await recordChange(tx, actor, {
      audit: [createWebhookEntry(row, "webhook_created", { eventTypes: row.eventTypes })],
    });
    return { ...await showWebhook(tx, row), secret };
  });
}

/**
 * Changes a webhook. A changed URL and `state: "active"` let it try again immediately. `from: "now"` skips the events
 * that were not delivered. Throws the same faults as `createWebhook`.
 */
export async function patchWebhook(
  app: App,
  actor: Actor,
  { id }: WebhookRow,
  { url, eventTypes, description, state }: WebhookPatch,
  from: "last" | "now",
): Promise<WebhookRecord> {
  if (url !== undefined) await requireAllowedReceiver(app, url);
  return await app.db.transact(async (tx) => {
    const before = await lockWebhook(tx, id);
    const row = await tx.updateTable("webhooks").set({
      ...(url !== undefined && { url }),
      ...(eventTypes && { eventTypes: unique(eventTypes) }),
      ...(description !== undefined && { description }),
      ...(state && { state, disabledReason: state === "active" ? null : `Disabled by ${actor.email}` }),
      updatedAt: sql<Date>`wheelwright_now()`,
    }).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
    if (from === "now") await skipToNewest(tx, id);
    if (row.state === "active" && (state === "active" || row.url !== before.url || from === "now")) {
      await tx.updateTable("webhook_cursors").set({ attempt: 0, failingSince: null, retryAt: null })
        .where("webhookId", "=", id).execute();
      await enqueueMissedWebhookJobs(tx, id);
    }
    const changed = Object.fromEntries(
      Object.entries({ eventTypes, description, state }).filter(([, value]) => value !== undefined),
    );
    await recordChange(tx, actor, { audit: [createWebhookEntry(row, "webhook_updated", changed)] });
    return await showWebhook(tx, row);
  });
}

/** Deletes a webhook with its deliveries. A message that is being sent may still arrive. */
export async function deleteWebhook(app: App, actor: Actor, { id }: WebhookRow): Promise<void> {
  await app.db.transact(async (tx) => {
    const row = await lockWebhook(tx, id);
    await tx.deleteFrom("webhooks").where("id", "=", id).execute();
    await recordChange(tx, actor, { audit: [createWebhookEntry(row, "webhook_deleted")] });
  });
}

/**
 * Gives a webhook a new secret, which only this result contains. For a day, messages are signed with both secrets.
 * Throws a `conflict` fault (`secrets_key_missing`).
 */
export async function rotateWebhookSecret(app: App, actor: Actor, { id }: WebhookRow): Promise<NewWebhookRecord> {
  const { secret, sealed } = createSealedWebhookSecret(app.secrets, id);
  return await app.db.transact(async (tx) => {
    const before = await lockWebhook(tx, id);
    const row = await tx.updateTable("webhooks").set({
      secret: sealed,
      formerSecret: before.secret,
      formerSecretEndsAt: sql<Date>`wheelwright_now() + interval '24 hours'`,
      updatedAt: sql<Date>`wheelwright_now()`,
    }).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
    await recordChange(tx, actor, { audit: [createWebhookEntry(row, "webhook_secret_rotated")] });
    return { ...await showWebhook(tx, row), secret };
  });
}

/** Creates an audit event. It names only the host of the URL, because paths and parameters may be secret. */
export function createWebhookEntry(
  { id, federationId, url }: Pick<WebhookRow, "id" | "federationId" | "url">,
  kind: Extract<AuditKind, `webhook_${string}`>,
  metadata: Readonly<Record<string, unknown>> = {},
): AuditEntry {
  return {
    kind,
    objectType: "webhook",
    objectId: id,
    federationId,
    metadata: { host: new URL(url).host, ...metadata },
  };
}

async function requireAllowedReceiver({ webhookSender }: App, url: string): Promise<void> {
  const reason = await webhookSender.findRefusal(url).catch((cause) => {
    const message = `The DNS servers did not answer the query for ${new URL(url).hostname}; try again`;
    throw new Fault("unavailable", "dns_unavailable", message, { cause });
  });
  if (reason === null) return;
  const message = `url cannot receive webhooks: ${reason}; use a public https address`;
  throw new Fault("invalid", "webhook_address", message, { fields: { url: `cannot receive webhooks: ${reason}` } });
}

async function requireBelowLimit(tx: Tx, federationId: string | null): Promise<void> {
  const lock = `wheelwright: webhooks of ${federationId ?? "the installation"}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
  const { rows: [row] } = await sql<{ count: number }>`select count(*)::int as count from webhooks
    where federation_id is not distinct from ${federationId}::text`.execute(tx);
  if (row!.count < MAX_WEBHOOKS) return;
  const message = `There are ${MAX_WEBHOOKS} webhooks already; delete one of them first`;
  throw new Fault("conflict", "too_many_webhooks", message);
}

async function skipToNewest(tx: Tx, id: string): Promise<void> {
  await sql`insert into webhook_cursors as cursor (webhook_id, federation_id, number)
    select webhooks.id, head.federation_id, head.number from webhooks
    join stream_heads as head on webhooks.federation_id is null or webhooks.federation_id = head.federation_id
    where webhooks.id = ${id}
    on conflict (webhook_id, federation_id) do update set number = greatest(cursor.number, excluded.number)`.execute(
    tx,
  );
}

function unique(types: readonly string[]): string[] {
  return [...new Set(types)];
}
