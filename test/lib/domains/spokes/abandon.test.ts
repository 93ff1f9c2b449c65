import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/base/errors.ts";
import { abandonSpoke, removeSpoke } from "#lib/domains/spokes/remove.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { rejection } from "#test/support/until.ts";
import { type DomainScene, openDomainScene } from "./domain-scene.ts";
import { insertRow, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ stage: DomainScene }>("abandonSpoke");
test.before(async (context) => void (context.stage = await openDomainScene()));
test.after(({ stage }) => stage.close());

const FAILURE = { step: "namespace", code: "another_cluster", fault: "operator", message: "no", hint: null };

/** Creates a spoke that is being removed. Returns it with the ID of the operation. */
async function going({ app, operator, hub, spoke }: DomainScene, slug: string): Promise<[SpokeRow, string]> {
  const row = await spoke(await hub(slug), { slug }, "active");
  return [row, (await removeSpoke(app, operator, row)).operation!.id];
}

async function failed({ db }: DomainScene, id: string): Promise<void> {
  await db.sql("update jobs set attempt = 1, failure = $2 where id = $1", [
    id,
    JSON.stringify({ ...FAILURE, log: [], events: [] }),
  ]);
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await rejection(promise);
  assert.instance(error, Fault);
  return `${(error as Fault).kind} ${error.code}`;
}

test("marks the spoke as removed immediately, with audit and stream events", async ({ stage }) => {
  const { app, db, operator } = stage;
  const [row, id] = await going(stage, "gone");
  await failed(stage, id);
  await updateRows(db, "jobs", { progress: '{"snapshots": [{"claim": "files"}]}' }, { id });
  const record = await abandonSpoke(app, operator, row);
  assert.equal([record.state, record.health, record.operation], ["removed", "unknown", null]);
  assert.match(record.stateReason!, /^Abandoned by an operator/);
  const [job] = await selectRows(db, "jobs", { id }, { columns: ["state"] });
  assert.is(job.state, "cancelled");
  const audit = await db.sql(
    "select kind, actor_id, metadata from audit_events where spoke_id = $1 order by at desc limit 2",
    [row.id],
  );
  assert.equal(audit.map(({ kind }) => kind), ["spoke_destroyed", "operation_cancelled"]);
  const { abandoned, namespace, cluster, snapshots } = audit[0].metadata;
  assert.equal([abandoned, namespace, cluster, snapshots, audit[0].actorId], [
    ...[true, row.namespace, row.cluster, [{ claim: "files" }]],
    operator.userId,
  ]);
  const events = await selectRows(db, "stream_events", { spokeId: row.id }, {
    columns: ["type", "data"],
    orderBy: "number",
  });
  const last = events.at(-1)!;
  assert.equal([last.type, last.data.state, last.data.operation.id], ["SpokeUpdateRemoved", "removed", id]);
  assert.is(events.filter(({ type }) => type === "SpokeUpdateRemoved").length, 1);
});

test("is limited to operators", async ({ stage }) => {
  const [row, id] = await going(stage, "reserved");
  await failed(stage, id);
  const admin = await stage.person({ role: "hub_admin", federationIds: [row.federationId] });
  assert.is(await codeOf(abandonSpoke(stage.app, admin, row)), "forbidden operator_only");
});

test("is rejected before a removal is requested or has failed, and after it is finished", async ({ stage }) => {
  const { app, operator, hub, spoke } = stage;
  const live = await spoke(await hub("live"), { slug: "live" }, "active");
  assert.is(await codeOf(abandonSpoke(app, operator, live)), "conflict spoke_state");
  const [row, id] = await going(stage, "early");
  assert.is(await codeOf(abandonSpoke(app, operator, row)), "conflict spoke_state");
  await failed(stage, id);
  await abandonSpoke(app, operator, row);
  assert.is(await codeOf(abandonSpoke(app, operator, row)), "missing spoke_missing");
});

test("ends a running removal, and rejects the second of two callers", async ({ stage }) => {
  const { app, db, operator } = stage;
  const [row, id] = await going(stage, "running");
  await failed(stage, id);
  await insertRow(db, "replicas", { id: "rep_test", release: "test" });
  await updateRows(db, "jobs", { state: "running", holder: "rep_test" }, { id });
  const both = await Promise.allSettled([1, 2].map(() => abandonSpoke(app, operator, row)));
  assert.equal(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const [job] = await selectRows(db, "jobs", { id }, { columns: ["state", "holder"] });
  assert.equal(job, { state: "cancelled", holder: null });
  const audit = await selectRows(db, "audit_events", { spokeId: row.id, kind: "spoke_destroyed" }, {
    columns: ["kind"],
  });
  assert.is(audit.length, 1);
});

test.run();
