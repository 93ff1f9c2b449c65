/** Defines the API schema for the history of the overview. */
import * as v from "valibot";
import { boundedText, NullableTimestamp } from "#lib/base/schema.ts";

/** The longest period in days. Totals are kept for a little longer. */
export const MAX_HISTORY_DAYS = 90;
const USUAL_DAYS = "30";

const DAYS = `must be a whole number from 1 to ${MAX_HISTORY_DAYS}`;
export const HistoryQuery = v.object({
  federationId: v.optional(boundedText(1, 100)),
  days: v.optional(
    v.pipe(
      v.string(DAYS),
      v.regex(/^\d{1,2}$/, DAYS),
      v.transform(Number),
      v.number(),
      v.minValue(1, DAYS),
      v.maxValue(MAX_HISTORY_DAYS, DAYS),
    ),
    USUAL_DAYS,
  ),
});

const Seconds = v.nullable(v.number());
const Bytes = v.nullable(v.number());

const operationEntries = {
  /** The number of sites whose installation succeeded. */
  installs: v.number(),
  /** Their median duration. */
  installSeconds: Seconds,
  /** The number of operations that failed. */
  failures: v.number(),
  /** The time from the request to the start of operations that users requested: the median, and the 95th percentile. */
  waitSeconds: Seconds,
  waitSeconds95: Seconds,
};

export const HistoryView = v.object({
  /** When the totals were last added up. Null if they never were, or if the caller sees only single spokes. */
  updatedAt: NullableTimestamp,
  ...operationEntries,
  /** The most frequent causes of failures, most frequent first. All others are counted as `other`. */
  causes: v.array(v.object({ code: v.string(), count: v.number() })),
  /** The days (UTC), oldest first. */
  samples: v.array(v.object({
    day: v.string(),
    ...operationEntries,
    filesUsed: Bytes,
    databaseUsed: Bytes,
    /** The change of the used bytes since the day before. Null if one of them is unknown. */
    growth: Bytes,
  })),
});
export type HistoryRecord = v.InferInput<typeof HistoryView>;
