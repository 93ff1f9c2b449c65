/** Removals that do not come to their end for days. */
import { OPERATIONS } from "#lib/operations/table.ts";
import { requireJobData } from "#lib/jobs/data.ts";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterProvider } from "#lib/app.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Job } from "#lib/jobs/job.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { enqueueSpokeRemoval, markSpokeAbandoned } from "#lib/domains/spokes/remove.ts";
import { DAY, HOUR } from "#lib/base/time.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { removalOutcomes } from "#lib/steps/outcomes.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; configured: boolean; close: () => Promise<void> }>("a stuck removal");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  context.configured = true;
  const open: ClusterProvider["open"] = async (name) => {
    if (context.configured) return await scene.app.clusters.open(name);
    throw new ClusterError("unknown_cluster", `The cluster "${name}" is no longer configured`, { transient: true });
  };
  // Steps that are over in a moment, so that a try fails as it would after an hour.
  const short = createHandlers({ ...scene.app, clusters: { ...scene.app.clusters, open } }).map((handler) =>
    handler.kind.kind !== "remove" ? handler : {
      ...handler,
      kind: {
        ...handler.kind,
        steps: handler.kind.steps.map((step) => step.name === "namespace" ? { ...step, timeout: 1500 } : step),
      },
    }
  );
  const scheduler = await openScheduler(scene.app, { handlers: short, lanes: 8, retry: { firstMs: 50, maxMs: 200 } });
  context.close = async () => {
    await scheduler.close();
    await scene.close();
  };
});
test.after(({ close }) => close());

test("is reported once a day, and ends when nothing blocks it.", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const { namespace } = await scene.becomes(id, "active", "failed");
  const stuck = scene.simulator.faults.stuckNamespace(namespace);
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  const audits = () =>
    selectRows(scene.db, "audit_events", { spokeId: id, kind: "spoke_action_failed" }, { columns: ["metadata"] });
  await until(async () => (await scene.operations(id))[0]!.failure !== null);
  assert.equal(await audits(), []);
  for (let day = 1; day <= 3; day++) {
    await scene.db.shiftClock(day * DAY + HOUR);
    await until(async () => (await audits()).length >= day);
  }
  const [job] = await scene.operations(id);
  const { attempt } = job!;
  await until(async () => (await scene.operations(id))[0]!.attempt >= attempt + 2);
  const messages = await audits();
  assert.is(messages.length, 3);
  for (const { metadata } of messages) {
    assert.equal([metadata.action, metadata.step, metadata.operationId], ["remove", "namespace", job!.id]);
    assert.match(metadata.message, new RegExp(`${namespace}.* held by the finalizer simulator/stuck$`));
  }
  assert.is((await scene.row(id)).state, "removing");
  const [{ events, tries }] = await scene.db.sql(
    `select (select count(*)::int from stream_events where data->'operation'->>'kind' = 'remove') as events,
      (select attempt from jobs where spoke_id = $1 and kind = 'remove') as tries`,
    [id],
  );
  assert.ok(events <= 6 * tries + 10, `${events} events of ${tries} tries`);
  scene.simulator.faults.remove(stuck);
  await scene.becomes(id, "removed");
  assert.equal((await scene.operations(id)).map(({ kind, state }) => `${kind} ${state}`), [
    "remove succeeded",
    "provision succeeded",
  ]);
  await scene.db.shiftClock(0);
});

test("is reported if its cluster is no longer configured.", async (context) => {
  const { scene } = context, id = await scene.spoke(await scene.hub("music"), "harmony");
  await scene.becomes(id, "active", "failed");
  context.configured = false;
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  await until(async () => (await scene.operations(id))[0]!.failure !== null);
  await scene.db.shiftClock(DAY + HOUR);
  const audits = await until(async () => {
    const [first] = await selectRows(scene.db, "audit_events", { spokeId: id, kind: "spoke_action_failed" }, {
      columns: ["metadata"],
    });
    return first?.metadata;
  }, 30_000);
  assert.equal([audits.step, audits.code], ["stop", "unknown_cluster"]);
  context.configured = true;
  await scene.becomes(id, "removed");
  await scene.db.shiftClock(0);
});

test("is reported once when abandoned.", async ({ scene }) => {
  const refusal = scene.simulator.faults.answer(403, { method: "DELETE", path: "/namespaces/" });
  const id = await scene.spoke(await scene.hub("art"), "drawing");
  await until(async () => (await scene.row(id)).namespaceUid);
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  await until(async () => (await scene.operations(id))[0]!.failure !== null);
  await scene.db.transact((tx) => markSpokeAbandoned(tx, scene.actor, id));
  scene.simulator.faults.remove(refusal);
  const row = await scene.row(id);
  assert.equal([row.state, row.health], ["removed", "unknown"]);
  assert.ok(row.removedAt && row.stateReason);
  const ended = requireJobData(OPERATIONS.remove.kind, await scene.ended(id, "remove"));
  // A removal that succeeds just after the spoke was abandoned reports nothing again.
  const outcome = await scene.db.transact((tx) => removalOutcomes.onSucceeded!(tx, ended));
  assert.equal(outcome, { state: "removed" });
  const kinds = await selectRows(scene.db, "audit_events", { spokeId: id }, {
    columns: ["kind", "metadata"],
    orderBy: "at",
  });
  assert.is(kinds.filter(({ kind }) => kind === "spoke_destroyed").length, 1);
  assert.is(kinds.find(({ kind }) => kind === "spoke_destroyed")!.metadata.abandoned, true);
  const types = await scene.db.sql("select type from stream_events where spoke_id = $1 order by number desc", [id]);
  assert.is(types[0].type, "SpokeUpdateRemoved");
});

test("is reported once when abandoned during an attempt.", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("law"), "torts");
  const { namespace } = await scene.becomes(id, "active");
  const stuck = scene.simulator.faults.stuckNamespace(namespace);
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  await until(async () => {
    const [{ failure, state, label }] = await scene.operations(id) as [Job];
    return failure !== null && state === "running" && label.includes("held by");
  }, 30_000);
  await scene.db.transact((tx) => markSpokeAbandoned(tx, scene.actor, id));
  assert.is((await scene.ended(id, "remove")).state, "cancelled");
  const audits = await selectRows(scene.db, "stream_events", { spokeId: id, type: "SpokeUpdateRemoved" }, {
    columns: ["data"],
  });
  assert.equal(audits.map(({ data }) => data.state), ["removed"]);
  scene.simulator.faults.remove(stuck);
});

test.run();
