/** Decides how full a site's disks are, when they will be full, and when users are notified. Pure. */
import { DAY } from "#lib/base/time.ts";
import type { UsageLine } from "#lib/moodle/usage-line.ts";

/** The percentages of used storage at which users are notified. */
export const STORAGE_THRESHOLDS = [80, 90, 95] as const;
/** After a notification, usage must fall this many points below the threshold before the next notification. */
const REARM_POINTS = 5;
/** A prediction further ahead than this says nothing. */
const MAX_PREDICTION = 5 * 365 * DAY;
/** The shortest period whose growth is extrapolated. */
const MIN_PERIOD = DAY;

/** The used and total bytes of the disk for files and of the disk for the database. Null while unknown. */
export interface Storage {
  readonly filesUsed: number | null;
  readonly filesSize: number | null;
  readonly databaseUsed: number | null;
  readonly databaseSize: number | null;
}

/** The sizes of the site's disks in bytes, as Wheelwright requested them from the cluster. */
export interface DiskBytes {
  readonly files: number;
  readonly database: number;
}

/**
 * Computes the storage of a site. The file system's own numbers count only if it is about as large as the disk:
 * otherwise the volume is a folder on a larger disk that it shares with others, and the size of its files counts.
 */
export function computeStorage(line: UsageLine, sizes: DiskBytes): Storage {
  const { disk, diskUsed, content, folders, database, databaseLog } = line;
  const isOwnDisk = disk !== null && diskUsed !== null && disk >= sizes.files / 2 && disk <= sizes.files * 1.1;
  const measured = [content, folders].filter((bytes) => bytes !== null);
  return {
    filesUsed: isOwnDisk ? diskUsed : measured.length > 0 ? Math.max(...measured) : null,
    filesSize: isOwnDisk ? disk : sizes.files,
    databaseUsed: database === null ? null : database + (databaseLog ?? 0),
    databaseSize: sizes.database,
  };
}

export type DiskKind = "files" | "database";

/** Returns the fuller of the two disks, and how full it is in percent (0 to 100). Null if nothing is known. */
export function findFullestDisk(storage: Storage): { readonly disk: DiskKind; readonly percent: number } | null {
  const disks = [
    ["files", storage.filesUsed, storage.filesSize],
    ["database", storage.databaseUsed, storage.databaseSize],
  ] as const;
  const known = disks.flatMap(([disk, used, size]) =>
    used !== null && size !== null && size > 0 ? [{ disk, percent: Math.min(100, Math.floor(100 * used / size)) }] : []
  );
  return known.sort((one, other) => other.percent - one.percent)[0] ?? null;
}

export interface StorageWarning {
  /** The threshold of the last notification that still counts; 0 if there is none. */
  readonly warnedPercent: number;
  /** The threshold that was crossed since the last check; null if users need no notification. */
  readonly crossed: number | null;
}

/** Decides whether a threshold was crossed. Users are notified once per threshold, of the highest one only. */
export function decideStorageWarning(warnedPercent: number, percent: number): StorageWarning {
  const reached = STORAGE_THRESHOLDS.findLast((threshold) => percent >= threshold) ?? 0;
  if (reached > warnedPercent) return { warnedPercent: reached, crossed: reached };
  const kept = STORAGE_THRESHOLDS.findLast((threshold) =>
    threshold <= warnedPercent && percent > threshold - REARM_POINTS
  );
  return { warnedPercent: kept ?? 0, crossed: null };
}

export interface UsedAt {
  readonly at: Date;
  readonly used: number;
}

/**
 * Predicts when a disk of `size` bytes is full if its usage continues to grow as in `samples` (a straight line through
 * all of them). Returns null without growth, for less than a day of samples, and beyond five years.
 */
export function predictFullAt(samples: readonly UsedAt[], size: number): Date | null {
  const times = samples.map(({ at }) => at.getTime()), last = Math.max(...times);
  if (samples.length < 2 || last - Math.min(...times) < MIN_PERIOD) return null;
  const meanTime = mean(times), meanUsed = mean(samples.map(({ used }) => used));
  const spread = times.reduce((sum, time) => sum + (time - meanTime) ** 2, 0);
  const growth = samples.reduce((sum, { used }, i) => sum + (times[i]! - meanTime) * (used - meanUsed), 0) / spread;
  if (growth <= 0) return null;
  const newest = samples[times.indexOf(last)]!.used, left = Math.max(0, size - newest) / growth;
  return left > MAX_PREDICTION ? null : new Date(last + left);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
