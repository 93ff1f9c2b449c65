/** Fills the database for the request bench. By default, it has 100 hubs with 50 spokes each, an administrator with a token for
 * each hub, and 30 audit events for each spoke. Each administrator has 50 notifications, 10 of them unread.
 *
 * Hubs and spokes are copies of two that the program created, so that their rows have a realistic width. */
import type postgres from "postgres";
import { type Database } from "#lib/drivers/db/database.ts";
import { updateCounters } from "#test/bench/plans-fill.ts";
import { addHubAdmin, createTestToken, createTestUser } from "#test/support/users.ts";

const SPOKES = 50, EVENTS = 30, UNREAD = 10;

/** A hub with its administrator's token. */
export interface HubCredentials {
  readonly slug: string;
  readonly hub: string;
  readonly spokes: readonly string[];
  /** A token of the hub's administrator. */
  readonly token: string;
}

/** The IDs of the hub and the spoke to copy. */
export interface TestData {
  readonly hub: string;
  readonly spoke: string;
}

export async function fillDatabase(
  db: Database,
  sql: postgres.Sql,
  model: TestData,
  hubs: number,
): Promise<HubCredentials[]> {
  const places: HubCredentials[] = [];
  await fillHubs(sql, model, hubs);
  for (let n = 0; n < hubs; n++) {
    const person = await createTestUser(db, `admin-${n}`), hub = idOf("fed", n);
    await addHubAdmin(db, person, hub);
    const { plaintext } = await createTestToken(db, person, "cli");
    const spokes = Array.from({ length: SPOKES }, (_, i) => idOf("spk", n * SPOKES + i));
    places.push({ slug: `hub-${n}`, hub, spokes, token: plaintext });
  }
  await fillEvents(sql, hubs);
  await updateCounters(sql);
  await markRead(sql);
  await sql`update api_tokens set last_used_at = wheelwright_now()`;
  await sql`vacuum analyze`;
  return places;
}

const idOf = (prefix: string, n: number) => `${prefix}_${n.toString(16).padStart(26, "0")}`;
const sqlId = (prefix: string, n: string) => `'${prefix}_' || lpad(to_hex(${n}), 26, '0')`;
const BEGAN = "'2026-01-01T00:00Z'::timestamptz";

async function fillHubs(sql: postgres.Sql, { hub, spoke }: TestData, hubs: number): Promise<void> {
  await sql.unsafe(
    `insert into federations select copy.* from federations as model cross join generate_series(0, ${hubs - 1}) as n
      cross join lateral jsonb_populate_record(model, jsonb_build_object('id', ${sqlId("fed", "n")},
        'slug', 'hub-' || n, 'name', 'Hub ' || n, 'namespace', 'hub-' || n, 'state', 'active',
        'created_at', ${BEGAN}, 'ready_at', ${BEGAN})) as copy where model.id = $1`,
    [hub],
  );
  await sql.unsafe(
    `insert into spokes select copy.* from spokes as model cross join generate_series(0, ${hubs * SPOKES - 1}) as n
      cross join lateral jsonb_populate_record(model, jsonb_build_object('id', ${sqlId("spk", "n")},
        'federation_id', ${sqlId("fed", `n / ${SPOKES}`)}, 'slug', 'spoke-' || n, 'display_name', 'Spoke ' || n,
        'domain', 'spoke-' || n || '.spokes.example.org', 'namespace', 'spoke-' || n, 'state', 'active',
        'health', 'healthy', 'created_at', ${BEGAN} + n * interval '1 second', 'ready_at', ${BEGAN})) as copy
      where model.id = $1`,
    [spoke],
  );
  await sql`insert into stream_heads (federation_id) select id from federations on conflict do nothing`;
}

/** Inserts the events. One of each spoke's events is a notification. */
async function fillEvents(sql: postgres.Sql, hubs: number): Promise<void> {
  await sql.unsafe(
    `insert into audit_events (id, kind, actor_id, actor_email, object_type, object_id, metadata, ip, user_agent, at,
        federation_id, spoke_id, customer_visible, origin_private)
      select ${sqlId("evt", `n * ${EVENTS} + i`)}, 'spoke_actioned', member.user_id, 'admin@example.org', 'spoke',
        ${sqlId("spk", "n")}, jsonb_build_object('action', 'restart', 'slug', 'spoke-' || n, 'operationId', 'op-' || i),
        '192.0.2.7', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
        ${BEGAN} + (i * ${hubs * SPOKES} + n) * interval '1 second', member.federation_id, ${sqlId("spk", "n")},
        i = 0, false
      from generate_series(0, ${EVENTS - 1}) as i cross join generate_series(0, ${hubs * SPOKES - 1}) as n
      join federation_members as member on member.federation_id = ${sqlId("fed", `n / ${SPOKES}`)}`,
  );
}

async function markRead(sql: postgres.Sql): Promise<void> {
  const read = SPOKES - UNREAD;
  await sql`insert into notification_reads (user_id, event_id, read_at)
    select member.user_id, event.id, wheelwright_now() from federation_members as member cross join lateral (
      select id from audit_events where federation_id = member.federation_id and customer_visible order by at limit ${read}
    ) as event`;
  await sql`insert into notification_read_counts (user_id, about, federation_id, reads)
    select user_id, about, case about when 'hub' then federation_id else '' end, ${read}
    from federation_members cross join (values ('hub'), ('all')) as object (about)`;
}
