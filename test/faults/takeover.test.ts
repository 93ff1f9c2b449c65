/** Replicas are killed, stopped and revived in the middle of an install: nothing is lost, and nothing is done twice. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type FaultScene, openFaultScene } from "./replicas.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: FaultScene }>("takeover");
test.before.each(async (context) => void (context.scene = await openFaultScene(150)));
test.after.each(({ scene }) => scene.close());

test("a killed holder's install is gone on with by another, once", async ({ scene }) => {
  await Promise.all([scene.start("rep_a"), scene.start("rep_b")]);
  const hub = await scene.hub("math");
  const spokes = [await scene.spoke(hub, "algebra"), await scene.spoke(hub, "geometry")];
  const { job, holder } = await scene.caught(spokes[0]!, "install");
  holder.send("SIGKILL");
  for (const id of spokes) assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const [first] = await scene.operations(spokes[0]!);
  assert.equal([first!.id, first!.attempt], [job.id, 1]);
  assert.ok(BigInt(first!.fence) > BigInt(job.fence));
  await assertNothingDoubled(scene);
});

test("a stopped holder that is revived changes nothing any more", async ({ scene }) => {
  await Promise.all([scene.start("rep_a"), scene.start("rep_b")]);
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  const { holder } = await scene.caught(id, "install");
  holder.send("SIGSTOP");
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const writes = ownWrites(scene);
  const rows = await snapshot(scene);
  const [{ beat_at: before }] = await scene.db.sql("select beat_at from replicas where id = $1", [holder.id]);
  holder.send("SIGCONT");
  await until(() => holder.lines.find((line) => line.includes("no longer ours")), 60_000);
  await until(async () => {
    const [{ beat_at }] = await scene.db.sql("select beat_at from replicas where id = $1", [holder.id]);
    return beat_at > before;
  }, 60_000);
  assert.equal(ownWrites(scene), writes);
  assert.equal(await snapshot(scene), rows);
  await assertNothingDoubled(scene);
  // It is a replica as good as any other now.
  const [other] = ["rep_a", "rep_b"].filter((name) => name !== holder.id);
  await scene.db.sql("update replicas set beat_at = beat_at where id = $1", [other]);
  const next = await scene.spoke(hub, "geometry");
  assert.is((await scene.becomes(next, "active", "failed")).state, "active");
});

test("a replica that is told to stop gives its job back, and the attempt does not count", async ({ scene }) => {
  await Promise.all([scene.start("rep_a"), scene.start("rep_b")]);
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  const { holder } = await scene.caught(id, "database");
  holder.send("SIGTERM");
  await holder.ended;
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const [job] = await scene.operations(id);
  assert.is(job!.attempt, 1);
  await assertNothingDoubled(scene);
});

/** What was told, done and counted: once each. */
async function assertNothingDoubled(scene: FaultScene): Promise<void> {
  const numbers = await scene.db.sql("select number::int from stream_events order by number");
  assert.equal(numbers.map(({ number }) => number), numbers.map((_, i) => i + 1));
  const audits = await scene.db.sql(
    "select kind, object_id, count(*)::int from audit_events group by 1, 2 having count(*) > 1",
  );
  assert.equal(audits, []);
  const ends = await scene.db.sql(
    "select spoke_id from stream_events where type = 'SpokeUpdateActive' group by 1 having count(*) > 1",
  );
  assert.equal(ends, []);
  const installs = scene.simulator.objects("Job").filter(({ metadata }) => metadata.name.startsWith("install-"));
  const places = installs.map(({ metadata }) => metadata.namespace);
  assert.equal(places.length, new Set(places).size, "one install Job for each site");
  assert.is(scene.simulator.objects("Job").filter(({ metadata }) => metadata.name.startsWith("reset-")).length, 0);
}

function ownWrites(scene: FaultScene): number {
  return scene.simulator.writes().length;
}

async function snapshot(scene: FaultScene): Promise<unknown> {
  return [
    await scene.db.sql("select * from jobs where visible order by seq"),
    await scene.db.sql("select * from spokes order by id"),
    await scene.db.sql("select * from stream_events order by number"),
    await scene.db.sql("select * from audit_events order by at"),
  ];
}

test.run();
