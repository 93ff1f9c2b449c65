/**
 * Marks events from before a member was added as read, so that old events do not appear as new notifications. Also
 * updates the counts of read events. Events of spokes that the user already administered stay unread.
 */
import { type RawBuilder, sql } from "kysely";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { MembershipKey } from "#lib/domains/members/memberships.ts";

/** Locks a user's marks of read events until the transaction ends. Other transactions that change the marks wait. */
export async function lockReadMarks(tx: Tx, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`wheelwright: marks of ${userId}`}, 0))`.execute(tx);
}

/** Marks a hub's or spoke's earlier events as read for a new member, unless the user could already see the events. */
export async function markHistoryAsRead(tx: Tx, membership: MembershipKey, userId: string): Promise<void> {
  await lockReadMarks(tx, userId);
  const { rows: [user] } = await sql<{ sees: boolean }>`
    select operator or ${"spokeId" in membership ? administersHubOf(membership.spokeId, userId) : sql`false`} as sees
    from users where id = ${userId}`.execute(tx);
  if (user?.sees) return;
  const spokes = "spokeId" in membership
    ? sql`spoke.id = ${membership.spokeId}`
    : sql`spoke.federation_id = ${membership.federationId}
    and not exists (select from spoke_members where spoke_id = spoke.id and user_id = ${userId})`;
  await markHistoryRead(tx, userId, "spokeId" in membership ? null : membership.federationId, spokes);
}

/** Marks all events about the spokes as read and, if a hub is given, also the hub's own events. */
async function markHistoryRead(
  tx: Tx,
  userId: string,
  hubId: string | null,
  spokes: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    with spoke as (
      select spoke.id, spoke.federation_id as hub, head.last_at,
        spoke.visible_events - coalesce(${selectReads(userId, "spoke", sql`''`, sql`spoke.id`)}, 0) as unread
      from spokes as spoke join stream_heads as head on head.federation_id = spoke.federation_id where ${spokes}
    ), audience as (
      select federation_id as hub, spoke_id as spoke,
        visible_events - coalesce(${
    selectReads(userId, "audience", sql`one.federation_id`, sql`one.spoke_id`)
  }, 0) as unread
      from notification_audiences as one where user_id = ${userId}
        and (federation_id = ${hubId} and spoke_id = '' or spoke_id in (select id from spoke))
    ), hub as (
      select head.federation_id as id, head.last_at,
        head.visible_events - coalesce(${selectReads(userId, "hub", sql`head.federation_id`, sql`''`)}, 0) as unread, (
          select coalesce(sum(own.visible_events - coalesce(${
    selectReads(userId, "spoke", sql`''`, sql`own.id`)
  }, 0)), 0)
          from spokes as own where own.federation_id = head.federation_id and own.id not in (select id from spoke)
        ) as elsewhere
      from stream_heads as head where head.federation_id = ${hubId}
    ), object (about, federation_id, spoke_id, unread, through, skipped) as (
      select 'spoke', '', id, unread, last_at, last_at from spoke where unread > 0
      union all select 'audience', hub, spoke, unread, '-infinity', '-infinity' from audience where unread > 0
      union all select 'hub', id, '', unread - elsewhere, case when elsewhere = 0 then last_at else '-infinity' end, last_at
        from hub
      union all select 'hub', hub, '', unread, '-infinity', '-infinity' from spoke where ${hubId}::text is null
      union all select 'all', '', '', coalesce((select unread - elsewhere from hub), (select sum(unread) from spoke), 0),
        '-infinity', '-infinity'
    )
    insert into notification_read_counts as count
      (user_id, about, federation_id, spoke_id, reads, read_through, skip_through)
    select ${userId}, about, federation_id, spoke_id, unread, through, skipped from object
    on conflict (user_id, about, federation_id, spoke_id) do update set reads = count.reads + excluded.reads,
      read_through = greatest(count.read_through, excluded.read_through),
      skip_through = greatest(count.skip_through, excluded.skip_through)`.execute(tx);
}

function selectReads(userId: string, about: string, hub: RawBuilder<unknown>, spoke: RawBuilder<unknown>) {
  return sql`(select reads from notification_read_counts where user_id = ${userId} and about = ${sql.lit(about)}
    and federation_id = ${hub} and spoke_id = ${spoke})`;
}

function administersHubOf(spokeId: string, userId: string): RawBuilder<unknown> {
  return sql`exists (select from spokes as spoke join federation_members as member using (federation_id)
    where spoke.id = ${spokeId} and member.user_id = ${userId})`;
}
