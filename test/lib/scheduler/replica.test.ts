import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ControlConnection } from "#lib/drivers/db/database.ts";
import { silentLog } from "#lib/base/log.ts";
import { openReplica, type Replica } from "#lib/scheduler/replica.ts";
import { openTestDatabase } from "#test/support/database.ts";
import { until } from "#test/support/until.ts";

const test = suite("openReplica");

function open(query: ControlConnection["query"], onBeat: () => void = () => {}): Replica {
  return openReplica({ id: "rep", release: "test", control: { query }, log: silentLog, onHeartbeat: onBeat });
}

const answer = () => Promise.resolve([]);

test("beats, and has a tenure from the first answer on", async () => {
  const beaten = Promise.withResolvers<void>();
  const replica = open(answer, beaten.resolve);
  assert.is(replica.currentLease(), null);
  await beaten.promise;
  replica.currentLease()!.throwIfLapsed();
  await replica.close();
});

test("lapses when beats fail, and begins a new tenure when they succeed again", async () => {
  const control = { down: false };
  const replica = open(() => control.down ? Promise.reject(new Error("gone")) : answer());
  const first = await until(() => replica.currentLease());
  control.down = true;
  await until(() => first.signal.aborted);
  assert.is(first.signal.reason.name, "LeaseLapsed");
  assert.is(replica.currentLease(), null);
  control.down = false;
  const second = await until(() => replica.currentLease());
  second.throwIfLapsed();
  assert.throws(() => first.throwIfLapsed(), (error: Error) => error.name === "LeaseLapsed");
  await replica.close();
});

test("lapses where its row is gone: the database was restored in the same place, and may be held", async () => {
  const db = await openTestDatabase();
  const replica = open(db.control.query);
  const { signal } = await until(() => replica.currentLease());
  await db.sql("update replicas set heartbeat_at = '2000-01-01'");
  await until(async () => (await db.sql("select from replicas where heartbeat_at > '2000-01-02'")).length > 0);
  assert.is(signal.aborted, false);
  await db.sql("delete from replicas");
  await until(() => signal.aborted);
  (await until(() => replica.currentLease())).throwIfLapsed();
  await replica.close();
  await db.close();
});

test("lapses also when its timer fires a moment early", async () => {
  const control = { down: false }, timer = globalThis.setTimeout;
  const early = (run: () => void, ms = 0) => timer(run, ms > 2000 ? ms - 300 : ms);
  globalThis.setTimeout = early as typeof setTimeout;
  const replica = open(() => control.down ? Promise.reject(new Error("gone")) : answer());
  try {
    const { signal } = await until(() => replica.currentLease());
    control.down = true;
    await until(() => signal.aborted); // without asking for the tenure, which would look by itself
    assert.is(replica.currentLease(), null);
  } finally {
    globalThis.setTimeout = timer;
    await replica.close();
  }
});

test("refuses the next call after a standstill, before any timer could notice", async () => {
  const replica = open(answer);
  const tenure = await until(() => replica.currentLease());
  standStill(2600);
  assert.throws(() => tenure.throwIfLapsed(), (error: Error) => error.name === "LeaseLapsed");
  await replica.close();
});

test("refuses the next call after its machine was suspended, in which its own clock stood still", async () => {
  const replica = open(answer);
  const tenure = await until(() => replica.currentLease());
  const now = Date.now;
  Date.now = () => now() + 2600;
  try {
    assert.throws(() => tenure.throwIfLapsed(), (error: Error) => error.name === "LeaseLapsed");
  } finally {
    Date.now = now;
  }
  await replica.close();
});

test("does not let a late answer to a beat hide that it was late", async () => {
  const control = { hold: null as null | Promise<void> };
  const replica = open(async () => {
    await control.hold;
    return [];
  });
  const tenure = await until(() => replica.currentLease());
  const answered = Promise.withResolvers<void>();
  control.hold = answered.promise;
  await new Promise((resolve) => setTimeout(resolve, 1100)); // the next beat is under way
  standStill(2600);
  answered.resolve();
  await until(() => replica.currentLease() !== tenure && replica.currentLease());
  assert.ok(tenure.signal.aborted);
  await replica.close();
});

test("beats no more once it is closed, and says in its row that it stopped", async () => {
  const asked: string[] = [];
  const replica = open((text) => (asked.push(text.trim().split(" ", 1)[0]!), answer()));
  const tenure = await until(() => replica.currentLease());
  await replica.close();
  assert.equal([tenure.signal.aborted, asked[0], asked.at(-1)], [true, "insert", "update"]);
});

/** Simulates a paused process: nothing runs while the clock advances. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test.run();
