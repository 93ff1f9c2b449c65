/** Reads webhooks and their deliveries. */
import { type Selectable, sql } from "kysely";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, readNewestRows, withPageItems } from "#lib/drivers/db/pages.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { Fault } from "#lib/base/errors.ts";
import { isId } from "#lib/base/ids.ts";
import type { DeliveryRecord, WebhookRecord } from "#lib/domains/webhooks/views.ts";

export type WebhookRow = Selectable<Schema["webhooks"]>;
export type DeliveryRow = Selectable<Schema["webhook_deliveries"]>;

export async function findWebhookById(rows: RowQueries, id: string): Promise<WebhookRow | undefined> {
  if (!isId("whk", id)) return undefined;
  return await rows.selectFrom("webhooks").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Finds a webhook of this hub. */
export async function findWebhook(rows: RowQueries, federationId: string, id: string): Promise<WebhookRow | undefined> {
  const row = await findWebhookById(rows, id);
  return row?.federationId === federationId ? row : undefined;
}

/** Locks a webhook's row until the transaction ends. Throws a `missing` fault (`webhook_missing`). */
export async function lockWebhook(tx: Tx, id: string): Promise<WebhookRow> {
  const row = await tx.selectFrom("webhooks").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
  if (!row) throw webhookMissingFault();
  return row;
}

/** Lists the webhooks of a hub, or of the installation if `federationId` is null, newest first. */
export async function listWebhooks(
  rows: RowQueries,
  federationId: string | null,
  request: ListPageRequest,
): Promise<ListPage<WebhookRecord>> {
  const query = rows.selectFrom("webhooks").selectAll().where(isWebhookOf(federationId));
  const page = await readNewestRows(query, request);
  return withPageItems(page, await showWebhooks(rows, page.items));
}

/** Converts rows to API records, in the same order. Records have no secret. */
export async function showWebhooks(rows: RowQueries, webhooks: readonly WebhookRow[]): Promise<WebhookRecord[]> {
  if (webhooks.length === 0) return [];
  const ids = webhooks.map(({ id }) => id);
  const { rows: states } = await sql<{
    id: string;
    failingSince: Date | null;
    at: Date | null;
    status: number | null;
    error: string | null;
    email: string;
    now: Date;
  }>`
    select webhooks.id, users.email, last.created_at as at, last.status, last.error, wheelwright_now() as now,
      (select min(failing_since) from webhook_cursors where webhook_id = webhooks.id) as failing_since
    from webhooks join users on users.id = webhooks.created_by
    left join lateral (
      select created_at, status, error from webhook_deliveries where webhook_id = webhooks.id
      order by created_at desc, id desc limit 1
    ) as last on true
    where webhooks.id = any(${ids}::text[])`.execute(rows);
  return webhooks.map(({ secret: _, formerSecret: _former, createdBy, formerSecretEndsAt: endsAt, ...row }) => {
    const found = states.find(({ id }) => id === row.id)!, { at, status, error, email, now, failingSince } = found;
    return {
      ...row,
      failingSince,
      lastDelivery: at && { at, status, error },
      formerSecretEndsAt: endsAt && endsAt > now ? endsAt : null,
      createdBy: { id: createdBy, email },
    };
  });
}

export async function showWebhook(rows: RowQueries, row: WebhookRow): Promise<WebhookRecord> {
  return (await showWebhooks(rows, [row]))[0]!;
}

/** Lists a webhook's deliveries, newest first. */
export async function listDeliveries(
  rows: RowQueries,
  webhook: WebhookRow,
  request: ListPageRequest,
): Promise<ListPage<DeliveryRecord>> {
  const query = rows.selectFrom("webhook_deliveries").selectAll().where("webhookId", "=", webhook.id);
  const page = await readNewestRows(query, request);
  return withPageItems(
    page,
    page.items.map((row) => ({ ...row, number: row.number === null ? null : Number(row.number) })),
  );
}

/** Returns the time of the oldest event that an active webhook has not delivered or skipped. Null if there is none. */
export async function findOldestUndeliveredTime(rows: RowQueries): Promise<Date | null> {
  const { rows: [row] } = await sql<{ oldest: Date | null }>`
    select min(event.at) as oldest from webhooks
    join stream_heads as head on webhooks.federation_id is null or webhooks.federation_id = head.federation_id
    left join webhook_cursors as cursor on cursor.webhook_id = webhooks.id and cursor.federation_id = head.federation_id
    cross join lateral (
      select at from stream_events where federation_id = head.federation_id and number > coalesce(cursor.number, 0)
      order by number limit 1
    ) as event
    where webhooks.state = 'active' and head.number > coalesce(cursor.number, 0)`.execute(rows);
  return row!.oldest;
}

export function webhookMissingFault(): Fault {
  return new Fault("missing", "webhook_missing", "There is no such webhook, or you have no access to it");
}

function isWebhookOf(federationId: string | null) {
  return sql<boolean>`federation_id is not distinct from ${federationId}::text`;
}
