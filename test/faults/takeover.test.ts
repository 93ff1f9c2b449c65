/** Tests replicas that are killed, stopped or cut off during an install. Another replica resumes the install after four
 * seconds without a heartbeat. Nothing is lost or done twice.
 *
 * The duration is printed but not asserted. `npm run bench -- recovery` measures the limit of six seconds. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HEARTBEAT_SILENCE_LIMIT } from "#lib/scheduler/silence.ts";
import { type Bench, type CaughtCall, openBench } from "#test/support/bench/bench.ts";
import { namespaceOf, writerOf } from "#test/support/bench/cluster.ts";
import { type HolderChange, isTakeover, readHolderTimeline } from "#test/support/bench/holder-timeline.ts";
import type { Replica } from "#test/support/bench/replica.ts";
import { until } from "#test/support/until.ts";
import { queryRows } from "#test/support/bench/query.ts";

const test = suite<{ bench: Bench }>("takeover");
test.before(async (context) => void (context.bench = await openBench({ replicas: 3, delayMs: 100 })));
test.after(({ bench }) => bench?.close());

test("another replica resumes a killed holder's install, once", async ({ bench }) => {
  const caught = await bench.installing("killed"), id = caught.spoke;
  await caught.holder.kill();
  await assertInTime(bench, caught, "killed");
  await caught.goesOn();
  await Promise.all([bench.becomes(id, "active"), caught.holder.start()]);
  await assertOnce(bench, caught, id);
});

test("a stopped holder changes nothing after it continues", async ({ bench }) => {
  const caught = await bench.installing("stopped"), { holder, spoke: id } = caught;
  await until(async () => await countOf(bench, "install", id) === 1); // it waits for the Job and has no write pending
  holder.tell("SIGSTOP");
  await assertInTime(bench, caught, "stopped");
  await caught.goesOn();
  await bench.becomes(id, "active");
  const before = await everything(bench, id);
  const beat = await beatOf(bench, holder);
  holder.tell("SIGCONT");
  await letsGo(caught);
  await until(async () => await beatOf(bench, holder) > beat);
  assert.equal((await everything(bench, id)).filter((line) => !before.includes(line)), []);
  await assertOnce(bench, caught, id);
});

test("a holder without a database releases its install, and another replica resumes it", async ({ bench }) => {
  const caught = await bench.installing("cut"), { holder, spoke: id } = caught;
  holder.database.refuse();
  holder.database.cut();
  await assertInTime(bench, caught, "cut off from the database");
  await letsGo(caught);
  await caught.goesOn();
  await bench.becomes(id, "active");
  await assertOnce(bench, caught, id);
  await holder.database.heal();
  await beatsAgain(bench, holder);
});

test("a holder with a silent database releases its install, and its late writes are rejected", async ({ bench }) => {
  const caught = await bench.installing("silent"), { holder, spoke: id } = caught;
  holder.database.stall();
  await assertInTime(bench, caught, "frozen");
  await holder.database.heal(); // its delayed writes arrive now, while the other replica works
  await letsGo(caught);
  await caught.goesOn();
  await bench.becomes(id, "active");
  await assertOnce(bench, caught, id);
  await beatsAgain(bench, holder);
});

test("a holder that cannot reach its cluster keeps its operation and retries, without a takeover", async ({ bench }) => {
  // Waits for the cluster continue; calls fail, such as the one that creates a Job.
  const calls = bench.replicas.map((replica) => replica.cluster.hold((text) => /^POST \S+\/jobs\?/.test(text)));
  const id = await bench.spoke(await bench.hub("clusterless"), "algebra");
  await Promise.race(calls.map(({ caught }) => caught));
  for (const call of calls) call.forget();
  const { job, holder, id: process } = await bench.caught(id, "install");
  holder.cluster.refuse();
  holder.cluster.cut();
  const failed = await until(() =>
    holder.log().find(({ operation, message }) => operation === job && message.startsWith("Step failed"))
  );
  assert.is(failed.message, "Step failed; trying again");
  assert.is(failed["code"], "unreachable");
  await holder.cluster.heal();
  await bench.becomes(id, "active");
  const holds = await readHolderTimeline(bench.db, job);
  assert.equal(holds.filter(isTakeover), []);
  assert.ok(holds.some((hold) => hold.state === "queued" && hold.holderBefore === process), "it was given back");
  assert.is(await countOf(bench, "install", id), 1);
});

test("a replica that shuts down releases its job, and the attempt does not count", async ({ bench }) => {
  const id = await bench.spoke(await bench.hub("drained"), "algebra");
  const caught = await bench.caught(id, "database");
  await caught.holder.drain();
  await Promise.all([bench.becomes(id, "active"), caught.holder.start()]);
  assert.is((await operation(bench, caught.job)).attempt, 1);
  assert.equal((await readHolderTimeline(bench.db, caught.job)).filter(isTakeover), []);
});

test("each write to the cluster names its replica in the User-Agent", async ({ bench }) => {
  const ids = bench.replicas.flatMap((one) => one.ids);
  const strangers = (await bench.cluster.writes()).filter((write) => !ids.includes(writerOf(write) ?? ""));
  assert.equal(strangers, []);
});

test("in the end nothing was reported twice, nothing is missing, and no replica exited on its own", async ({ bench }) => {
  const gaps = await queryRows(
    bench.db,
    `select federation_id from stream_events group by 1 having count(*) <> max(number) or min(number) <> 1`,
  );
  assert.equal(gaps, []);
  const twice = await queryRows(
    bench.db,
    `select kind, object_id, metadata ->> 'operationId' as operation from audit_events
     group by 1, 2, 3 having count(*) > 1`,
  );
  assert.equal(twice, []);
  const ends = await queryRows(
    bench.db,
    "select spoke_id from stream_events where type = 'SpokeUpdateActive' group by 1 having count(*) > 1",
  );
  assert.equal(ends, []);
  assert.equal(bench.replicas.flatMap((one) => one.complaints()), []);
});

/** Asserts, from the database's record, that the takeover came after 4 s of silence and after the old holder's last
 * write. */
async function assertInTime(bench: Bench, caught: CaughtCall, what: string): Promise<HolderChange> {
  const claim = await bench.takeover(caught);
  console.log(`  ${what}: taken over ${Math.round(claim.silence!)} ms after the last beat`);
  assert.ok(claim.silence! >= HEARTBEAT_SILENCE_LIMIT - 1, `taken after ${claim.silence} ms`);
  assert.ok(claim.fence > caught.fence);
  return claim;
}

/** Asserts that the operation ended at its first attempt with one install. The old holder's changes came before the
 * claim. */
async function assertOnce(bench: Bench, caught: CaughtCall, spokeId: string): Promise<void> {
  const claim = await bench.takeover(caught);
  const { attempt, state } = await operation(bench, caught.job);
  assert.equal([state, attempt], ["succeeded", 1]);
  assert.is(await countOf(bench, "install", spokeId), 1);
  assert.is(await countOf(bench, "reset", spokeId), 0);
  const { namespace } = await bench.becomes(spokeId, "active");
  const late = (await bench.cluster.writes()).filter((write) =>
    write.changed && writerOf(write) === caught.id && namespaceOf(write) === namespace &&
    Date.parse(write.at) > claim.at
  );
  assert.equal(late, []);
}

async function countOf(bench: Bench, job: string, spokeId: string): Promise<number> {
  const { namespace } = (await queryRows(bench.db, "select namespace from spokes where id = $1", [spokeId]))[0];
  const made = (await bench.cluster.history("Job")).filter((each) =>
    each.type === "ADDED" && each.namespace === namespace && each.name.startsWith(`${job}-`)
  );
  return made.length;
}

async function operation(bench: Bench, id: string): Promise<{ state: string; attempt: number }> {
  return (await queryRows(bench.db, "select state, attempt from jobs where id = $1", [id]))[0];
}

async function beatOf(bench: Bench, { id }: Replica): Promise<Date> {
  return (await queryRows(bench.db, "select heartbeat_at from replicas where id = $1", [id]))[0].heartbeatAt;
}

async function beatsAgain(bench: Bench, replica: Replica): Promise<void> {
  const before = await beatOf(bench, replica);
  await until(async () => await beatOf(bench, replica) > before);
}

/** Waits until the old holder has logged that it lost this operation. */
async function letsGo({ holder, id, job }: CaughtCall): Promise<void> {
  await until(
    () =>
      holder.log().some(({ message, operation, replica }) =>
        replica === id && operation === job && message.startsWith("Released an operation")
      ),
  );
}

/** Returns a line for each row of the spoke and for each write in its namespace. */
async function everything({ db, cluster }: Bench, id: string): Promise<string[]> {
  const [spoke] = await queryRows(db, "select * from spokes where id = $1", [id]);
  const rows = [
    spoke,
    ...await queryRows(db, "select * from jobs where spoke_id = $1 order by seq", [id]),
    ...await queryRows(db, "select * from stream_events where spoke_id = $1 order by number", [id]),
    ...await queryRows(db, "select * from audit_events where object_id = $1 order by at", [id]),
  ];
  const writes = (await cluster.writes()).filter((write) => namespaceOf(write) === spoke.namespace && write.changed);
  return [...rows.map((row) => JSON.stringify(row)), ...writes.map((write) => JSON.stringify(write))];
}

test.run();
