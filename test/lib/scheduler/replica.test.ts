import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ControlConnection } from "#lib/drivers/db/database.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openReplica, type Replica } from "#lib/scheduler/replica.ts";
import { openTestDatabase } from "#test/support/database.ts";
import { until } from "#test/support/until.ts";
import { deleteRows, updateRows } from "#test/support/rows.ts";

const test = suite("openReplica");

function open(query: ControlConnection["query"], onBeat: () => void = () => {}): Replica {
  return openReplica({ id: "rep", release: "test", control: { query }, log: SILENT_LOG, onHeartbeat: onBeat });
}

const answer = () => Promise.resolve([]);

test("sends heartbeats, and has a lease after the first reply", async () => {
  const beaten = Promise.withResolvers<void>();
  const replica = open(answer, beaten.resolve);
  assert.is(replica.currentLease(), null);
  await beaten.promise;
  replica.currentLease()!.throwIfLapsed();
  await replica.close();
});

test("ends the lease when heartbeats fail, and opens another when they succeed", async () => {
  const control = { down: false };
  const replica = open(() => control.down ? Promise.reject(new Error("gone")) : answer());
  const first = await until(() => replica.currentLease());
  control.down = true;
  await until(() => first.signal.aborted);
  assert.is(first.signal.reason.name, "LeaseLapsedError");
  assert.is(replica.currentLease(), null);
  control.down = false;
  const second = await until(() => replica.currentLease());
  second.throwIfLapsed();
  assert.throws(() => first.throwIfLapsed(), (error: Error) => error.name === "LeaseLapsedError");
  await replica.close();
});

test("ends the lease if its row is missing, because the database was restored", async () => {
  const db = await openTestDatabase();
  const replica = open(db.control.query);
  const { signal } = await until(() => replica.currentLease());
  await updateRows(db, "replicas", { heartbeatAt: "2000-01-01" });
  await until(async () => (await db.sql("select from replicas where heartbeat_at > '2000-01-02'")).length > 0);
  assert.is(signal.aborted, false);
  await deleteRows(db, "replicas");
  await until(() => signal.aborted);
  (await until(() => replica.currentLease())).throwIfLapsed();
  await replica.close();
  await db.close();
});

test("ends the lease even if its timer fires early", async () => {
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

test("rejects the next call after a pause of the process", async () => {
  const replica = open(answer);
  const tenure = await until(() => replica.currentLease());
  standStill(2600);
  assert.throws(() => tenure.throwIfLapsed(), (error: Error) => error.name === "LeaseLapsedError");
  await replica.close();
});

test("rejects the next call after a suspension of the machine", async () => {
  const replica = open(answer);
  const tenure = await until(() => replica.currentLease());
  const now = Date.now;
  Date.now = () => now() + 2600;
  try {
    assert.throws(() => tenure.throwIfLapsed(), (error: Error) => error.name === "LeaseLapsedError");
  } finally {
    Date.now = now;
  }
  await replica.close();
});

test("ends the lease if the reply to a heartbeat is late", async () => {
  const control = { hold: null as null | Promise<void> };
  const replica = open(async () => {
    await control.hold;
    return [];
  });
  const tenure = await until(() => replica.currentLease());
  const answered = Promise.withResolvers<void>();
  control.hold = answered.promise;
  await new Promise((resolve) => setTimeout(resolve, 1100)); // the next heartbeat is being sent
  standStill(2600);
  answered.resolve();
  await until(() => replica.currentLease() !== tenure && replica.currentLease());
  assert.ok(tenure.signal.aborted);
  await replica.close();
});

test("stops heartbeats when closed, and records the stop in its row", async () => {
  const requests: string[] = [];
  const replica = open((text) => (requests.push(text.trim().split(" ", 1)[0]!), answer()));
  const tenure = await until(() => replica.currentLease());
  await replica.close();
  assert.equal([tenure.signal.aborted, requests[0], requests.at(-1)], [true, "insert", "update"]);
});

/** Simulates a paused process: nothing runs while the clock advances. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test.run();
