/** Returns the history of the overview: installations, failures, waits and storage of the last days. */
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { DAY } from "#lib/base/time.ts";
import { findVisibleHub } from "#lib/domains/federations/access.ts";
import { canManageHub, type Viewer } from "#lib/domains/federations/viewer.ts";
import { addBuckets, type BucketCounts, findPercentile } from "#lib/domains/history/buckets.ts";
import { ALL_HUBS, type DailyTotal, readDailyTotals, readTotalsState } from "#lib/domains/history/store.ts";
import type { HistoryRecord } from "#lib/domains/history/views.ts";

/** The number of causes of failures that are listed separately. */
const MAX_CAUSES = 6;

interface HistoryRequest {
  readonly days: number;
  /** The ID or slug of the only hub. */
  readonly federationId?: string | undefined;
}

/** Shows the history of what the viewer can see. Throws a `missing` fault if the viewer cannot see the named hub. */
export async function showHistory(
  rows: RowQueries,
  viewer: Viewer,
  { days, federationId: name }: HistoryRequest,
): Promise<HistoryRecord> {
  const hub = name === undefined ? null : (await findVisibleHub(rows, viewer, name, "hidden")).id;
  const scopes = findScopes(viewer, hub), spokeIds = await findOtherSpokes(rows, viewer, hub);
  const [totals, { today, updatedAt }] = await Promise.all([
    readDailyTotals(rows, { scopes, spokeIds, days }),
    readTotalsState(rows),
  ]);
  return buildHistory(totals, { today, days, updatedAt: scopes.length === 0 ? null : updatedAt });
}

function findScopes(viewer: Viewer, hub: string | null): readonly string[] {
  if (hub !== null) return canManageHub(viewer, hub) ? [hub] : [];
  return viewer.role === "operator" ? [ALL_HUBS] : viewer.federationIds;
}

/** Returns the viewer's spokes that are in none of the viewer's hubs. */
async function findOtherSpokes(rows: RowQueries, viewer: Viewer, hub: string | null): Promise<readonly string[]> {
  const { role, federationIds, spokeIds } = viewer;
  if (role === "operator" || spokeIds.length === 0) return [];
  let query = rows.selectFrom("spokes").select("id").where("id", "in", spokeIds);
  if (federationIds.length > 0) query = query.where("federationId", "not in", federationIds);
  if (hub !== null) query = query.where("federationId", "=", hub);
  return (await query.execute()).map(({ id }) => id);
}

interface Period {
  readonly today: string;
  readonly days: number;
  readonly updatedAt: Date | null;
}

export function buildHistory(totals: readonly DailyTotal[], { today, days, updatedAt }: Period): HistoryRecord {
  const byDay = Map.groupBy(totals, ({ day }) => day);
  const dates = Array.from({ length: days }, (_, i) => formatDay(Date.parse(today) - (days - 1 - i) * DAY));
  const samples = dates.map((day) => ({
    day,
    ...countOperations(byDay.get(day) ?? []),
    ...findStorage(byDay.get(day) ?? []),
  }));
  return {
    updatedAt,
    ...countOperations(totals),
    causes: rankCauses(totals),
    samples: samples.map((sample, i) => ({ ...sample, growth: findGrowth(sample, samples[i - 1]) })),
  };
}

function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function countOperations(totals: readonly DailyTotal[]) {
  const installs = bucketsOf(totals, "install"), waits = bucketsOf(totals, "wait");
  return {
    installs: sumOf(totals, "install"),
    installSeconds: findPercentile(installs, 0.5),
    failures: sumOf(totals, "failure"),
    waitSeconds: findPercentile(waits, 0.5),
    waitSeconds95: findPercentile(waits, 0.95),
  };
}

function bucketsOf(totals: readonly DailyTotal[], wanted: DailyTotal["measure"]): BucketCounts {
  return addBuckets(
    totals.filter(({ measure }) => measure === wanted).map(({ key, total }) => new Map([[Number(key), total]])),
  );
}

function sumOf(totals: readonly DailyTotal[], wanted: DailyTotal["measure"]): number {
  return totals.reduce((sum, { measure, total }) => measure === wanted ? sum + total : sum, 0);
}

type UsedStorage = Record<"filesUsed" | "databaseUsed", number | null>;

function findStorage(totals: readonly DailyTotal[]): UsedStorage {
  const usedOf = (disk: string) =>
    totals.find(({ measure, key }) => measure === "storage" && key === disk)?.total ?? null;
  return { filesUsed: usedOf("files"), databaseUsed: usedOf("database") };
}

function findGrowth(now: UsedStorage, before: UsedStorage | undefined): number | null {
  const sum = ({ filesUsed, databaseUsed }: UsedStorage) =>
    filesUsed === null || databaseUsed === null ? null : filesUsed + databaseUsed;
  const today = sum(now), yesterday = before ? sum(before) : null;
  return today === null || yesterday === null ? null : today - yesterday;
}

function rankCauses(totals: readonly DailyTotal[]): HistoryRecord["causes"] {
  const counts = new Map<string, number>();
  for (const { measure, key, total } of totals) {
    if (measure === "failure") counts.set(key, (counts.get(key) ?? 0) + total);
  }
  const ranked = [...counts].map(([code, count]) => ({ code, count }))
    .sort((one, other) => other.count - one.count || one.code.localeCompare(other.code, "en"));
  const others = ranked.slice(MAX_CAUSES).reduce((sum, { count }) => sum + count, 0);
  return [...ranked.slice(0, MAX_CAUSES), ...(others > 0 ? [{ code: "other", count: others }] : [])];
}
