/** Inserts many rows for a single customer, each kind with one SQL statement, for tests of pages and lists. */
import type { TestDatabase } from "#test/support/database.ts";
import type { Scene } from "#test/support/scene.ts";

/** The timestamp for row i. Later rows are newer, and no two rows have the same timestamp. */
const STAMP = "timestamptz '2030-01-01' + i * interval '1 second'";

export async function insertManySpokes(
  { db, hub, people }: Pick<Scene, "db" | "hub" | "people">,
  count: number,
): Promise<void> {
  await db.sql(
    `insert into spokes (id, federation_id, slug, display_name, domain, size, admin_email, lms_version, state, cluster,
        namespace, blueprint_revision, blueprint_inputs, created_by, created_at)
     select 'spk_' || lpad(i::text, 26, '0'), $1, 's-' || i, 'Spoke ' || i, 's-' || i || '.example.org', 'small',
        'a@example.org', '4.5.12', 'active', 'default', 's-' || i, 'test', '{}', $2, ${STAMP}
     from generate_series(1, ${count}) i`,
    [hub, people.operator.id],
  );
}

export async function insertManyEvents(db: TestDatabase, { hub, spoke, people }: Scene, count: number): Promise<void> {
  await db.sql(
    `insert into audit_events (id, kind, actor_id, actor_email, object_type, object_id, metadata, ip, user_agent, at,
        federation_id, spoke_id, customer_visible)
     select 'evt_' || lpad(i::text, 26, '0'), 'spoke_actioned', $3, 'ada@example.org', 'spoke', $2,
        '{"action": "restart", "slug": "oak"}', '192.0.2.1', 'test', ${STAMP}, $1, $2, true
     from generate_series(1, ${count}) i`,
    [hub, spoke, people.operator.id],
  );
}
