/** Tests the dates of announcements. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseAnnouncementDates } from "#lib/base/notice.ts";

const test = suite("parseAnnouncementDates");

const read = (since: string, effect: string) => () => parseAnnouncementDates("GET /api/x", since, effect);

test("accepts days in UTC, and times with a zone", () => {
  assert.equal(read("2026-12-01", "2026-12-31")(), {
    since: new Date("2026-12-01T00:00:00Z"),
    effect: new Date("2026-12-31T00:00:00Z"),
  });
  assert.equal(read("2026-12-01T13:00:00+01:00", "2026-12-31T12:00:00Z")().since, new Date("2026-12-01T12:00:00Z"));
});

test("requires 30 days, to the second", () => {
  assert.throws(read("2026-12-01", "2026-12-30"), /^GET \/api\/x must take effect at least 30 days/);
  assert.throws(read("2026-12-01T00:00:01Z", "2026-12-31"), /at least 30 days/);
  assert.throws(read("2026-12-31", "2026-12-01"), /at least 30 days/);
});

test("refuses invalid dates and those that depend on the machine's time zone", () => {
  for (
    const date of ["December 1, 2026", "2026-12-01T12:00:00", "1 Dec 2026", "2026-02-30", "2026-13-01", "", "soon"]
  ) {
    assert.throws(read(date, "2027-12-31"), /has an invalid date/, date);
    assert.throws(read("2025-12-01", date), /has an invalid date/, date);
  }
});

test.run();
