/** Counts unread notifications: visible events minus read events. Reads only stored counts, not the events. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { prepareReadOnSharedConnection } from "#lib/drivers/db/prepare.ts";
import { type NotificationReader, selectNotificationObjects } from "#lib/domains/notifications/objects.ts";

export async function countUnreadNotifications(
  rows: RowQueries,
  reader: NotificationReader,
): Promise<{ count: number }> {
  const { userId } = reader;
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
  sql<{ count: string }>`select coalesce(sum(visible_events - reads), 0) as count
    from (${selectNotificationObjects({ role: "hub_admin", userId })}) as object`
);
