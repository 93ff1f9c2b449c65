/** Computes a subscription's billing periods: whole intervals from the start time (anchor). Months end on the anchor's
 * day of the month, or on the last day of a shorter month. */
import type { Interval } from "#test/support/provider/records.ts";

const DAY = 24 * 60 * 60;

export interface Cycle {
  readonly interval: Interval;
  readonly interval_count: number;
}

/** Returns the end of the billing period that contains `moment`. All times are in seconds. */
export function periodEnd(anchor: number, { interval, interval_count: count }: Cycle, moment: number): number {
  if (interval === "day" || interval === "week") {
    const length = DAY * count * (interval === "week" ? 7 : 1);
    return anchor + (Math.floor((moment - anchor) / length) + 1) * length;
  }
  const months = count * (interval === "year" ? 12 : 1);
  for (let i = 1;; i++) {
    const end = addMonths(anchor, i * months);
    if (end > moment) return end;
  }
}

/** Adds months to the anchor. From 31 January, the results are 28 February, 31 March and so on. */
function addMonths(anchor: number, months: number): number {
  const at = new Date(anchor * 1000), day = at.getUTCDate();
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() + months);
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(day, last));
  return at.getTime() / 1000;
}
