import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isTimeZone } from "#lib/base/time.ts";
import { findNextOpening, isWindowOpen } from "#lib/domains/rollouts/window.ts";
import type { RolloutWindow } from "#lib/model/rollout.ts";

const test = suite("time windows");
const BERLIN: RolloutWindow = { days: ["sat"], from: "22:00", to: "05:00", timeZone: "Europe/Berlin" };
const isOpen = (window: RolloutWindow, at: string) => isWindowOpen(window, new Date(at));
const nextAfter = (window: RolloutWindow, at: string) => findNextOpening(window, new Date(at))?.toISOString() ?? null;

test("a window that ends after midnight belongs to the day on which it opens", () => {
  assert.is(isOpen(BERLIN, "2026-11-28T20:59:59Z"), false); // Saturday, 21:59 in Berlin
  assert.is(isOpen(BERLIN, "2026-11-28T21:00:00Z"), true);
  assert.is(isOpen(BERLIN, "2026-11-29T03:59:59Z"), true); // Sunday, 4:59
  assert.is(isOpen(BERLIN, "2026-11-29T04:00:00Z"), false);
  assert.is(isOpen(BERLIN, "2026-11-29T21:30:00Z"), false); // Sunday evening
});

test("a window within a day, and one of 24 hours", () => {
  const noon = { ...BERLIN, from: "12:00", to: "13:00" }, whole = { ...BERLIN, from: "00:00", to: "00:00" };
  assert.equal(["10:59", "11:00", "11:59", "12:00"].map((time) => isOpen(noon, `2026-11-28T${time}:00Z`)), [
    ...[false, true, true, false],
  ]);
  assert.equal(["27T22:59", "27T23:00", "28T22:59", "28T23:00"].map((time) => isOpen(whole, `2026-11-${time}:00Z`)), [
    ...[false, true, true, false],
  ]);
});

test("follows daylight saving time", () => {
  assert.is(nextAfter(BERLIN, "2026-10-24T12:00:00Z"), "2026-10-24T20:00:00.000Z"); // the last evening in summer time
  assert.is(nextAfter(BERLIN, "2026-10-25T12:00:00Z"), "2026-10-31T21:00:00.000Z");
  const early = { ...BERLIN, days: ["sun"] as const, from: "02:30", to: "04:00" };
  // On 2027-03-28, 2:30 does not exist in Berlin: clocks move from 2:00 to 3:00.
  assert.is(nextAfter(early, "2027-03-27T12:00:00Z"), "2027-03-28T01:00:00.000Z");
});

test("opens at once if it is open", () => {
  assert.is(nextAfter(BERLIN, "2026-11-28T23:10:00Z"), "2026-11-28T23:10:00.000Z");
});

test("knows time zones", () => {
  assert.equal(["Europe/Berlin", "UTC", "Asia/Kathmandu", "Mars/Olympus", ""].map(isTimeZone), [
    ...[true, true, true, false, false],
  ]);
});

test.run();
