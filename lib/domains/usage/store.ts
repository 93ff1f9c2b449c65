/** Reads and writes the usage of sites: the latest values, and samples by hour and by day. */
import { sql } from "kysely";
import { DAY } from "#lib/base/time.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Storage, UsedAt } from "#lib/domains/usage/storage.ts";
import type { TaskHealth } from "#lib/domains/usage/task-health.ts";

/** How long samples are kept, as PostgreSQL intervals. */
export const SAMPLE_AGES = { hour: "48 hours", day: "2 years" } as const;
export type SampleGrain = keyof typeof SAMPLE_AGES;

/** The result of a check of one spoke, for its row of `spoke_usage` and its samples. */
export interface UsageUpdate extends Storage {
  readonly id: string;
  readonly measuredAt: Date | null;
  readonly users: number | null;
  readonly activeUsers: number | null;
  readonly courses: number | null;
  readonly tasksAt: Date | null;
  readonly podRestarts: Readonly<Record<string, number>>;
  readonly oomKilledAt: Date | null;
  readonly warnedPercent: number;
  readonly taskHealth: TaskHealth | null;
  readonly addonsAt: Date | null;
  readonly addonCount: number | null;
  readonly storagePercent: number | null;
  /** Whether the site has measured its usage since the previous check. */
  readonly isMeasured: boolean;
  /** The time of the sample; null if there is nothing new to add to the samples. */
  readonly sampledAt: Date | null;
  /** The number of restarts, and of containers killed for their memory, since the previous check. */
  readonly restarts: number;
  readonly oomKills: number;
  /** How often all PHP workers were busy: the site's total, when last, and the number since the previous check. */
  readonly workersBusy: number | null;
  readonly workersBusyAt: Date | null;
  readonly newWorkersBusy: number;
}

export interface UpdatedSpoke {
  readonly id: string;
  readonly federationId: string;
  readonly slug: string;
}

/**
 * Stores the usage of many spokes by one statement. Skips spokes that an operation has changed since `began`, or whose
 * row is locked, because the next check follows soon. Returns the spokes whose usage was stored.
 */
export async function saveUsage(tx: Tx, began: Date, updates: readonly UsageUpdate[]): Promise<UpdatedSpoke[]> {
  const { rows } = await sql<UpdatedSpoke>`
    with look as (
      select * from jsonb_to_recordset(${JSON.stringify(updates)}::jsonb) as look (id text, "measuredAt" timestamptz,
        "filesUsed" bigint, "filesSize" bigint, "databaseUsed" bigint, "databaseSize" bigint, users integer,
        "activeUsers" integer, courses integer, "tasksAt" timestamptz, "podRestarts" jsonb, "oomKilledAt" timestamptz,
        "warnedPercent" smallint, "taskHealth" jsonb, "storagePercent" smallint, "isMeasured" boolean,
        "sampledAt" timestamptz, restarts integer, "oomKills" integer, "addonsAt" timestamptz, "addonCount" integer,
        "workersBusy" bigint, "workersBusyAt" timestamptz, "newWorkersBusy" integer)
    ),
    held as (
      select spokes.id as spoke_id, federation_id, slug, storage_percent, look.* from spokes join look using (id)
      where spokes.state = 'active' and spokes.updated_at <= ${began}
      order by spokes.id for no key update of spokes skip locked
    ),
    stored as (
      insert into spoke_usage (spoke_id, observed_at, measured_at, files_used, files_size, database_used, database_size,
        users, active_users, courses, tasks_at, pod_restarts, oom_killed_at, warned_percent, task_health,
        addons_at, addon_count, workers_busy, workers_busy_at)
      select spoke_id, ${began}, "measuredAt", "filesUsed", "filesSize", "databaseUsed", "databaseSize", users,
        "activeUsers", courses, "tasksAt", "podRestarts", "oomKilledAt", "warnedPercent", "taskHealth",
        "addonsAt", "addonCount", "workersBusy", "workersBusyAt" from held
      on conflict (spoke_id) do update set observed_at = excluded.observed_at, measured_at = excluded.measured_at,
        files_used = excluded.files_used, files_size = excluded.files_size, database_used = excluded.database_used,
        database_size = excluded.database_size, users = excluded.users, active_users = excluded.active_users,
        courses = excluded.courses, tasks_at = excluded.tasks_at, pod_restarts = excluded.pod_restarts,
        oom_killed_at = excluded.oom_killed_at, warned_percent = excluded.warned_percent,
        task_health = excluded.task_health, addons_at = excluded.addons_at, addon_count = excluded.addon_count,
        workers_busy = excluded.workers_busy, workers_busy_at = excluded.workers_busy_at
        where spoke_usage.observed_at < excluded.observed_at
      returning spoke_id
    ),
    sampled as (
      insert into usage_samples (spoke_id, grain, at, files_used, files_size, database_used, database_size, users,
        active_users, courses, restarts, oom_kills, workers_busy)
      select spoke_id, grain, date_trunc(grain, held."sampledAt", 'UTC'), new."filesUsed", new."filesSize", new."databaseUsed",
        new."databaseSize", new.users, new."activeUsers", new.courses, held.restarts, held."oomKills",
        held."newWorkersBusy"
      from held join stored using (spoke_id) cross join (values ('hour'), ('day')) as grains (grain)
      left join look as new on new.id = spoke_id and new."isMeasured"
      where held."sampledAt" is not null
      on conflict (spoke_id, grain, at) do update set
        files_used = coalesce(excluded.files_used, usage_samples.files_used),
        files_size = coalesce(excluded.files_size, usage_samples.files_size),
        database_used = coalesce(excluded.database_used, usage_samples.database_used),
        database_size = coalesce(excluded.database_size, usage_samples.database_size),
        users = coalesce(excluded.users, usage_samples.users),
        active_users = coalesce(excluded.active_users, usage_samples.active_users),
        courses = coalesce(excluded.courses, usage_samples.courses),
        restarts = usage_samples.restarts + excluded.restarts, oom_kills = usage_samples.oom_kills + excluded.oom_kills,
        workers_busy = usage_samples.workers_busy + excluded.workers_busy
    ),
    listed as (
      update spokes set storage_percent = held."storagePercent" from held join stored using (spoke_id)
      where spokes.id = held.spoke_id and held.storage_percent is distinct from held."storagePercent"
    )
    select spoke_id as id, federation_id, slug from held join stored using (spoke_id) order by id`.execute(tx);
  return rows;
}

/** Returns how much of a spoke's disk was used at the end of each of the last 14 days before today, the oldest first. */
export async function readUsedBytes(rows: RowQueries, id: string, disk: "files" | "database"): Promise<UsedAt[]> {
  const used = disk === "files" ? "filesUsed" : "databaseUsed";
  const found = await rows.selectFrom("usage_samples").select(["at", used]).where("spokeId", "=", id)
    .where("grain", "=", "day").where(sql<boolean>`at > (select wheelwright_now()) - interval '15 days'`)
    .where(sql<boolean>`at < (select wheelwright_now()) - interval '1 day'`)
    .orderBy("at").execute();
  return found.flatMap((row) =>
    row[used] === null ? [] : [{ at: new Date(row.at.getTime() + DAY), used: Number(row[used]) }]
  );
}
