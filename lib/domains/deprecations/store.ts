/** Stores how often API tokens called endpoints, and which notices were sent to which users. */
import { sql } from "kysely";
import type { AnnouncedChange } from "#lib/base/notice.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";

/** The maximum number of tokens listed per notice in an email, and of tokens per user whose calls are counted. */
const MAX_TOKENS = 10, MAX_COUNTED_TOKENS = 1000;
/** The number of past days for which an email counts calls, in addition to today. */
const WINDOW_DAYS = 30;

/** An SQL condition for a token that is neither revoked nor expired. */
const isActive = sql`revoked_at is null and (expires_at is null or expires_at > wheelwright_now())`;

interface Calls {
  readonly tokenId: string;
  /** The HTTP method and the path pattern, for example `GET /api/spokes/:spokeId`. */
  readonly endpoint: string;
  readonly calls: number;
}

/** Adds calls to today's counts. Writes rows in a fixed order to avoid deadlocks. Skips deleted tokens. */
export async function addCallCounts(rows: RowQueries, callCounts: readonly Calls[]): Promise<void> {
  const ids = callCounts.map(({ tokenId }) => tokenId), endpoints = callCounts.map(({ endpoint }) => endpoint);
  await sql`
    insert into token_calls as existing (token_id, endpoint, day, calls)
    select token.id, count.endpoint, (wheelwright_now() at time zone 'UTC')::date, count.calls
    from unnest(${ids}::text[], ${endpoints}::text[], ${callCounts.map(({ calls }) => calls)}::bigint[])
      as count (token_id, endpoint, calls)
    join api_tokens as token on token.id = count.token_id
    order by token.id, count.endpoint
    on conflict (token_id, endpoint, day) do update set calls = existing.calls + excluded.calls`.execute(rows);
}

export interface NoticeRecipient {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
}

/** Returns a page of users with an active token who have not received all these notices, sorted by user ID. */
export async function findUnnotifiedUsers(
  rows: RowQueries,
  noticeIds: readonly string[],
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<NoticeRecipient[]> {
  const { rows: found } = await sql<NoticeRecipient>`
    select id, email, display_name as "displayName" from users
    where id > ${after} and email_verified_at is not null and disabled_at is null
      and exists (select from api_tokens where user_id = users.id and ${isActive})
      and (select count(*) from deprecation_notices
        where notice_id = any(${noticeIds}::text[]) and user_id = users.id) < ${noticeIds.length}
    order by id limit ${limit}`.execute(rows);
  return found;
}

export interface NoticeDelivery {
  readonly noticeId: string;
  readonly userId: string;
}

/** Records the delivery of notices to users. Returns the records that it added, not those from another replica. */
export async function recordNoticeDeliveries(
  tx: Tx,
  readers: readonly NoticeRecipient[],
  noticeIds: readonly string[],
): Promise<readonly NoticeDelivery[]> {
  const { rows: delivered } = await sql<NoticeDelivery>`
    insert into deprecation_notices (notice_id, user_id)
    select notice.id, reader.id
    from unnest(${readers.map(({ id }) => id)}::text[]) as reader (id)
    cross join unnest(${noticeIds}::text[]) as notice (id)
    order by reader.id, notice.id
    on conflict do nothing
    returning notice_id as "noticeId", user_id as "userId"`.execute(tx);
  return delivered;
}

/** A notified user's API token, and the number of calls made with this token. */
export interface TokenCallCount extends NoticeDelivery {
  readonly name: string;
  readonly prefix: string;
  readonly calls: number;
  /** The number of the user's active tokens (`tokens`), and the number of calls made with all tokens (`total`). */
  readonly tokens: number;
  readonly total: number;
}

/**
 * Returns each notified user's active tokens with the calls of the last 30 days, the busiest tokens first. If the
 * endpoint is null, calls to all endpoints count. Reads only the 1000 most recently used tokens per user.
 */
export async function readTokenCalls(
  rows: RowQueries,
  deliveries: readonly (NoticeDelivery & { readonly endpoint: string | null })[],
): Promise<TokenCallCount[]> {
  const { rows: found } = await sql<
    Record<"noticeId" | "userId" | "name" | "prefix" | "calls" | "tokens" | "total", string>
  >`
    with delivery as (
      select * from unnest(${deliveries.map(({ noticeId }) => noticeId)}::text[],
        ${deliveries.map(({ userId }) => userId)}::text[],
        ${deliveries.map(({ endpoint }) => endpoint)}::text[]) as delivery (notice_id, user_id, endpoint)
    ),
    window_start as materialized (select (wheelwright_now() at time zone 'UTC')::date - ${WINDOW_DAYS}::integer as day),
    counted as (
      select notice_id, own.*, case when endpoint is null
        then (select coalesce(sum(calls), 0) from token_calls
          where token_id = own.id and day >= (select day from window_start))
        else (select coalesce(sum(calls), 0) from token_calls
          where token_id = own.id and token_calls.endpoint = delivery.endpoint and day >= (select day from window_start))
        end as calls
      from delivery cross join lateral (
        select id, user_id, name, prefix, count(*) over () as tokens from api_tokens
        where user_id = delivery.user_id and ${isActive}
        order by last_used_at desc nulls last, id limit ${MAX_COUNTED_TOKENS}
      ) as own
    ),
    ranked as (
      select *, row_number() over (partition by notice_id, user_id order by calls desc, id) as place,
        sum(calls) over (partition by notice_id, user_id) as total
      from counted
    )
    select notice_id as "noticeId", user_id as "userId", name, prefix, calls, tokens, total from ranked
    where place <= ${MAX_TOKENS} order by notice_id, user_id, place`.execute(rows);
  return found.map((row) => ({
    ...row,
    calls: Number(row.calls),
    tokens: Number(row.tokens),
    total: Number(row.total),
  }));
}

/**
 * Returns the time when this installation first announced each notice. The notice period starts at this time. A notice
 * without a record counts as announced now, unless an earlier release already emailed the notice.
 */
export async function recordFirstAnnouncements(
  rows: RowQueries,
  notices: readonly AnnouncedChange[],
): Promise<ReadonlyMap<string, Date>> {
  if (notices.length === 0) return new Map();
  const ids = notices.map(({ id }) => id);
  await sql`
    insert into deprecation_announcements (notice_id, first_announced_at)
    select id, coalesce((select min(notified_at) from deprecation_notices where notice_id = id), wheelwright_now())
    from unnest(${ids}::text[]) as id order by id on conflict do nothing`.execute(rows);
  const { rows: found } = await sql<{ id: string; at: Date }>`
    select notice_id as id, first_announced_at as at from deprecation_announcements where notice_id = any(${ids}::text[])`
    .execute(rows);
  return new Map(found.map(({ id, at }) => [id, at]));
}
