import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  computeNextBackupTime,
  computeNextRestoreTestTime,
  describeBackupSchedule,
} from "#lib/domains/backups/schedule.ts";
import { createId } from "#lib/base/ids.ts";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";

const test = suite("computeNextBackupTime");
const EVENING = new Date("2026-11-21T22:00:00.000Z");

test("is in the window that a tier sets, also across midnight", () => {
  for (const [start, end] of [[1 * HOUR, 3 * HOUR], [23 * HOUR, 25 * HOUR]] as const) {
    for (let i = 0; i < 200; i++) {
      const at = computeNextBackupTime(createId("spk"), EVENING, { start, end }).getTime() % DAY;
      assert.ok(at >= start && at < end || at + DAY < end, new Date(at).toISOString());
    }
  }
});

test("is at the same time each night, at most a day ahead", () => {
  for (let i = 0; i < 500; i++) {
    const id = createId("spk");
    let at = new Date(EVENING.getTime() + i * 7 * MINUTE);
    const first = computeNextBackupTime(id, at, null);
    assert.ok(first > at && first.getTime() - at.getTime() <= DAY);
    const hour = first.getUTCHours();
    assert.ok(hour >= 22 || hour < 4, first.toISOString());
    for (let night = 0; night < 40; night++) {
      const next = computeNextBackupTime(id, at, null);
      assert.is((next.getTime() - first.getTime()) % DAY, 0);
      at = next;
    }
    assert.is(at.getTime() - first.getTime(), 39 * DAY);
  }
});

test("is later than the given time, so that a backup that starts now is not scheduled twice", () => {
  const id = createId("spk"), first = computeNextBackupTime(id, EVENING, null);
  assert.is(computeNextBackupTime(id, first, null).getTime(), first.getTime() + DAY);
  assert.is(computeNextBackupTime(id, new Date(first.getTime() - 1), null).getTime(), first.getTime());
});

test("spreads 10,000 spokes evenly over the night, even if they were created together", () => {
  const quarters = new Array<number>(24).fill(0);
  for (let i = 0; i < 10_000; i++) {
    const at = computeNextBackupTime(createId("spk"), new Date(EVENING.getTime() - 1), null); // otherwise a backup at the very start would belong to the next window
    quarters[Math.floor((at.getTime() - EVENING.getTime()) / (HOUR / 4))]!++;
  }
  const fair = 10_000 / 24;
  for (const count of quarters) assert.ok(count > fair * 0.7 && count < fair * 1.3, quarters.join(" "));
});

test("is described to users by its minute", () => {
  const id = createId("spk"), at = computeNextBackupTime(id, EVENING, null).toISOString();
  assert.is(describeBackupSchedule(id, null), `every night at ${at.slice(11, 16)} UTC`);
});

test("schedules restore tests for the morning, and spreads weekly ones over all days", () => {
  const days = new Array<number>(7).fill(0);
  for (let i = 0; i < 7000; i++) {
    const id = createId("spk"),
      nightly = computeNextRestoreTestTime(id, "nightly", EVENING),
      weekly = computeNextRestoreTestTime(id, "weekly", EVENING);
    assert.is((nightly.getTime() - computeNextBackupTime(id, EVENING, null).getTime() + DAY) % DAY, 3 * HOUR);
    assert.ok(weekly > EVENING && weekly.getTime() - EVENING.getTime() <= 7 * DAY);
    assert.is((weekly.getTime() - nightly.getTime()) % DAY, 0);
    assert.is(computeNextRestoreTestTime(id, "weekly", weekly).getTime(), weekly.getTime() + 7 * DAY);
    days[weekly.getUTCDay()]!++;
  }
  for (const count of days) assert.ok(count > 700 && count < 1300, days.join(" "));
});

test.run();
