/**
 * Selects the hubs, spokes and other objects that a reader gets notifications about, and the unread events about them.
 * Each event belongs to at most one object, so that counts per object can be added up. Only current memberships of users
 * with a verified address count. Removed objects are included, because admins are also notified about removals. Events
 * from before the reader's membership count as read.
 */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { prepareReadOnSharedConnection } from "#lib/drivers/db/prepare.ts";

/** The user who reads notifications. Without a `hubLimit`, the user gets the notifications of all hubs. */
export type NotificationReader = Pick<Actor, "role" | "userId"> & Partial<Pick<Actor, "hubLimit">>;

export type NotificationObjectKind = "all" | "service" | "hub" | "spoke" | "audience";

/**
 * Returns a query with one row per object: the key in notification_read_counts (`about`, `federation_id` and
 * `spoke_id`), `visible_events`, the time of the last event (`last_at`), and the reader's `reads` and `read_through`.
 */
export function selectNotificationObjects(reader: NotificationReader): RawBuilder<unknown> {
  return sql`select object.*, coalesce(count.reads, 0) as reads,
      coalesce(count.read_through, '-infinity') as read_through
    from (${reader.role === "operator" ? allObjects : objectsOfMember(reader)}) as object
    left join notification_read_counts as count on count.user_id = ${reader.userId} and count.about = object.about
      and count.about in (${reader.role === "operator" ? sql`'hub', 'service'` : sql`'hub', 'spoke', 'audience'`})
      and count.federation_id = object.federation_id and count.spoke_id = object.spoke_id`;
}

const allObjects = sql`
  select 'hub' as about, federation_id, '' as spoke_id, visible_events, last_at from stream_heads
  union all select 'service', '', '', visible_events, last_at from service_event_head`;

function objectsOfMember({ userId, hubLimit = null }: NotificationReader): RawBuilder<unknown> {
  const verified = sql`exists (select from users where id = ${userId} and email_verified_at is not null)`;
  const isWithinLimit = (hub: RawBuilder<unknown>) =>
    hubLimit === null ? sql`true` : sql`${hub} = any(${hubLimit}::text[])`;
  // An operator's limited token reads like an admin of the hubs in the limit.
  const asOperator = hubLimit === null ? sql`` : sql`union select id from federations where ${isWithinLimit(sql`id`)}
      and exists (select from users where id = ${userId} and operator) and ${verified}`;
  return sql`
    with hub as (
      select federation_id as id from federation_members where user_id = ${userId} and ${verified}
        and ${isWithinLimit(sql`federation_id`)} ${asOperator}
    ), own as (
      select spoke.id, spoke.federation_id, spoke.visible_events from spoke_members as member
      join spokes as spoke on spoke.id = member.spoke_id
      where member.user_id = ${userId} and ${verified} and spoke.federation_id not in (select id from hub)
        and ${isWithinLimit(sql`spoke.federation_id`)}
    )
    select 'hub' as about, head.federation_id, '' as spoke_id, head.visible_events, head.last_at
    from stream_heads as head where head.federation_id = any(array(select id from hub))
    union all
    select 'spoke', '', own.id, own.visible_events, head.last_at
    from own join stream_heads as head on head.federation_id = own.federation_id
    union all
    select 'audience', audience.federation_id, audience.spoke_id, audience.visible_events,
      coalesce(head.last_at, (select last_at from service_event_head))
    from notification_audiences as audience
    left join stream_heads as head on head.federation_id = audience.federation_id
    where audience.user_id = ${userId} and audience.federation_id not in (select id from hub)
      and audience.spoke_id not in (select id from own) and ${isWithinLimit(sql`audience.federation_id`)}`;
}

interface EventWalk {
  /** An SQL condition on `event`, which may also use columns of `object`. */
  readonly where: RawBuilder<SqlBool>;
  readonly order: "newest first" | "oldest first";
  /** The maximum number of events. Further events with the same time as the last one are also returned. */
  readonly limit: number;
}

/**
 * Selects `id` and `at` of visible events about `object`, a row from `selectNotificationObjects` in the same FROM
 * clause. There is a separate query and index for each kind of object.
 */
export function selectEventsOfObject(
  reader: NotificationReader,
  { where, order, limit }: EventWalk,
): RawBuilder<unknown> {
  const isNewestFirst = order === "newest first";
  const byTime = isNewestFirst ? sql`event.at desc` : sql`event.at`;
  // Also sorts by federation_id; otherwise, the planner does not use the index for the "is null" condition.
  const byHubAndTime = isNewestFirst
    ? sql`event.federation_id, event.at desc`
    : sql`event.federation_id desc, event.at`;
  const walk = (about: NotificationObjectKind, condition: RawBuilder<unknown>, by = byTime) =>
    sql`(select event.id, event.at from audit_events as event
      where object.about = ${sql.lit(about)} and event.customer_visible and ${condition} and ${where}
      order by ${by} fetch first ${limit} rows with ties)`;
  const member = [
    walk("hub", sql`event.federation_id = object.federation_id`),
    walk("spoke", sql`event.spoke_id = object.spoke_id`),
    walk(
      "audience",
      sql`event.audience_user_id = ${reader.userId} and coalesce(event.federation_id, '') = object.federation_id
        and coalesce(event.spoke_id, '') = object.spoke_id`,
    ),
  ];
  const operator = [member[0], walk("service", sql`event.federation_id is null`, byHubAndTime)];
  return sql.join(reader.role === "operator" ? operator : member, sql` union all `);
}

/** Returns an SQL condition that is true if the row `event` is about the row `object`. */
export function eventBelongsToObject(
  reader: NotificationReader,
  event: RawBuilder<unknown> = sql.table("event"),
): RawBuilder<SqlBool> {
  return sql`case object.about
    when 'hub' then ${event}.federation_id = object.federation_id
    when 'service' then ${event}.federation_id is null
    when 'spoke' then ${event}.spoke_id = object.spoke_id
    else ${event}.audience_user_id = ${reader.userId} and coalesce(${event}.federation_id, '') = object.federation_id
      and coalesce(${event}.spoke_id, '') = object.spoke_id end`;
}

/** Returns an SQL expression for a time. Earlier events of the same spoke or hub count as read. */
export function historyEndTime({ userId }: Pick<NotificationReader, "userId">): RawBuilder<Date> {
  return sql`coalesce((select skip_through from notification_read_counts as count where count.user_id = ${userId}
    and count.about = case when event.spoke_id is null then 'hub' else 'spoke' end
    and count.federation_id = case when event.spoke_id is null then coalesce(event.federation_id, '') else '' end
    and count.spoke_id = coalesce(event.spoke_id, '')), '-infinity')`;
}

/**
 * Returns an SQL condition for an unread event. Scalar subqueries make the planner look up single events instead of
 * loading all the reader's marks.
 */
export function buildUnreadEventCondition(reader: NotificationReader): RawBuilder<SqlBool> {
  return sql`(coalesce((select false from notification_reads as done
      where done.user_id = ${reader.userId} and done.event_id = event.id), true)
    and (not (select exists (select from notification_read_counts
      where user_id = ${reader.userId} and skip_through > '-infinity')) or event.at > ${historyEndTime(reader)}))`;
}

export async function countUnreadNotifications(
  rows: RowQueries,
  reader: NotificationReader,
): Promise<{ count: number }> {
  const { userId } = reader;
  if (reader.hubLimit) return { count: Number((await countOfMember(reader).execute(rows)).rows[0]!.count) };
  const [row] =
    await (reader.role === "operator" ? countForOperator(rows, { userId }) : countForMember(rows, { userId }));
  return { count: Number(row!.count) };
}

/** Adds up one row per hub. If there were a single total, every change in any hub would have to update that row. */
const countForOperator = prepareReadOnSharedConnection((_, { userId }: Pick<NotificationReader, "userId">) =>
  sql<{ count: string }>`
    select coalesce((select sum(visible_events) from stream_heads), 0)
      + (select visible_events from service_event_head)
      - coalesce((select reads from notification_read_counts where user_id = ${userId} and about = 'all'), 0) as count`
);

const countForMember = prepareReadOnSharedConnection((_, { userId }: Pick<NotificationReader, "userId">) =>
  countOfMember({ role: "hub_admin", userId })
);

function countOfMember(reader: NotificationReader) {
  return sql<{ count: string }>`select coalesce(sum(visible_events - reads), 0) as count
    from (${selectNotificationObjects(reader)}) as object`;
}
