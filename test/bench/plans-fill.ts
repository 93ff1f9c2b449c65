/** Fills a database with a long history for test/bench/plans.ts. It has hubs and spokes of very different sizes, users,
 * and audit events. The events are inserted directly, with the counters that lib/changes would have updated.
 *
 * Events are 5 seconds apart. A quarter belongs to no hub (mostly sign-ins). About a third of the others is visible.
 * Some kinds and actors occur only in the oldest events, so a filter for them has to search far. */
import postgres from "postgres";

/** The number of hubs and spokes. Spokes are distributed over the hubs in order, the busiest first. */
export interface DatasetSize {
  readonly hubs: number;
  readonly spokes: number;
}

export const DATASET_SIZE: DatasetSize = { hubs: 500, spokes: 5000 };
const CHUNK = 500_000;

/** The IDs of the inserted rows. `n` counts from 0, and the lowest are the busiest. */
export const hubId = (n: number): string => idOf("fed", n);
export const spokeId = (n: number): string => idOf("spk", n);
export const userId = (n: number): string => idOf("usr", n);

function idOf(prefix: string, n: number): string {
  return `${prefix}_${n.toString(16).padStart(26, "0")}`;
}

const sqlId = (prefix: string, n: string) => `'${prefix}_' || lpad(to_hex(${n}), 26, '0')`;

export async function insertHubsAndSpokes(sql: postgres.Sql, { hubs, spokes } = DATASET_SIZE): Promise<void> {
  await sql.unsafe(`
    insert into users (id, email, display_name, email_verified_at)
      select ${sqlId("usr", "n")}, 'user' || n || '@example.org', 'User', now() from generate_series(0, 499) as n;
    insert into federations (id, slug, name, state, cluster, namespace, created_by)
      select ${sqlId("fed", "n")}, 'hub-' || n, 'Hub', 'active', 'default', 'hub-' || n, '${userId(0)}'
      from generate_series(0, ${hubs - 1}) as n;
    insert into stream_heads (federation_id) select id from federations;
    insert into spokes (id, federation_id, slug, display_name, domain, size, admin_email, lms_version, state, cluster,
        namespace, blueprint_revision, blueprint_inputs, created_by)
      select ${sqlId("spk", "n")}, ${sqlId("fed", `n * ${hubs} / ${spokes}`)}, 'spoke-' || n, 'Spoke',
        'spoke-' || n || '.example.org', 'small', 'admin@example.org', '4.5.12', 'active', 'default', 'spoke-' || n,
        'bench', '{}', '${userId(0)}' from generate_series(0, ${spokes - 1}) as n;
    update users set operator = true where id = '${userId(0)}'`);
}

/** Inserts events from `from` up to, but not including, `to`. Foreign keys are not checked: the references are valid,
 * and checking each would take hours. */
export async function insertEvents(
  sql: postgres.Sql,
  from: number,
  to: number,
  say: (line: string) => void,
  places = DATASET_SIZE,
): Promise<void> {
  const indexes = await sql`select indexname as name, indexdef as definition from pg_indexes
    where tablename = 'audit_events' and indexname <> 'audit_events_pkey'`;
  const isBulk = to - from >= CHUNK;
  if (isBulk) { for (const { name } of indexes) await sql`drop index ${sql(name)}`; }
  await sql.unsafe("set session_replication_role = replica; set maintenance_work_mem = '1GB'; select setseed(0.5)");
  for (let start = from; start < to; start += CHUNK) {
    await sql.unsafe(insertStatement(start, Math.min(start + CHUNK, to), places));
    if (isBulk) say(`${Math.min(start + CHUNK, to)} events`);
  }
  await sql.unsafe("set session_replication_role = origin");
  if (isBulk) {
    for (const { name, definition } of indexes) {
      await sql.unsafe(definition);
      say(`index ${name}`);
    }
  }
  await updateCounters(sql);
  await sql.unsafe("analyze");
}

/** Recomputes the counters by counting all rows. */
export async function updateCounters(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    update stream_heads set visible_events = found.count, last_at = found.last from (
      select federation_id, count(*) filter (where customer_visible) as count, max(at) as last
      from audit_events group by federation_id
    ) as found where found.federation_id = stream_heads.federation_id;
    update spokes set visible_events = found.count from (
      select spoke_id, count(*) as count from audit_events where customer_visible group by spoke_id
    ) as found where found.spoke_id = spokes.id;
    update service_event_head set visible_events = found.count, last_at = found.last from (
      select count(*) as count, coalesce(max(at), '-infinity') as last from audit_events
      where customer_visible and federation_id is null
    ) as found;
    delete from notification_audiences;
    insert into notification_audiences (user_id, federation_id, spoke_id, visible_events)
      select audience_user_id, coalesce(federation_id, ''), coalesce(spoke_id, ''), count(*) from audit_events
      where customer_visible and audience_user_id is not null group by 1, 2, 3`);
}

/** Returns the statement that inserts events. The first thousand have kinds and actors that do not occur later. */
function insertStatement(from: number, to: number, { hubs, spokes }: DatasetSize): string {
  return `
    insert into audit_events (id, kind, actor_id, actor_email, object_type, object_id, metadata, ip, user_agent, at,
      federation_id, spoke_id, audience_user_id, customer_visible)
    select ${sqlId("evt", "n")}, kind, actor, actor || '@example.org', object_type,
      coalesce(case object_type when 'spoke' then spoke when 'federation' then hub else actor end, actor),
      jsonb_build_object('slug', 'spoke-' || place, 'n', n), '192.0.2.' || n % 250,
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', '2024-11-21T00:00Z'::timestamptz + n * interval '5 seconds',
      hub, spoke, audience, ${VISIBLE}
    from (
      select n, place, kind, case when old then ${sqlId("usr", "499")} else ${
    sqlId("usr", "(actor_dice * 490)::int")
  } end
          as actor,
        case when kind like 'spoke%' or kind like 'tenant%' then 'spoke' when kind like 'fed%' then 'federation'
          when kind like 'billing%' then 'operation' when kind like 'token%' then 'token' else 'session' end as object_type,
        case when kind not like 'auth%' and kind not like 'token%' and kind <> 'federation_request_rejected'
          then ${sqlId("fed", `place * ${hubs} / ${spokes}`)} end as hub,
        case when kind like 'spoke%' or kind like 'tenant%' then ${sqlId("spk", "place")} end as spoke,
        case when kind = 'federation_request_rejected' then ${sqlId("usr", "(actor_dice * 490)::int")} end as audience
      from (
        select n, n < 1000 as old, floor(${spokes} * power(random(), 3))::int as place, random() as actor_dice,
          case when n < 1000 and n % 20 = 0 then 'billing_subscription_refunded' else
            (array['auth_login', 'auth_login', 'auth_login', 'auth_logout', 'token_created', 'spoke_actioned',
              'spoke_actioned', 'spoke_actioned', 'spoke_action_succeeded', 'spoke_action_succeeded',
              'tenant_backup_succeeded', 'tenant_backup_succeeded', 'tenant_backup_succeeded', 'tenant_backup_succeeded',
              'spoke_health_changed', 'spoke_provisioned', 'spoke_requested', 'spoke_destroyed', 'federation_updated',
              case when n % 50 = 0 then 'federation_request_rejected' else 'auth_login' end
            ])[1 + floor(20 * random())] end as kind
        from generate_series(${from}, ${to - 1}) as n
      ) as diced
    ) as event`;
}

const VISIBLE = "kind not like 'auth%' and kind not like 'token%' and " +
  "kind not in ('spoke_action_succeeded', 'tenant_backup_succeeded', 'spoke_requested')";
