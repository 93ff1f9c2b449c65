/** What a reader has read of an `event`: what was marked, and what was there before the reader came. */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Reader } from "#lib/domains/notifications/objects.ts";

/** Up to when the history of the event's spoke, or of its hub where it is of none, counts as read. */
export function historyEnd({ userId }: Pick<Reader, "userId">): RawBuilder<Date> {
  return sql`coalesce((select skip_through from notification_read_counts as count where count.user_id = ${userId}
    and count.about = case when event.spoke_id is null then 'hub' else 'spoke' end
    and count.federation_id = case when event.spoke_id is null then coalesce(event.federation_id, '') else '' end
    and count.spoke_id = coalesce(event.spoke_id, '')), '-infinity')`;
}

/**
 * Scalar queries, because the planner must look each event up and never gather all that the reader has read. A reader
 * who skips nothing is not asked what it is that an event is of: that stands in the row alone.
 */
export function isUnread(reader: Reader): RawBuilder<SqlBool> {
  return sql`(coalesce((select false from notification_reads as done
      where done.user_id = ${reader.userId} and done.event_id = event.id), true)
    and (not (select exists (select from notification_read_counts
      where user_id = ${reader.userId} and skip_through > '-infinity')) or event.at > ${historyEnd(reader)}))`;
}
