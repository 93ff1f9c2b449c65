/** Defines the API schemas for the usage of spokes and hubs. */
import * as v from "valibot";
import { NullableTimestamp, Timestamp } from "#lib/base/schema.ts";

/** The longest period of samples in days. */
export const MAX_DAYS = 730;
/** The default period. Samples are hourly up to this period, and daily beyond it. */
export const HOURLY_DAYS = 2;

const DAYS = `must be a whole number from 1 to ${MAX_DAYS}`;
export const UsageQuery = v.object({
  days: v.optional(
    v.pipe(
      v.string(DAYS),
      v.regex(/^\d{1,3}$/, DAYS),
      v.transform(Number),
      v.number(),
      v.minValue(1, DAYS),
      v.maxValue(MAX_DAYS, DAYS),
    ),
    String(HOURLY_DAYS),
  ),
});

const Count = v.nullable(v.number());

const amounts = {
  filesUsed: Count,
  filesSize: Count,
  databaseUsed: Count,
  databaseSize: Count,
  users: Count,
  activeUsers: Count,
  courses: Count,
};
const period = { step: v.picklist(["hour", "day"]) };

export const UsageSampleView = v.object({
  at: Timestamp,
  ...amounts,
  restarts: v.number(),
  oomKills: v.number(),
  workersBusy: v.number(),
});
export const HubUsageSampleView = v.object({ at: Timestamp, ...amounts, spokes: v.number(), fullSpokes: v.number() });

export const SpokeUsageView = v.object({
  spokeId: v.string(),
  /** When the site measured these values. Null if the site has not reported its usage yet. */
  measuredAt: NullableTimestamp,
  ...amounts,
  storagePercent: Count,
  /** Which of the two disks is fuller. */
  fullestDisk: v.nullable(v.picklist(["files", "database"])),
  /** When this disk is full at the present growth. */
  fullAt: NullableTimestamp,
  tasksAt: NullableTimestamp,
  failingTasks: Count,
  failingTaskNames: v.array(v.string()),
  tasksWaitingSince: NullableTimestamp,
  failedChecks: v.nullable(v.array(v.string())),
  checkedAt: NullableTimestamp,
  /** When all PHP workers were last busy, so that requests had to wait. */
  workersBusyAt: NullableTimestamp,
  ...period,
  samples: v.array(UsageSampleView),
});
export type SpokeUsageRecord = v.InferInput<typeof SpokeUsageView>;

export const HubUsageView = v.object({
  federationId: v.string(),
  measuredAt: NullableTimestamp,
  ...amounts,
  /** The number of spokes in the sums. */
  spokes: v.number(),
  /** The number of spokes that use at least 80% of their storage. */
  fullSpokes: v.number(),
  ...period,
  samples: v.array(HubUsageSampleView),
});
export type HubUsageRecord = v.InferInput<typeof HubUsageView>;
