import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/errors.ts";
import { requestAction } from "#lib/spokes/actions.ts";
import { requestActions } from "#lib/spokes/bulk.ts";
import { removeSpoke } from "#lib/spokes/remove.ts";
import { openStage, settle, type Stage } from "#test/lib/spokes/stage.ts";

const test = suite<{ stage: Stage }>("requestAction");
test.before(async (context) => {
  context.stage = await openStage();
});
test.after(({ stage }) => stage.close());

async function messageOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Fault) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "accepted";
}

test("moves an idle spoke at once, and writes audit, event and job", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const oak = await spoke(await hub("moves"), { slug: "oak" }, "active");
  const shown = await requestAction(app, operator, oak, { action: "suspend" });
  assert.equal([shown.state, shown.operation!.kind, shown.operation!.step], ["suspending", "suspend", 0]);
  const [job] = await db.sql("select * from jobs where spoke_id = $1 and state = 'queued'", [oak.id]);
  assert.equal([job.kind, job.lane], ["suspend", `spoke:${oak.id}`]);
  const [audit] = await db.sql("select * from audit_events where spoke_id = $1 and kind = 'spoke_actioned'", [oak.id]);
  assert.equal([audit.metadata.action, audit.metadata.operationId], ["suspend", job.id]);
  const [event] = await db.sql("select * from stream_events where spoke_id = $1 order by number desc", [oak.id]);
  assert.equal([event.type, event.data.operation.id], ["SpokeUpdateSuspending", job.id]);
});

test("queues resume behind suspend, and says nothing until it starts", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const oak = await spoke(await hub("behind"), { slug: "oak" }, "active");
  await requestAction(app, operator, oak, { action: "suspend" });
  const [{ before }] = await db.sql("select count(*)::int as before from stream_events where spoke_id = $1", [oak.id]);
  const shown = await requestAction(app, operator, oak, { action: "resume" });
  const [{ after }] = await db.sql("select count(*)::int as after from stream_events where spoke_id = $1", [oak.id]);
  assert.equal([shown.state, shown.operation!.kind, after - before], ["suspending", "suspend", 0]);
  const jobs = await db.sql("select kind from jobs where spoke_id = $1 and state = 'queued' order by seq", [oak.id]);
  assert.equal(jobs.map((job) => job.kind), ["suspend", "resume"]);
});

test("provisions a failed spoke again, in its hub's lane", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const home = await hub("retry");
  const oak = await spoke(home, { slug: "oak" }, "failed");
  await db.sql("update spokes set state_reason = 'no disk' where id = $1", [oak.id]);
  const shown = await requestAction(app, operator, oak, { action: "retry" });
  assert.equal([shown.state, shown.stateReason, shown.operation!.kind], ["provisioning", null, "provision"]);
  const [job] = await db.sql("select lane from jobs where spoke_id = $1 and state = 'queued'", [oak.id]);
  assert.is(job.lane, `federation:${home.id}`);
});

test("refuses with the states that allow it, and writes nothing", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const oak = await spoke(await hub("refuses"), { slug: "oak" });
  const message = await messageOf(requestAction(app, operator, oak, { action: "suspend" }));
  assert.is(message, "spoke_state: Cannot suspend a spoke that is provisioning; wait until it is active");
  const [{ count }] = await db.sql("select count(*)::int from jobs where spoke_id = $1", [oak.id]);
  assert.is(count, 1);
});

test("lets one of many concurrent callers suspend", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const oak = await spoke(await hub("rush"), { slug: "oak" }, "active");
  const all = await Promise.all(
    Array.from({ length: 6 }, () => messageOf(requestAction(app, operator, oak, { action: "suspend" }))),
  );
  assert.is(all.filter((outcome) => outcome === "accepted").length, 1);
  const [{ count }] = await db.sql("select count(*)::int from jobs where spoke_id = $1 and kind = 'suspend'", [oak.id]);
  assert.is(count, 1);
});

test("leaves a spoke that is being removed with the removal alone, whoever comes first", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const home = await hub("contest");
  for (let i = 0; i < 5; i++) {
    const oak = await spoke(home, { slug: `oak-${i}` }, "active");
    const [action, removal] = await Promise.all([
      messageOf(requestAction(app, operator, oak, { action: "restart" })),
      messageOf(removeSpoke(app, operator, oak)),
    ]);
    assert.is(removal, "accepted");
    assert.match(action, /^accepted$|that is removing/);
    const live = await db.sql("select kind from jobs where spoke_id = $1 and state = 'queued'", [oak.id]);
    assert.equal(live.map((job) => job.kind), ["remove"]);
    const [row] = await db.sql("select state from spokes where id = $1", [oak.id]);
    assert.is(row.state, "removing");
  }
});

test("in bulk gives one outcome for each distinct visible id, in order", async ({ stage }) => {
  const { app, db, person, hub, spoke } = stage;
  const home = await hub("bulk"), foreign = await hub("bulk-foreign");
  const admin = await person({ role: "hub_admin", federationIds: [home.id] });
  const fine = await spoke(home, { slug: "fine" }, "active");
  const busy = await spoke(home, { slug: "busy" });
  const gone = await spoke(home, { slug: "gone" }, "removed");
  const other = await spoke(foreign, { slug: "other" }, "active");
  const ids = [busy.id, other.id, fine.id, "spk_nothing", "\u0000", busy.id, gone.id, fine.id];
  const outcomes = await requestActions(app, admin, { ids, action: "suspend" });
  assert.equal(outcomes.map(({ id, accepted }) => [id, accepted]), [[busy.id, false], [fine.id, true]]);
  assert.equal(outcomes[0]!.error, {
    statusCode: 409,
    message: "Cannot suspend a spoke that is provisioning; wait until it is active",
    error: "Conflict",
  });
  assert.equal([outcomes[1]!.spoke!.state, outcomes[1]!.spoke!.operation!.kind], ["suspending", "suspend"]);
  const [untouched] = await db.sql("select state from spokes where id = $1", [other.id]);
  assert.is(untouched.state, "active");
  assert.equal(await requestActions(app, admin, { ids: [other.id], action: "suspend" }), []);
});

test("in bulk is a spoke admin's for its own spokes", async ({ stage: { app, person, hub, spoke } }) => {
  const home = await hub("bulk-spoke");
  const own = await spoke(home, { slug: "own" }, "active"), next = await spoke(home, { slug: "next" }, "active");
  const admin = await person({ spokeIds: [own.id] });
  const outcomes = await requestActions(app, admin, { ids: [next.id, own.id], action: "restart" });
  assert.equal(outcomes.map(({ id, accepted }) => [id, accepted]), [[own.id, true]]);
});

test("finds no spoke that was removed since it was loaded", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const oak = await spoke(await hub("since"), { slug: "oak" }, "active");
  await settle(db, oak.id, "removed");
  assert.match(await messageOf(requestAction(app, operator, oak, { action: "suspend" })), "spoke_missing");
  assert.match(await messageOf(removeSpoke(app, operator, oak)), "spoke_missing");
});

test.run();
