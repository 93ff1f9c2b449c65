/**
 * Compares every stored count with a full count. Its SQL is independent of the program's. It checks the visible events
 * of each object, the reads of each user and object, and the read positions.
 */
import * as assert from "uvu/assert";
import { queryRows } from "#test/support/bench/query.ts";
import type { TestDatabase } from "#test/support/database.ts";

const VISIBLE = `
  select 'hub ' || federation_id as object, count(*) from audit_events
    where customer_visible and federation_id is not null group by 1
  union all select 'spoke ' || spoke_id, count(*) from audit_events
    where customer_visible and spoke_id is not null group by 1
  union all select 'service', count(*) from audit_events where customer_visible and federation_id is null having count(*) > 0
  union all select concat_ws(' ', 'audience', audience_user_id, coalesce(federation_id, ''), coalesce(spoke_id, '')), count(*)
    from audit_events where customer_visible and audience_user_id is not null group by 1`;

const VISIBLE_KEPT = `
  select 'hub ' || federation_id as object, visible_events as count from stream_heads where visible_events <> 0
  union all select 'spoke ' || id, visible_events from spokes where visible_events <> 0
  union all select 'service', visible_events from service_event_head where visible_events <> 0
  union all select concat_ws(' ', 'audience', user_id, federation_id, spoke_id), visible_events
    from notification_audiences where visible_events <> 0`;

/**
 * Condition that an event is older than the user's membership of its spoke, or of its hub for events without a spoke.
 */
const SKIPPED = `
  select kept.user_id, event.id from notification_read_counts as kept join audit_events as event on event.customer_visible
    and event.at <= kept.skip_through and (kept.about = 'spoke' and event.spoke_id = kept.spoke_id
      or kept.about = 'hub' and event.spoke_id is null and event.federation_id = kept.federation_id)`;

const DONE = `select user_id, event_id as id from notification_reads union ${SKIPPED}`;

const READ = `
  with done as (
    select read.user_id, event.federation_id, event.spoke_id, event.audience_user_id
    from (${DONE}) as read join audit_events as event using (id)
  )
  select concat_ws(' ', user_id, 'all', '', '') as object, count(*) from done group by 1
  union all select concat_ws(' ', user_id, 'service', '', ''), count(*) from done where federation_id is null group by 1
  union all select concat_ws(' ', user_id, 'hub', federation_id, ''), count(*) from done
    where federation_id is not null group by 1
  union all select concat_ws(' ', user_id, 'spoke', '', spoke_id), count(*) from done where spoke_id is not null group by 1
  union all select concat_ws(' ', user_id, 'audience', coalesce(federation_id, ''), coalesce(spoke_id, '')), count(*)
    from done where audience_user_id = user_id group by 1`;

const READ_KEPT = `
  select concat_ws(' ', user_id, about, federation_id, spoke_id) as object, reads as count
  from notification_read_counts where reads <> 0`;

/** Finds unread events before the read position of their object. */
const LEFT_BEHIND = `
  select event.id from notification_read_counts as kept join audit_events as event on event.customer_visible
    and event.at <= kept.read_through and case kept.about
      when 'hub' then event.federation_id = kept.federation_id
      when 'spoke' then event.spoke_id = kept.spoke_id
      when 'service' then event.federation_id is null
      when 'audience' then event.audience_user_id = kept.user_id and coalesce(event.federation_id, '') = kept.federation_id
        and coalesce(event.spoke_id, '') = kept.spoke_id
      else true end
  where not exists (select from (${DONE}) as read where read.user_id = kept.user_id and read.id = event.id)`;

/** Finds unread events inside of a range of read events. */
const NOT_READ_IN_STRETCHES = LEFT_BEHIND.replace("notification_read_counts", "notification_read_ranges")
  .replace("event.at <= kept.read_through", "event.at between kept.from_at and kept.through_at");

export async function assertCountsAreExact(db: TestDatabase): Promise<void> {
  const counts = async (text: string) =>
    Object.fromEntries((await queryRows(db, text)).map(({ object, count }) => [object, Number(count)]).sort());
  assert.equal(await counts(VISIBLE_KEPT), await counts(VISIBLE));
  assert.equal(await counts(READ_KEPT), await counts(READ));
  assert.equal(await queryRows(db, LEFT_BEHIND), []);
  assert.equal(await queryRows(db, NOT_READ_IN_STRETCHES), []);
}

/** Counts a user's unread events by checking each event. */
export async function recountUnread(db: TestDatabase, userId: string): Promise<number> {
  const [row] = await queryRows(
    db,
    `select count(*) from audit_events as event
     where customer_visible
       and (
         (select operator from users where id = $1)
         or audience_user_id = $1
         or (select email_verified_at is not null from users where id = $1) and (
           exists (select from federation_members where user_id = $1 and federation_id = event.federation_id)
           or exists (select from spoke_members where user_id = $1 and spoke_id = event.spoke_id)
         )
       )
       and not exists (select from (${DONE}) as read where user_id = $1 and read.id = event.id)`,
    [userId],
  );
  return Number(row.count);
}
