/** Creates events for tests of notifications: one by one as the service does, or many with direct inserts. */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { AuditEntry } from "#lib/audit/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { NotificationMarker } from "#lib/domains/notifications/marks.ts";
import type { NotificationReader } from "#lib/domains/notifications/objects.ts";
import type { TestDatabase } from "#test/support/database.ts";
import type { Scene } from "#test/support/scene.ts";

/** The object of an event: a spoke, a hub, or (without either) a user's request. */
export interface TestEvent {
  readonly hub?: string;
  readonly spoke?: string;
  readonly audience?: string;
  readonly kind?: AuditEntry["kind"];
}

/** Records one event for each object, in one transaction. */
export async function recordEvents(db: Database, ...events: readonly TestEvent[]): Promise<void> {
  await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { audit: events.map(toEntry) }));
}

function toEntry({ hub, spoke, audience, kind }: TestEvent): AuditEntry {
  const usual = spoke ? "spoke_actioned" : hub ? "federation_updated" : "federation_request_rejected";
  return {
    kind: kind ?? usual,
    objectType: spoke ? "spoke" : "federation",
    objectId: spoke ?? hub ?? "req",
    federationId: hub ?? null,
    spokeId: spoke ?? null,
    audienceUserId: audience ?? null,
  };
}

/** Returns a reader like a request's. Reads are recorded. */
export function toMarkingReader({ role, userId }: NotificationReader): NotificationMarker {
  return { ...SYSTEM_REQUESTER, role, userId };
}

/** Inserts visible events of a spoke. `gap` returns the milliseconds between the first event and event i. */
export async function insertSpokeEvents(
  db: TestDatabase,
  place: Required<Pick<TestEvent, "hub" | "spoke">>,
  gaps: number[],
) {
  await db.sql(
    `insert into audit_events (id, kind, actor_id, actor_email, object_type, object_id, metadata, ip, user_agent, at,
      federation_id, spoke_id, customer_visible)
     select 'evt_' || left(md5($2 || i), 26), 'spoke_actioned', 'system', 'system', 'spoke', $2, '{}', '', '',
       '2026-01-01T00:00Z'::timestamptz + gap * interval '1 millisecond', $1, $2, true
     from unnest($3::int[]) with ordinality as one (gap, i)`,
    [place.hub, place.spoke, gaps],
  );
  await db.sql(
    `insert into stream_heads (federation_id, visible_events) values ($1, $2) on conflict (federation_id)
     do update set visible_events = stream_heads.visible_events + excluded.visible_events`,
    [place.hub, gaps.length],
  );
  await db.sql("update spokes set visible_events = visible_events + $2 where id = $1", [place.spoke, gaps.length]);
}

/** Resets the notifications of the scene. Faster than opening another scene. */
export async function resetNotifications({ db, hub, spoke, people }: Scene): Promise<void> {
  await db.sql(`
    set session_replication_role = replica; -- the log refuses to forget
    truncate audit_events, notification_reads, notification_read_counts, notification_audiences, notification_read_ranges,
      stream_heads;
    set session_replication_role = origin;
    delete from spoke_members;
    delete from federation_members;
    delete from spokes where id <> '${spoke}';
    delete from federations where id <> '${hub}';
    update spokes set visible_events = 0, state = 'active', removed_at = null;
    update federations set state = 'active', removed_at = null;
    update users set email_verified_at = wheelwright_now();
    insert into federation_members (federation_id, user_id) values ('${hub}', '${people.hubAdmin.id}');
    insert into spoke_members (spoke_id, user_id) values ('${spoke}', '${people.spokeAdmin.id}');
    update service_event_head set visible_events = 0, last_at = '-infinity'`);
}
