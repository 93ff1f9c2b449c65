import { suite } from "uvu";
import { DEFAULT_RETENTION } from "#lib/model/backup.ts";
import * as assert from "uvu/assert";
import {
  canDeleteBackup,
  type RetentionCandidate,
  selectExpiredBackups,
  selectRetainedBackups,
} from "#lib/domains/backups/retention.ts";
import { DAY, HOUR } from "#lib/base/time.ts";

const NOW = new Date("2026-11-21T05:00:00.000Z");

/** Creates a seeded random generator, so that a failing history can be repeated. */
function dice(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * most);
  };
}

function history(seed: number): RetentionCandidate[] {
  const roll = dice(seed), span = [3, 10, 40, 200, 800][roll(5)]!;
  return Array.from({ length: roll(60) }, (_, i) => {
    const createdAt = new Date(NOW.getTime() - roll(span * 24) * HOUR - roll(3) * 20 * 60_000);
    const state = (["ready", "ready", "ready", "failed", "pending", "deleted"] as const)[roll(6)]!;
    const kind = (["nightly", "nightly", "manual", "upgrade"] as const)[roll(4)]!;
    const deletingSince = state === "ready" && roll(12) === 0 ? NOW : null;
    return { id: `bak_${i}`, kind, state, createdAt, deletingSince };
  });
}

/**
 * A slow version of the rule: a good backup stays if it is the newest of its day and fewer than 7 later days have one;
 * weeks and months likewise.
 */
function oracle(all: readonly RetentionCandidate[]): string[] {
  const good = all.filter((one) => one.state === "ready" && one.deletingSince === null);
  const later = (a: RetentionCandidate, b: RetentionCandidate) =>
    a.createdAt > b.createdAt || +a.createdAt === +b.createdAt && a.id > b.id;
  const stays = (one: RetentionCandidate, nameOf: (at: Date) => string, most: number) => {
    const own = nameOf(one.createdAt);
    if (good.some((other) => nameOf(other.createdAt) === own && later(other, one))) return false;
    return new Set(good.map((other) => nameOf(other.createdAt)).filter((name) => name > own)).size < most;
  };
  return good.filter((one) =>
    stays(one, (at) => at.toISOString().slice(0, 10), 7) || stays(one, isoWeek, 4) ||
    stays(one, (at) => at.toISOString().slice(0, 7), 6)
  ).map(({ id }) => id).sort();
}

/** Returns the ISO week, for example `2026-W47`. Its Thursday decides the year. */
function isoWeek(at: Date): string {
  const thursday = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()));
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return `${thursday.getUTCFullYear()}-W${String(Math.ceil(((+thursday - first) / DAY + 1) / 7)).padStart(2, "0")}`;
}

const rule = suite("selectRetained");

rule("retains the same backups as a slow reference implementation, for 2,000 histories", () => {
  for (let seed = 1; seed <= 2000; seed++) {
    const all = history(seed);
    assert.equal([...selectRetainedBackups(all, NOW, DEFAULT_RETENTION)].sort(), oracle(all), `seed ${seed}`);
  }
});

rule("always retains the newest good backup, and at most 17", () => {
  for (let seed = 1; seed <= 2000; seed++) {
    const all = history(seed), retained = selectRetainedBackups(all, NOW, DEFAULT_RETENTION);
    const good = all.filter(({ state, deletingSince }) => state === "ready" && !deletingSince);
    const newest = good.sort((a, b) => +b.createdAt - +a.createdAt || (a.id < b.id ? 1 : -1))[0];
    assert.is(newest === undefined || retained.has(newest.id), true, `seed ${seed}`);
    assert.ok(retained.size <= DEFAULT_RETENTION.daily + DEFAULT_RETENTION.weekly + DEFAULT_RETENTION.monthly);
  }
});

rule("retains 7 days, 4 weeks and 6 months of a year of nightly backups", () => {
  const all = Array.from({ length: 365 }, (_, i) => ready(`bak_${i}`, new Date(NOW.getTime() - i * DAY)));
  const retained = all.filter(({ id }) => selectRetainedBackups(all, NOW, DEFAULT_RETENTION).has(id)).map((
    { createdAt },
  ) => createdAt.toISOString().slice(0, 10));
  assert.equal(retained, [
    ...["2026-11-21", "2026-11-20", "2026-11-19", "2026-11-18", "2026-11-17", "2026-11-16", "2026-11-15"],
    ...["2026-11-08", "2026-11-01", "2026-10-31", "2026-09-30", "2026-08-31", "2026-07-31", "2026-06-30"],
  ]);
});

rule("retains last backups and backups with a future date", () => {
  const ahead = ready("bak_ahead", new Date(NOW.getTime() + 400 * DAY));
  const last: RetentionCandidate = { ...ready("bak_last", new Date(NOW.getTime() - 900 * DAY)), kind: "last" };
  const nights = Array.from({ length: 30 }, (_, i) => ready(`bak_${i}`, new Date(NOW.getTime() - i * DAY)));
  const retained = selectRetainedBackups([ahead, last, ...nights], NOW, DEFAULT_RETENTION);
  assert.ok(retained.has(ahead.id) && retained.has(last.id));
  assert.is(retained.size, 2 + selectRetainedBackups(nights, NOW, DEFAULT_RETENTION).size);
  assert.not.ok(selectExpiredBackups([ahead, last, ...nights], NOW, DEFAULT_RETENTION).includes(last.id));
});

function ready(id: string, createdAt: Date): RetentionCandidate {
  return { id, kind: "nightly", state: "ready", createdAt, deletingSince: null };
}

const over = suite("selectExpired");

over("returns unretained good backups, and failed ones after a day, oldest first", () => {
  const failed = (id: string, hours: number): RetentionCandidate => ({
    ...ready(id, new Date(NOW.getTime() - hours * HOUR)),
    state: "failed",
  });
  const all = [
    ready("bak_new", new Date(NOW.getTime() - HOUR)),
    ready("bak_same_day", new Date(NOW.getTime() - 3 * HOUR)),
    failed("bak_young", 23),
    failed("bak_old", 25),
    { ...ready("bak_begun", new Date(NOW.getTime() - 30 * HOUR)), deletingSince: NOW },
    { ...failed("bak_gone", 90), state: "deleted" as const },
    { ...failed("bak_pending", 90), state: "pending" as const },
    { ...failed("bak_last", 90), kind: "last" as const },
  ];
  assert.equal(selectExpiredBackups(all, NOW, DEFAULT_RETENTION), ["bak_begun", "bak_old", "bak_same_day"]);
});

const guard = suite("canDeleteBackup");

guard("allows deleting a good backup only if a newer good one remains", () => {
  const old = ready("bak_old", new Date(NOW.getTime() - DAY)), fresh = ready("bak_new", NOW);
  assert.is(canDeleteBackup([old, fresh], old.id), true);
  assert.is(canDeleteBackup([old, fresh], fresh.id), false);
  assert.is(canDeleteBackup([old], old.id), false);
  assert.is(canDeleteBackup([old, { ...fresh, deletingSince: NOW }], old.id), false);
  assert.is(canDeleteBackup([old, { ...fresh, state: "failed" }], old.id), false);
  assert.is(canDeleteBackup([{ ...old, kind: "last" }, fresh], old.id), false);
  assert.is(canDeleteBackup([{ ...old, state: "pending" }, fresh], old.id), false);
  assert.is(canDeleteBackup([{ ...old, state: "failed" }], old.id), true);
  assert.is(canDeleteBackup([fresh], old.id), false);
});

rule.run();
over.run();
guard.run();
