/** Fills a database with a whole installation, with few and fast statements: hubs, spokes, users, operations, audit
 * events, backups and requests. The shares of states and the number of rows per hub are the same at each size. */
import postgres from "postgres";
import type { TestDatabase } from "#test/support/database.ts";
import { insertEvents, userId } from "#test/bench/plans-fill.ts";
import { loadMigrations } from "#test/support/migrations.ts";

export interface InstallationSize {
  readonly hubs: number;
  readonly spokes: number;
}

/** Rows per spoke, in addition to the spoke itself. A tenth of the live spokes' number are removed spokes. */
const OPERATIONS = 2, EVENTS = 2;
/** The days of which totals are kept. */
const DAYS = 90;
/** The number of queued operations does not depend on the size: a larger installation also has more lanes. */
const LIVE_OPERATIONS = 20;

const id = (prefix: string, n: string) => `'${prefix}_' || lpad(to_hex(${n}), 26, '0')`;
const time = (n: string) => `timestamptz '2025-01-01' + (${n}) * interval '1 minute'`;

export async function fillInstallation(url: string, { hubs, spokes }: InstallationSize): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const admins = spokes / 10, users = Math.max(500, admins), all = Math.round(spokes * 1.1);
  // A spoke's number of each kind: 0 is removed, 1 failed, 2 suspended, 3 degraded, 4 provisioning; others are healthy.
  const dice = `(n / ${hubs} + n) % 50`;
  const kind =
    `case when n >= ${spokes} then 0 when ${dice} = 7 then 1 when ${dice} = 17 then 2 when ${dice} = 27 then 3
    when ${dice} = 37 and n % 7 = 0 then 4 else 5 end`;
  // Without triggers, foreign keys and indexes, the rows are inserted in a tenth of the time.
  await sql.unsafe("set session_replication_role = replica");
  const indexes = await sql`select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index join pg_class on pg_class.oid = indrelid
    where relnamespace = 'public'::regnamespace and not exists (select from pg_constraint where conindid = indexrelid)`;
  await sql.unsafe(indexes.map(({ name }) => `drop index ${name};`).join("\n"));
  await sql.unsafe(`
    insert into users (id, email, display_name, email_verified_at, created_at)
      select ${id("usr", "n")}, 'user' || n || '@school' || n % 97 || '.example', 'User ' || n, now(), ${time("n")}
      from generate_series(0, ${users - 1}) as n;
    update users set operator = true where id = '${userId(0)}';
    insert into federations (id, slug, name, state, cluster, namespace, created_by, created_at)
      select ${id("fed", "n")}, 'hub-' || n, 'District ' || n, case when n % 20 = 5 then 'failed' else 'active' end,
        'default', 'hub-' || n, '${userId(0)}', ${time("n")}
      from generate_series(0, ${hubs - 1}) as n;
    insert into federations (id, slug, name, state, cluster, namespace, created_by, created_at, removed_at)
      select ${id("fed", "n")}, 'hub-' || n, 'District ' || n, 'removed', 'default', 'hub-' || n, '${userId(0)}',
        ${time("n")}, now()
      from generate_series(${hubs}, ${hubs + Math.ceil(hubs / 10) - 1}) as n;
    insert into stream_heads (federation_id) select id from federations;
    insert into spokes (id, federation_id, slug, display_name, domain, size, admin_email, lms_version, region, state,
        state_reason, health, cluster, namespace, blueprint_revision, blueprint_inputs, created_by, created_at, ready_at,
        removed_at, verified_at, last_failed_at, storage_percent)
      select ${id("spk", "n")}, ${id("fed", `n % ${hubs}`)}, 'school-' || n, 'School number ' || n,
        'school-' || n || '.example.org', case when ${dice} = 11 then 'large' else 'small' end, 'admin@example.org',
        case when ${dice} = 21 then '5.0.1' else '4.5.12' end, case when n % 2 = 0 then 'eu-west' end,
        (array['removed', 'failed', 'suspended', 'active', 'provisioning', 'active'])[kind + 1],
        case kind when 1 then 'The installation failed' end,
        case kind when 3 then 'degraded' when 5 then 'healthy' else 'unknown' end, 'default', 'spoke-' || n,
        case when ${dice} = 31 then 'older' else 'test' end,
        '{"https": true, "domain": "x.example.org"}', '${userId(0)}', ${time("n")}, ${time("n")},
        case kind when 0 then now() end, case when n % 3 = 0 then now() - n * interval '1 second' end,
        case when ${dice} in (1, 7) then now() - n * interval '1 second' end,
        case when ${dice} = 5 then null when ${dice} = 9 then 96 when ${dice} = 10 then 85 else ${dice} end
      from (select n, ${kind} as kind from generate_series(0, ${all - 1}) as n) as numbered;
    insert into federation_members (federation_id, user_id)
      select ${id("fed", "n")}, ${id("usr", `${users - 1} - n * 5 % ${admins}`)} from generate_series(0, ${
    hubs - 1
  }) as n;
    insert into spoke_members (spoke_id, user_id)
      select ${id("spk", "n * 10")}, ${id("usr", `${users - 1} - n % ${admins}`)}
      from generate_series(0, ${spokes / 10 - 1}) as n;
    insert into api_tokens (id, user_id, name, scope, prefix, token_hash)
      select ${id("tok", "n")}, ${id("usr", "n")}, 'token', 'cli', 'x', sha256(n::text::bytea)
      from generate_series(0, ${users - 1}) as n;
    insert into federation_requests (id, slug, name, state, requested_by, decided_by, decided_at, reject_reason, created_at)
      select ${id("frq", "n")}, 'request-' || n, 'Request', case when n % 20 = 0 then 'pending' else 'rejected' end,
        ${id("usr", `n % ${users}`)}, case when n % 20 > 0 then '${userId(0)}' end, case when n % 20 > 0 then now() end,
        case when n % 20 > 0 then 'No' end, ${time("n")}
      from generate_series(0, ${spokes / 2 - 1}) as n;
    insert into restore_requests (id, federation_id, spoke_id, backup_id, reason, state, requested_by, decided_by,
        decided_at, decline_reason, created_at)
      select ${id("rsr", "n")}, ${id("fed", `n % ${hubs}`)}, ${id("spk", "n")}, 'bak_' || n, 'Lost a course',
        case when n % 20 = 0 then 'open' else 'declined' end, ${id("usr", `n % ${users}`)},
        case when n % 20 > 0 then '${userId(0)}' end, case when n % 20 > 0 then now() end,
        case when n % 20 > 0 then 'No' end, ${time("n")}
      from generate_series(0, ${spokes / 2 - 1}) as n;
    insert into jobs (id, kind, visible, lane, federation_id, spoke_id, state, time_limit_ms, plan, step_names, label,
        requester_id, requester_email, requester_ip, requester_agent, created_at, started_at, finished_at)
      select ${id("op", "n")}, 'restart', true, 'spoke:' || ${id("spk", `n % ${spokes}`)},
        ${id("fed", `n % ${spokes} % ${hubs}`)}, ${id("spk", `n % ${spokes}`)}, 'succeeded', 60000, 1, '{one}', 'Done',
        '${userId(0)}', 'user0@school0.example', '192.0.2.1', 'test', ${time("n")}, ${time("n")}, ${time("n + 1")}
      from generate_series(0, ${OPERATIONS * spokes - 1}) as n;
    insert into jobs (id, kind, visible, lane, federation_id, spoke_id, state, time_limit_ms, plan, step_names, label,
        requester_id, requester_email, requester_ip, requester_agent)
      select ${id("op", `n + ${OPERATIONS * spokes}`)}, 'restart', true, 'spoke:' || ${id("spk", "n * 20")},
        ${id("fed", `n * 20 % ${hubs}`)}, ${id("spk", "n * 20")}, 'queued', 60000, 1, '{one}', 'Waiting',
        '${userId(0)}', 'user0@school0.example', '192.0.2.1', 'test'
      from generate_series(0, ${LIVE_OPERATIONS - 1}) as n;
    insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, created_at, ready_at)
      select ${id("bak", "n")}, ${id("spk", `n % ${spokes}`)}, ${id("fed", `n % ${spokes} % ${hubs}`)}, 'op_b' || n,
        'default', 'x', 'nightly', 'ready', ${time("n")}, ${time("n")}
      from generate_series(0, ${2 * spokes - 1}) as n;
    insert into hub_usage_samples (federation_id, grain, at, measured_at, spokes, full_spokes, files_used, database_used)
      select ${id("fed", "n")}, 'day', date_trunc('day', now(), 'UTC') - d * interval '1 day', now(), 50, 1, 8, 1
      from generate_series(0, ${hubs - 1}) as n, generate_series(0, ${DAYS}) as d;
    insert into daily_totals (scope, day, measure, key, total)
      select scope, (now() at time zone 'UTC')::date - d, measure, (d + k) % 40, 3
      from (select ${id("fed", "n")} from generate_series(0, ${
    hubs - 1
  }) as n union all select 'all') as scopes (scope),
        generate_series(0, ${DAYS}) as d, generate_series(1, 2) as k, unnest(array['install', 'wait', 'failure']) as measure;
    insert into subscriptions (federation_id, email)
      select ${id("fed", "n")}, 'pay@example.org' from generate_series(0, ${hubs - 1}) as n`);
  await sql.unsafe(await readFillOfLiveLists());
  await sql.unsafe(
    `update live_spokes set storage_percent = spokes.storage_percent,
    storage_rank = coalesce(spokes.storage_percent, -1) from spokes where spokes.id = spoke_id`,
  );
  // The first add-on is on all spokes, the second on some, and the third on one.
  await sql.unsafe(
    `insert into spoke_addons (spoke_id, component, version, enabled, federation_id, created_at)
    select spoke_id, component, 2024101100, true, federation_id, created_at
    from (select *, ('x' || right(spoke_id, 6))::bit(24)::integer as n from live_spokes) as spoke
    join (values ('mod_all', 1), ('mod_some', 50), ('mod_one', 777777777)) as addon (component, every) on n % every = 0`,
  );
  await insertEvents(sql, 0, EVENTS * spokes, () => {}, { hubs, spokes });
  await sql.unsafe(indexes.map(({ definition }) => `${definition};`).join("\n"));
  await sql.unsafe("vacuum analyze");
  // Each sweep updates the rows of all active spokes, so that no index-only scan of `spokes` avoids its rows.
  await sql.unsafe("update spokes set observed_at = now() where state = 'active'");
  await sql.end();
}

/** Returns the statements with which the migrations fill the tables for lists from existing rows. */
async function readFillOfLiveLists(): Promise<string> {
  const [, text] = (await loadMigrations()).find(([name]) => name === "0015_create_live_lists")!;
  const [, later] = (await loadMigrations()).find(([name]) => name === "0023_extend_lists")!;
  return [
    ...text.match(/^insert into live_[^;]*;|^insert into spoke_texts[^;]*;/gm)!,
    ...later.match(/^update live_[^;]*;/gm)!,
  ].join("\n");
}

/** Makes the user an admin of `count` hubs, evenly spread over all hubs. */
export async function addManyHubs(db: TestDatabase, user: string, hubs: number, count: number): Promise<void> {
  await db.sql(`insert into federation_members (federation_id, user_id)
    select ${id("fed", `n * ${hubs / count}`)}, '${user}' from generate_series(0, ${count - 1}) as n`);
  // Otherwise the first page of users would contain the user, whose record is long.
  await db.sql("update users set created_at = '2025-01-01' where id = $1", [user]);
}
