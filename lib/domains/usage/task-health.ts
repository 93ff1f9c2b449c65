/** Decides from what a site reports whether its background tasks and Moodle's own checks show a problem. Pure. */
import { HOUR } from "#lib/base/time.ts";
import type { UsageLine } from "#lib/moodle/usage-line.ts";

/** The results of tasks, checks and comparisons as a site last reported them. Times are ISO 8601, as in the JSON column. */
export interface TaskHealth {
  /** The number of failing tasks; null while unknown. */
  readonly failing: number | null;
  /** The classes of some failing tasks, longest delay first. */
  readonly names: readonly string[];
  /** Since when the oldest ad hoc task waits although it could run; null if none waits. */
  readonly waitingSince: string | null;
  /** The names of the failed checks of Moodle's status report; null while unknown. */
  readonly failedChecks: readonly string[] | null;
  readonly checkedAt: string | null;
  /** The settings of Moodle whose value differs from what the hub shares. Absent in rows of older releases. */
  readonly changedSettings?: readonly string[];
}

/** Moodle itself reports a problem if an ad hoc task has waited for this long. */
const LONGEST_WAIT = 4 * HOUR;
/** Older results decide nothing: silent scheduled tasks are a problem of their own. */
const LONGEST_AGE = 2 * HOUR;
const UPGRADE_CHECK = "core_upgradecheck";

export function toTaskHealth(line: UsageLine): TaskHealth {
  const toTime = (seconds: number | null) => seconds === null ? null : new Date(seconds * 1000).toISOString();
  return {
    failing: line.failingTasks,
    names: line.failingTaskNames,
    waitingSince: toTime(line.tasksWaitingSince),
    failedChecks: line.failedChecks,
    checkedAt: toTime(line.checkedAt),
    changedSettings: line.changedSettings,
  };
}

/**
 * Returns the problems that degrade a spoke. A failing task alone is none: Moodle repeats it, and the site works. During
 * maintenance, no task runs.
 */
export function findTaskProblems(
  { waitingSince, failedChecks, checkedAt }: TaskHealth,
  measuredAt: Date,
  now: Date,
): string[] {
  const isRecent = (time: Date) => now.getTime() - time.getTime() < LONGEST_AGE;
  const waits = isRecent(measuredAt) && waitingSince !== null &&
    measuredAt.getTime() - Date.parse(waitingSince) >= LONGEST_WAIT;
  const isPending = checkedAt !== null && isRecent(new Date(checkedAt)) && failedChecks?.includes(UPGRADE_CHECK);
  return [
    ...(waits ? ["A background task of Moodle has waited for more than 4 hours"] : []),
    ...(isPending ? ["Moodle waits for an upgrade of its database, and runs no scheduled tasks until then"] : []),
  ];
}
