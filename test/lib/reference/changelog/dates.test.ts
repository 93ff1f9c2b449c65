import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatDateTime, formatDay, formatDaysUntil } from "#lib/reference/changelog/dates.ts";

const test = suite("formatDaysUntil");

test("counts calendar days in UTC, not periods of 24 hours", () => {
  const at = new Date("2026-12-21T00:00:00Z");
  assert.is(formatDaysUntil(at, new Date("2026-11-28T23:59:59Z")), "in 23 days");
  assert.is(formatDaysUntil(at, new Date("2026-12-20T00:00:00Z")), "tomorrow");
  assert.is(formatDaysUntil(at, new Date("2026-12-20T23:59:59.999Z")), "tomorrow");
  assert.is(formatDaysUntil(new Date("2026-12-21T18:00:00Z"), new Date("2026-12-21T01:00:00Z")), "today");
});

test("formats a day, with a time unless midnight, the same in every time zone", () => {
  assert.is(formatDay(new Date("2026-12-01T23:59:00Z")), "1 December 2026");
  assert.is(formatDateTime(new Date("2026-12-21")), "21 December 2026");
  assert.is(formatDateTime(new Date("2026-12-21T18:05:00+05:30")), "21 December 2026, 12:35 UTC");
});

test.run();
