/** Reads what earlier checks found about the usage of a site, together with the row of its spoke. */
import type { Storage } from "#lib/domains/usage/storage.ts";
import type { TaskHealth } from "#lib/domains/usage/task-health.ts";

/** The columns of `spoke_usage` that a check needs. All are null if no check has stored a result. */
export const STORED_USAGE_COLUMNS = [
  ...["filesUsed", "filesSize", "databaseUsed", "databaseSize", "users", "activeUsers", "courses"] as const,
  ...["measuredAt", "tasksAt", "podRestarts", "oomKilledAt", "warnedPercent", "taskHealth"] as const,
  ...["addonsAt", "addonCount", "workersBusy", "workersBusyAt"] as const,
] as const;

export interface StoredUsage extends Storage {
  readonly measuredAt: Date | null;
  readonly users: number | null;
  readonly activeUsers: number | null;
  readonly courses: number | null;
  readonly tasksAt: Date | null;
  readonly podRestarts: Readonly<Record<string, number>>;
  readonly oomKilledAt: Date | null;
  readonly warnedPercent: number;
  /** Null if the site has not reported anything about its tasks yet. */
  readonly taskHealth: TaskHealth | null;
  /** When the site listed its add-ons; null if it has not reported any list yet. */
  readonly addonsAt: Date | null;
  readonly addonCount: number | null;
  /** How often all PHP workers were busy, and when last. Null if the site has not reported it yet. */
  readonly workersBusy: number | null;
  readonly workersBusyAt: Date | null;
}

type UsageColumns =
  & { readonly [N in keyof Storage | "workersBusy"]: string | null }
  & Readonly<Record<"users" | "activeUsers" | "courses" | "warnedPercent" | "addonCount", number | null>>
  & Readonly<Record<"measuredAt" | "tasksAt" | "oomKilledAt" | "addonsAt" | "workersBusyAt", Date | null>>
  & { readonly podRestarts: Readonly<Record<string, number>> | null; readonly taskHealth: TaskHealth | null };

/** Moves the columns of `spoke_usage` to the property `usage`. */
export function parseStoredUsage<Row extends UsageColumns>(
  row: Row,
): Omit<Row, keyof UsageColumns> & { readonly usage: StoredUsage | null } {
  const { podRestarts, warnedPercent, measuredAt, tasksAt, oomKilledAt, users, activeUsers, courses, ...more } = row;
  const { taskHealth, filesUsed, filesSize, databaseUsed, databaseSize, addonsAt, addonCount, ...rest } = more;
  const { workersBusy, workersBusyAt, ...spoke } = rest;
  const usage = podRestarts === null ? null : {
    ...{ measuredAt, tasksAt, oomKilledAt, users, activeUsers, courses, podRestarts, taskHealth, addonsAt, addonCount },
    warnedPercent: warnedPercent ?? 0,
    workersBusy: parseBytes(workersBusy),
    workersBusyAt,
    filesUsed: parseBytes(filesUsed),
    filesSize: parseBytes(filesSize),
    databaseUsed: parseBytes(databaseUsed),
    databaseSize: parseBytes(databaseSize),
  };
  return { ...spoke as Omit<Row, keyof UsageColumns>, usage };
}

/** The driver returns a bigint as text. */
export function parseBytes(bytes: string | null): number | null {
  return bytes === null ? null : Number(bytes);
}
