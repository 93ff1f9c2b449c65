/** Builds SQL conditions for unread events. Events from before the reader's membership count as read. */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { NotificationReader } from "#lib/domains/notifications/objects.ts";

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
