/** Creates readers for test/bench/plans.ts: one who has read nothing, one who marked everything as read, and one who
 * marked nearly everything one by one. */
import { toMarkingReader } from "#test/lib/domains/notifications/record-events.ts";
import type postgres from "postgres";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { markAllNotificationsAsRead } from "#lib/domains/notifications/read-all.ts";
import type { NotificationReader } from "#lib/domains/notifications/objects.ts";
import { hubId, insertEvents, spokeId, userId } from "#test/bench/plans-fill.ts";
import { MINUTE } from "#lib/base/time.ts";

const operator = (n: number): NotificationReader => ({ role: "operator", userId: userId(n) });
const hubAdmin = (n: number): NotificationReader => ({ role: "hub_admin", userId: userId(n) });
const spokeAdmin = (n: number): NotificationReader => ({ role: "spoke_admin", userId: userId(n) });

/** Hub admins administer the three busiest hubs, spoke admins the five busiest spokes. */
export const READERS = {
  "operator, nothing read": operator(0),
  "hub admin, nothing read": hubAdmin(1),
  "spoke admin, nothing read": spokeAdmin(2),
  "operator, all read but the newest": operator(3),
  "hub admin, all read but the newest": hubAdmin(4),
  "spoke admin, all read but the newest": spokeAdmin(5),
  "hub admin, all but the oldest read one by one": hubAdmin(6),
} as const satisfies Record<string, NotificationReader>;

const ALL = [
  READERS["operator, all read but the newest"],
  READERS["hub admin, all read but the newest"],
  READERS["spoke admin, all read but the newest"],
] as const;
const ONE_BY_ONE = READERS["hub admin, all but the oldest read one by one"];

/** Prepares the readers after `events` events. Then 40 more events are written, which are unread. */
export async function prepareReaders(
  sql: postgres.Sql,
  url: string,
  events: number,
  say: (line: string) => void,
): Promise<void> {
  for (const { role, userId } of Object.values(READERS)) {
    await sql`update users set operator = ${role === "operator"} where id = ${userId}`;
    for (const hub of role === "hub_admin" ? [0, 1, 2] : []) {
      await sql`insert into federation_members (user_id, federation_id) values (${userId}, ${hubId(hub)})`;
    }
    for (const spoke of role === "spoke_admin" ? [0, 1, 2, 3, 4] : []) {
      await sql`insert into spoke_members (user_id, spoke_id) values (${userId}, ${spokeId(spoke)})`;
    }
  }
  // As after years of use, whatever the number of events: a row for each object with a read event.
  await sql`insert into notification_read_counts (user_id, about, federation_id, spoke_id)
    select reader.id, object.* from unnest(${
    [...ALL, ONE_BY_ONE].map(({ userId }) => userId)
  }::text[]) as reader (id), (
      select 'hub', id, '' from federations union all select 'spoke', '', id from spokes
    ) as object`;
  const db = await openDatabase({ url, size: 2, log: SILENT_LOG, statementLimit: MINUTE });
  for (const reader of [...ALL, ONE_BY_ONE]) {
    const began = performance.now();
    const { marked } = await markAllNotificationsAsRead(db, toMarkingReader(reader));
    say(`read-all as ${reader.role}: ${marked} in ${Math.round(performance.now() - began)} ms`);
  }
  await db.close();
  await sql.begin(async (tx) => {
    const user = ONE_BY_ONE.userId;
    // Removes the marks of read-all for the user who reads one by one. The oldest event of each hub becomes unread
    // again.
    await tx`update notification_read_counts set read_through = '-infinity' where user_id = ${user}`;
    const oldest = await tx`delete from notification_reads where user_id = ${user} and event_id in (
      select (select id from audit_events where federation_id = member.federation_id and customer_visible order by at limit 1)
      from federation_members as member where user_id = ${user}) returning event_id`;
    await tx`update notification_read_counts as count set reads = reads - found.less from (
        select about, hub, spoke, count(*) as less from audit_events cross join lateral (values
          ('all', '', ''), ('hub', federation_id, ''), ('spoke', '', spoke_id)) as object (about, hub, spoke)
        where id = any(${oldest.map((row) => row.event_id)}) group by 1, 2, 3
      ) as found where user_id = ${user} and count.about = found.about and count.federation_id = found.hub
        and count.spoke_id = found.spoke`;
    // Inserts the ranges that marking events one by one creates.
    await tx`insert into notification_read_ranges
      select ${user}, 'hub', federation_id, '', min(at), max(at) from audit_events
      join notification_reads as read on read.event_id = audit_events.id and read.user_id = ${user}
      where federation_id is not null group by federation_id having count(*) > 1`;
  });
  await insertEvents(sql, events, events + 40, say);
}
