import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestSpokeAction } from "#lib/domains/spokes/actions.ts";
import { removeSpoke } from "#lib/domains/spokes/remove.ts";
import { type DomainScene, openDomainScene } from "#test/lib/domains/spokes/domain-scene.ts";
import { deleteRows, insertRow, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ stage: DomainScene }>("removeSpoke");
test.before(async (context) => {
  context.stage = await openDomainScene();
});
test.after(({ stage }) => stage.close());

test("cancels the queued install and queues the removal in the spoke's lane", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const oak = await spoke(await hub("queued"), { slug: "oak" });
  const record = await removeSpoke(app, operator, oak);
  assert.equal([record.state, record.operation!.kind], ["removing", "remove"]);
  const jobs = await selectRows(db, "jobs", { spokeId: oak.id }, {
    columns: ["kind", "state", "lane"],
    orderBy: "seq",
  });
  assert.equal(jobs.map(({ kind, state }) => [kind, state]), [["provision", "cancelled"], ["remove", "queued"]]);
  assert.is(jobs[1]!.lane, `spoke:${oak.id}`);
  const audit = await selectRows(db, "audit_events", { spokeId: oak.id }, { columns: ["kind"], orderBy: "at" });
  assert.equal(audit.map(({ kind }) => kind), ["spoke_requested", "operation_cancelled", "spoke_removal_requested"]);
  const [event] = await db.sql("select type from stream_events where spoke_id = $1 order by number desc", [oak.id]);
  assert.is(event.type, "SpokeUpdateRemoving");
});

test("requests the cancellation of a running install, and shows the removal", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const oak = await spoke(await hub("running"), { slug: "oak" });
  await insertRow(db, "replicas", { id: "rep_test", release: "test" });
  await updateRows(db, "jobs", { state: "running", holder: "rep_test" }, { spokeId: oak.id });
  const record = await removeSpoke(app, operator, oak);
  const [install] = await selectRows(db, "jobs", { spokeId: oak.id, kind: "provision" });
  assert.is(install.state, "running");
  assert.ok(install.cancelRequestedAt);
  assert.is(record.operation!.kind, "remove");
  assert.is(record.operation!.waitingFor!.id, install.id);
  // The replica reports the cancellation when it has stopped.
  const audit = await selectRows(db, "audit_events", { spokeId: oak.id }, { columns: ["kind"], orderBy: "at" });
  assert.equal(audit.map(({ kind }) => kind), ["spoke_requested", "spoke_removal_requested"]);
});

test("returns the same operation for repeated and parallel requests", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const oak = await spoke(await hub("twice"), { slug: "oak" }, "active");
  const records = await Promise.all(Array.from({ length: 5 }, () => removeSpoke(app, operator, oak)));
  const again = await removeSpoke(app, operator, oak);
  assert.is(new Set([...records, again].map((each) => each.operation!.id)).size, 1);
  const audit = await db.sql(
    "select count(*)::int from audit_events where spoke_id = $1 and kind = 'spoke_removal_requested'",
    [oak.id],
  );
  assert.is(audit[0].count, 1);
});

test("retries immediately on a repeated request, but not continuously", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const oak = await spoke(await hub("hasty"), { slug: "oak" }, "active");
  const { id } = (await removeSpoke(app, operator, oak)).operation!;
  const waits = async (since: string) => {
    await db.sql(
      `update jobs set attempt = 3, run_at = wheelwright_now() + interval '10 minutes',
        updated_at = wheelwright_now() - $2::interval where id = $1`,
      [id, since],
    );
    const record = await removeSpoke(app, operator, oak);
    assert.equal([record.state, record.operation!.id], ["removing", id]);
    const [{ wait }] = await db.sql("select run_at > wheelwright_now() as wait from jobs where id = $1", [id]);
    return wait;
  };
  assert.is(await waits("2 minutes"), false);
  assert.is(await waits("10 seconds"), true);
});

test("enqueues a removal for a spoke that was adopted in the state removing", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const oak = await spoke(await hub("orphaned"), { slug: "oak" }, "active");
  const first = await removeSpoke(app, operator, oak);
  await deleteRows(db, "jobs", { id: first.operation!.id }); // as after an adoption
  const again = await removeSpoke(app, operator, oak);
  assert.equal([again.state, again.operation!.kind, again.operation!.state], ["removing", "remove", "queued"]);
  assert.is.not(again.operation!.id, first.operation!.id);
});

test("cancels every queued action", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const oak = await spoke(await hub("waiting"), { slug: "oak" }, "active");
  await requestSpokeAction(app, operator, oak, { action: "suspend" });
  await requestSpokeAction(app, operator, oak, { action: "resume" });
  await removeSpoke(app, operator, oak);
  const jobs = await db.sql(
    "select kind, state from jobs where spoke_id = $1 and kind <> 'provision' order by seq",
    [oak.id],
  );
  assert.equal(jobs.map(({ kind, state }) => `${kind} ${state}`), [
    "suspend cancelled",
    "resume cancelled",
    "remove queued",
  ]);
});

test.run();
