/** Returns the usage of a spoke or hub: the latest values, and samples of the last days. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { pickFields } from "#lib/model/field.ts";
import { findFullestDisk, predictFullAt } from "#lib/domains/usage/storage.ts";
import { parseBytes, parseStoredUsage, STORED_USAGE_COLUMNS } from "#lib/domains/usage/stored.ts";
import type { TaskHealth } from "#lib/domains/usage/task-health.ts";
import { readUsedBytes, type SampleGrain } from "#lib/domains/usage/store.ts";
import { HOURLY_DAYS, type HubUsageRecord, type SpokeUsageRecord } from "#lib/domains/usage/views.ts";

const NOTHING = {
  ...{ measuredAt: null, filesUsed: null, filesSize: null, databaseUsed: null, databaseSize: null },
  ...{ users: null, activeUsers: null, courses: null },
};

const LATEST = Object.keys(NOTHING) as readonly (keyof typeof NOTHING)[];

export async function showSpokeUsage(rows: RowQueries, spokeId: string, days: number): Promise<SpokeUsageRecord> {
  const grain = chooseGrain(days);
  const [row, samples] = await Promise.all([
    rows.selectFrom("spoke_usage").select(STORED_USAGE_COLUMNS).where("spokeId", "=", spokeId).executeTakeFirst(),
    rows.selectFrom("usage_samples").selectAll().where("spokeId", "=", spokeId).where("grain", "=", grain)
      .where(isWithin(days)).orderBy("at").execute(),
  ]);
  const { usage } = row ? parseStoredUsage(row) : { usage: null };
  const fullest = usage && findFullestDisk(usage);
  return {
    spokeId,
    ...(usage ? pickFields(usage, LATEST) : NOTHING),
    storagePercent: fullest?.percent ?? null,
    fullestDisk: fullest?.disk ?? null,
    fullAt: usage?.measuredAt && fullest
      ? predictFullAt([
        ...await readUsedBytes(rows, spokeId, fullest.disk),
        { at: usage.measuredAt, used: usage[`${fullest.disk}Used`]! },
      ], usage[`${fullest.disk}Size`]!)
      : null,
    tasksAt: usage?.tasksAt ?? null,
    workersBusyAt: usage?.workersBusyAt ?? null,
    ...showTaskHealth(usage?.taskHealth ?? null),
    step: grain,
    samples: samples.map(({ spokeId: _, grain: __, ...sample }) => ({ ...sample, ...parseSizes(sample) })),
  };
}

function showTaskHealth(health: TaskHealth | null) {
  const toDate = (text: string | null | undefined) => text ? new Date(text) : null;
  return {
    failingTasks: health?.failing ?? null,
    failingTaskNames: [...health?.names ?? []],
    tasksWaitingSince: toDate(health?.waitingSince),
    failedChecks: health?.failedChecks ? [...health.failedChecks] : null,
    checkedAt: toDate(health?.checkedAt),
  };
}

export async function showHubUsage(rows: RowQueries, federationId: string, days: number): Promise<HubUsageRecord> {
  const grain = chooseGrain(days);
  const [[latest], samples] = await Promise.all([
    rows.selectFrom("hub_usage_samples").selectAll().where("federationId", "=", federationId)
      .where("grain", "=", "hour").orderBy("at", "desc").limit(1).execute(),
    rows.selectFrom("hub_usage_samples").selectAll().where("federationId", "=", federationId)
      .where("grain", "=", grain).where(isWithin(days)).orderBy("at").execute(),
  ]);
  const parse = (sample: typeof samples[number]) => {
    const { federationId: _, grain: __, measuredAt: ___, users, activeUsers, courses, ...more } = sample;
    const people = { users: parseBytes(users), activeUsers: parseBytes(activeUsers), courses: parseBytes(courses) };
    return { ...more, ...parseSizes(sample), ...people };
  };
  const { at: _, ...sums } = latest ? parse(latest) : { at: null, ...NOTHING, spokes: 0, fullSpokes: 0 };
  return { federationId, ...sums, measuredAt: latest?.measuredAt ?? null, step: grain, samples: samples.map(parse) };
}

function chooseGrain(days: number): SampleGrain {
  return days <= HOURLY_DAYS ? "hour" : "day";
}

const isWithin = (days: number) => sql<boolean>`at > (select wheelwright_now()) - ${days}::integer * interval '1 day'`;

type Sizes = Readonly<Record<"filesUsed" | "filesSize" | "databaseUsed" | "databaseSize", string | null>>;

function parseSizes({ filesUsed, filesSize, databaseUsed, databaseSize }: Sizes) {
  return {
    filesUsed: parseBytes(filesUsed),
    filesSize: parseBytes(filesSize),
    databaseUsed: parseBytes(databaseUsed),
    databaseSize: parseBytes(databaseSize),
  };
}
