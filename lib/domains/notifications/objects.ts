/**
 * The objects whose events notify a reader, and the events of each.
 *
 * For operators these are all hubs, and what belongs to no hub. For everybody else: the hubs that they administer, with all
 * spokes in them; the spokes that they administer in other hubs; and events that decide what they asked for, unless one
 * of those objects holds them. So each event is in one object at most, and counts of objects add up.
 *
 * What decides is the membership as it stands, for a verified address, and neither the state of the object nor when the
 * member came: that a hub or a spoke was destroyed is told to those who administered it, and their history stays. What was
 * before the member came counts as read (lib/domains/members/history.ts). A membership that is taken away hides all of
 * it at once.
 */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Actor } from "#lib/domains/auth/access.ts";

export type Reader = Pick<Actor, "role" | "userId">;

export type ObjectKind = "all" | "loose" | "hub" | "spoke" | "audience";

/**
 * A query with one row an object: `about`, `federation_id` and `spoke_id` (as in notification_read_counts),
 * `visible_events`, `last_at` (no later event can come before it), and the reader's own `reads` and `read_through`.
 */
export function objectsOf(reader: Reader): RawBuilder<unknown> {
  return sql`select object.*, coalesce(count.reads, 0) as reads,
      coalesce(count.read_through, '-infinity') as read_through
    from (${reader.role === "operator" ? allObjects : objectsOfMember(reader.userId)}) as object
    left join notification_read_counts as count on count.user_id = ${reader.userId} and count.about = object.about
      and count.about in (${reader.role === "operator" ? sql`'hub', 'loose'` : sql`'hub', 'spoke', 'audience'`})
      and count.federation_id = object.federation_id and count.spoke_id = object.spoke_id`;
}

const allObjects = sql`
  select 'hub' as about, federation_id, '' as spoke_id, visible_events, last_at from stream_heads
  union all select 'loose', '', '', visible_events, last_at from loose_heads`;

function objectsOfMember(userId: string): RawBuilder<unknown> {
  const verified = sql`exists (select from users where id = ${userId} and email_verified_at is not null)`;
  return sql`
    with hub as (
      select federation_id as id from federation_members where user_id = ${userId} and ${verified}
    ), own as (
      select spoke.id, spoke.federation_id, spoke.visible_events from spoke_members as member
      join spokes as spoke on spoke.id = member.spoke_id
      where member.user_id = ${userId} and ${verified} and spoke.federation_id not in (select id from hub)
    )
    select 'hub' as about, head.federation_id, '' as spoke_id, head.visible_events, head.last_at
    from hub join stream_heads as head on head.federation_id = hub.id
    union all
    select 'spoke', '', own.id, own.visible_events, head.last_at
    from own join stream_heads as head on head.federation_id = own.federation_id
    union all
    select 'audience', audience.federation_id, audience.spoke_id, audience.visible_events,
      coalesce(head.last_at, (select last_at from loose_heads))
    from notification_audiences as audience
    left join stream_heads as head on head.federation_id = audience.federation_id
    where audience.user_id = ${userId} and audience.federation_id not in (select id from hub)
      and audience.spoke_id not in (select id from own)`;
}

interface EventWalk {
  /** What must hold of an `event`, besides that it is the object's; it may name columns of `object`. */
  readonly where: RawBuilder<SqlBool>;
  readonly order: "newest first" | "oldest first";
  /** Events at most, and those that share the last one's time. */
  readonly limit: number;
}

/**
 * `id` and `at` of the visible events of `object`, a row of `objectsOf` in the same from clause. Each kind of object is a
 * query of its own, of which one runs: so each is answered by the index that has its events in order, and from it alone.
 */
export function walkEvents(reader: Reader, { where, order, limit }: EventWalk): RawBuilder<unknown> {
  const isNewestFirst = order === "newest first";
  const byTime = isNewestFirst ? sql`event.at desc` : sql`event.at`;
  // Of no hub: "is null" is not a constant to the planner, so the order has to name the column for the index to fit.
  const byHubAndTime = isNewestFirst
    ? sql`event.federation_id, event.at desc`
    : sql`event.federation_id desc, event.at`;
  const walk = (about: ObjectKind, condition: RawBuilder<unknown>, by = byTime) =>
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
  const operator = [member[0], walk("loose", sql`event.federation_id is null`, byHubAndTime)];
  return sql.join(reader.role === "operator" ? operator : member, sql` union all `);
}

/** Whether `event` (or what else it is called in the query) is one of `object`. */
export function belongsToObject(reader: Reader, event: RawBuilder<unknown> = sql.table("event")): RawBuilder<SqlBool> {
  return sql`case object.about
    when 'hub' then ${event}.federation_id = object.federation_id
    when 'loose' then ${event}.federation_id is null
    when 'spoke' then ${event}.spoke_id = object.spoke_id
    else ${event}.audience_user_id = ${reader.userId} and coalesce(${event}.federation_id, '') = object.federation_id
      and coalesce(${event}.spoke_id, '') = object.spoke_id end`;
}
