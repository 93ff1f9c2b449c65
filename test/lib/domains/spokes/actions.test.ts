import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/base/errors.ts";
import { requestSpokeAction } from "#lib/domains/spokes/actions.ts";
import { removeSpoke } from "#lib/domains/spokes/remove.ts";
import { type DomainScene, finishOperations, openDomainScene } from "#test/lib/domains/spokes/domain-scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ stage: DomainScene }>("requestAction");
test.before(async (context) => {
  context.stage = await openDomainScene();
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

test("changes the state of an idle spoke immediately, and writes audit event, stream event and job", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const oak = await spoke(await hub("moves"), { slug: "oak" }, "active");
  const record = await requestSpokeAction(app, operator, oak, { action: "suspend" });
  assert.equal([record.state, record.operation!.kind, record.operation!.step], ["suspending", "suspend", 0]);
  const [job] = await selectRows(db, "jobs", { spokeId: oak.id, state: "queued" });
  assert.equal([job.kind, job.lane], ["suspend", `spoke:${oak.id}`]);
  const [audit] = await selectRows(db, "audit_events", { spokeId: oak.id, kind: "spoke_actioned" });
  assert.equal([audit.metadata.action, audit.metadata.operationId], ["suspend", job.id]);
  const [event] = await db.sql("select * from stream_events where spoke_id = $1 order by number desc", [oak.id]);
  assert.equal([event.type, event.data.operation.id], ["SpokeUpdateSuspending", job.id]);
});

test("queues resume behind suspend, and sends no event until it starts", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const oak = await spoke(await hub("behind"), { slug: "oak" }, "active");
  await requestSpokeAction(app, operator, oak, { action: "suspend" });
  const [{ before }] = await db.sql("select count(*)::int as before from stream_events where spoke_id = $1", [oak.id]);
  const record = await requestSpokeAction(app, operator, oak, { action: "resume" });
  const [{ after }] = await db.sql("select count(*)::int as after from stream_events where spoke_id = $1", [oak.id]);
  assert.equal([record.state, record.operation!.kind, after - before], ["suspending", "suspend", 0]);
  const jobs = await selectRows(db, "jobs", { spokeId: oak.id, state: "queued" }, {
    columns: ["kind"],
    orderBy: "seq",
  });
  assert.equal(jobs.map((job) => job.kind), ["suspend", "resume"]);
});

test("provisions a failed spoke again, in its hub's lane", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const home = await hub("retry");
  const oak = await spoke(home, { slug: "oak" }, "failed");
  await updateRows(db, "spokes", { stateReason: "no disk" }, { id: oak.id });
  const record = await requestSpokeAction(app, operator, oak, { action: "retry" });
  assert.equal([record.state, record.stateReason, record.operation!.kind], ["provisioning", null, "provision"]);
  const [job] = await selectRows(db, "jobs", { spokeId: oak.id, state: "queued" }, { columns: ["lane"] });
  assert.is(job.lane, `federation:${home.id}`);
});

test("rejects an action with the states that allow it, and writes nothing", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const oak = await spoke(await hub("refuses"), { slug: "oak" });
  const message = await messageOf(requestSpokeAction(app, operator, oak, { action: "suspend" }));
  assert.is(message, "spoke_state: Cannot suspend a spoke that is provisioning; wait until it is active");
  const [{ count }] = await db.sql("select count(*)::int from jobs where spoke_id = $1", [oak.id]);
  assert.is(count, 1);
});

test("lets only one of many parallel callers suspend", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const oak = await spoke(await hub("rush"), { slug: "oak" }, "active");
  const all = await Promise.all(
    Array.from({ length: 6 }, () => messageOf(requestSpokeAction(app, operator, oak, { action: "suspend" }))),
  );
  assert.is(all.filter((outcome) => outcome === "accepted").length, 1);
  const [{ count }] = await db.sql("select count(*)::int from jobs where spoke_id = $1 and kind = 'suspend'", [oak.id]);
  assert.is(count, 1);
});

test("runs only the removal on a spoke that is being removed, in any order of requests", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const home = await hub("contest");
  for (let i = 0; i < 5; i++) {
    const oak = await spoke(home, { slug: `oak-${i}` }, "active");
    const [action, removal] = await Promise.all([
      messageOf(requestSpokeAction(app, operator, oak, { action: "restart" })),
      messageOf(removeSpoke(app, operator, oak)),
    ]);
    assert.is(removal, "accepted");
    assert.match(action, /^accepted$|that is removing/);
    const live = await selectRows(db, "jobs", { spokeId: oak.id, state: "queued" }, { columns: ["kind"] });
    assert.equal(live.map((job) => job.kind), ["remove"]);
    const [row] = await selectRows(db, "spokes", { id: oak.id }, { columns: ["state"] });
    assert.is(row.state, "removing");
  }
});

test("stores the parameters in the job and the audit event, and resolves them when the job runs", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const oak = await spoke(await hub("sized"), { slug: "oak", size: "small" }, "active");
  const record = await requestSpokeAction(app, operator, oak, {
    action: "upgrade",
    lmsVersion: "5.2",
    skipBackup: true,
  });
  assert.equal([record.state, record.lmsVersion, record.operation!.kind], ["updating", oak.lmsVersion, "upgrade"]);
  const [job] = await selectRows(db, "jobs", { spokeId: oak.id, state: "queued" }, {
    columns: ["kind", "payload", "lane"],
  });
  assert.equal(job, { kind: "upgrade", payload: { lmsVersion: "5.2", skipBackup: true }, lane: `spoke:${oak.id}` });
  const [audit] = await selectRows(db, "audit_events", { spokeId: oak.id, kind: "spoke_actioned" }, {
    columns: ["metadata"],
  });
  const { action, lmsVersion, skipBackup, size } = audit.metadata;
  assert.equal([action, lmsVersion, skipBackup, size], ["upgrade", "5.2", true, undefined]);
  const [row] = await selectRows(db, "spokes", { id: oak.id }, { columns: ["lmsVersion", "size"] });
  assert.equal(row, { lmsVersion: oak.lmsVersion, size: "small" });
});

test("sends no event for an action without a state change until it starts", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const oak = await spoke(await hub("task"), { slug: "oak" }, "active");
  const count = async () => (await selectRows(db, "stream_events", { spokeId: oak.id })).length;
  const before = await count();
  for (const action of ["backup", "purge-caches", "run-cron", "reset-admin-password"] as const) {
    const record = await requestSpokeAction(app, operator, oak, { action });
    assert.equal([record.state, record.operation!.kind], ["active", "backup"], action);
  }
  assert.is(await count(), before);
  const audits = await selectRows(db, "audit_events", { spokeId: oak.id, kind: "spoke_actioned" });
  assert.is(audits.length, 4);
});

test("creates one operation from two parallel upgrades", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const oak = await spoke(await hub("twice"), { slug: "oak" }, "active");
  const ask = (lmsVersion: string) =>
    messageOf(requestSpokeAction(app, operator, oak, { action: "upgrade", lmsVersion }));
  const all = await Promise.all([ask("5.2.2"), ask("5.2"), ask("5.2.2")]);
  assert.equal(all.toSorted().map((outcome) => outcome.slice(0, 11)), ["accepted", "spoke_state", "spoke_state"]);
  assert.match(all.find((outcome) => outcome !== "accepted")!, "this is already requested");
  const [{ count }] = await db.sql("select count(*)::int from jobs where spoke_id = $1 and kind = 'upgrade'", [oak.id]);
  assert.is(count, 1);
});

test("checks size and maintenance against the state after the queued operations", async ({ stage }) => {
  const { app, operator, hub, spoke } = stage;
  const oak = await spoke(await hub("queued"), { slug: "oak", size: "small" }, "active");
  const ask = (asked: Parameters<typeof requestSpokeAction>[3]) =>
    messageOf(requestSpokeAction(app, operator, oak, asked));
  assert.is(
    await ask({ action: "resize", size: "small" }),
    "size_unchanged: Cannot resize to small: the spoke already has this size",
  );
  assert.is(await ask({ action: "resize", size: "large" }), "accepted");
  assert.is(await ask({ action: "restart" }), "accepted");
  assert.match(await ask({ action: "resize", size: "large" }), "size_unchanged");
  assert.is(await ask({ action: "resize", size: "small" }), "accepted");
  assert.is(await ask({ action: "maintenance-on" }), "accepted");
  assert.match(await ask({ action: "run-cron" }), "in maintenance mode; turn maintenance mode off first");
  assert.is(await ask({ action: "maintenance-off" }), "accepted");
  assert.is(await ask({ action: "run-cron" }), "accepted");
});

test("retries a failed upgrade with its parameters, whatever else failed", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const oak = await spoke(await hub("again"), { slug: "oak" }, "active");
  const fail = () => updateRows(db, "jobs", { state: "failed", finishedAt: NOW }, { spokeId: oak.id, state: "queued" });
  await requestSpokeAction(app, operator, oak, { action: "upgrade", lmsVersion: "5.2.2", skipBackup: true });
  await fail();
  await updateRows(db, "spokes", { state: "failed" }, { id: oak.id });
  await requestSpokeAction(app, operator, oak, { action: "reapply" });
  await fail();
  await updateRows(db, "spokes", { state: "failed" }, { id: oak.id });
  const record = await requestSpokeAction(app, operator, oak, { action: "retry" });
  assert.equal([record.state, record.operation!.kind], ["updating", "upgrade"]);
  const [job] = await selectRows(db, "jobs", { spokeId: oak.id, state: "queued" }, { columns: ["payload"] });
  assert.equal(job.payload, { lmsVersion: "5.2.2", skipBackup: true });
});

test("lets only operators reapply the blueprint", async ({ stage: { app, operator, person, hub, spoke } }) => {
  const home = await hub("reapply"), oak = await spoke(home, { slug: "oak" }, "active");
  const admin = await person({ role: "hub_admin", federationIds: [home.id] });
  assert.match(await messageOf(requestSpokeAction(app, admin, oak, { action: "reapply" })), /^operator_only/);
  assert.is(await messageOf(requestSpokeAction(app, operator, oak, { action: "reapply" })), "accepted");
});

test("reports a missing spoke if it was removed after it was loaded", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const oak = await spoke(await hub("since"), { slug: "oak" }, "active");
  await finishOperations(db, oak.id, "removed");
  assert.match(await messageOf(requestSpokeAction(app, operator, oak, { action: "suspend" })), "spoke_missing");
  assert.match(await messageOf(removeSpoke(app, operator, oak)), "spoke_missing");
});

test.run();
