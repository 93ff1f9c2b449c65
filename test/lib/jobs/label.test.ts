import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildHubLane, type NewJob } from "#lib/jobs/job.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { describeOperation, type OperationVisibilityCheck } from "#lib/jobs/operation.ts";
import { findJob, requestJobCancellation } from "#lib/jobs/store.ts";
import { action, type Hub, install, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("buildCurrentLabel");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const provision = OPERATIONS.provision.kind, suspend = OPERATIONS.suspend.kind, remove = OPERATIONS.remove.kind;
const setUp = (hub: Hub): NewJob => ({
  kind: OPERATIONS["provision-hub"].kind,
  lane: buildHubLane(hub.id),
  federationId: hub.id,
  spokeId: null,
});

async function view(scene: Scene, id: string, visible?: OperationVisibilityCheck) {
  return await describeOperation(scene.db.rows, (await findJob(scene.db.rows, id))!, visible);
}

async function run(scene: Scene, id: string): Promise<void> {
  await scene.db.sql("insert into replicas (id, release) values ('r', 'x') on conflict do nothing");
  await updateRows(scene.db, "jobs", { state: "running", holder: "r", startedAt: NOW, attempt: 1, label: "Running" }, {
    id,
  });
}

test("shows the label and step of the installation that it waits for", async ({ scene }) => {
  const hub = await scene.hub(2);
  const [first, second] = await scene.enqueue(install(provision, hub, 0), install(provision, hub, 1));
  await run(scene, first!.id);
  const { label, position, waitingFor, etaSeconds, nextAttemptAt } = await view(scene, second!.id);
  assert.equal([label, position, etaSeconds, nextAttemptAt], ["Waiting to start", 2, null, null]);
  const { startedAt } = await view(scene, first!.id);
  assert.equal([waitingFor!.id, waitingFor!.label, waitingFor!.step, waitingFor!.since], [
    first!.id,
    "Running",
    1,
    startedAt,
  ]);
});

test("waits for a running operation of the same spoke in another lane", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [first, second] = await scene.enqueue(install(provision, hub, 0), action(remove, hub, 0));
  await run(scene, first!.id);
  const { position, waitingFor } = await view(scene, second!.id);
  assert.equal([position, waitingFor!.id], [1, first!.id]);
});

test("waits for the hub's operation, even behind another installation", async ({ scene }) => {
  const hub = await scene.hub(2, "provisioning");
  const [own] = await scene.enqueue(setUp(hub));
  const [first, second] = await scene.enqueue(install(provision, hub, 0), install(provision, hub, 1));
  for (const each of [first!, second!]) {
    const { label, waitingFor } = await view(scene, each.id);
    assert.equal([label, waitingFor!.id, waitingFor!.kind], [
      "Waiting until the hub is set up",
      own!.id,
      "provision-hub",
    ]);
  }
  await run(scene, own!.id);
  assert.is((await view(scene, second!.id)).waitingFor!.label, "Running");
});

test("reports a failed setup of the hub until a user retries it", async ({ scene }) => {
  const hub = await scene.hub(1, "failed");
  const [own] = await scene.enqueue(setUp(hub));
  await scene.db.sql("update jobs set state = 'failed', started_at = now(), finished_at = now() where id = $1", [
    own!.id,
  ]);
  const [job] = await scene.enqueue(install(provision, hub, 0));
  const { label, position, waitingFor } = await view(scene, job!.id);
  assert.equal([label, position], ["Waiting until the hub's failed setup is retried", 1]);
  assert.is(waitingFor!.id, own!.id);
  const [again] = await scene.enqueue(setUp(hub));
  assert.is((await view(scene, job!.id)).waitingFor!.id, again!.id);
});

test("does not name the hub's operation to users who cannot see it", async ({ scene }) => {
  const hub = await scene.hub(1, "provisioning");
  await scene.enqueue(setUp(hub));
  const [job] = await scene.enqueue(install(provision, hub, 0));
  const { label, waitingFor } = await view(scene, job!.id, ({ spokeId }) => spokeId === hub.spokes[0]);
  assert.equal([label, waitingFor], ["Waiting until the hub is set up", null]);
});

test("an action does not wait for the hub", async ({ scene }) => {
  const hub = await scene.hub(1, "failed");
  const [job] = await scene.enqueue(action(suspend, hub, 0));
  const { label, waitingFor } = await view(scene, job!.id);
  assert.equal([label, waitingFor], ["Waiting to start", null]);
});

test("shows the time and reason of the next attempt", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [job] = await scene.enqueue(action(suspend, hub, 0));
  const at = new Date(Date.now() + 60_000);
  await scene.db.sql(
    `update jobs set attempt = 1, run_at = $2::timestamptz, label = 'Trying again: the cluster is away' where id = $1`,
    [job!.id, at.toISOString()],
  );
  const { label, nextAttemptAt } = await view(scene, job!.id);
  assert.equal(nextAttemptAt, at);
  const time = at.toISOString().slice(0, 19).replace("T", " ");
  assert.is(label, `Trying again at ${time} UTC: the cluster is away`);
});

test("does not show the time of an attempt that is due", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [job] = await scene.enqueue(action(suspend, hub, 0));
  await scene.db.sql(
    "update jobs set attempt = 1, run_at = now() - interval '1 second', label = 'Trying again: x' where id = $1",
    [job!.id],
  );
  const { label, nextAttemptAt } = await view(scene, job!.id);
  assert.equal([label, nextAttemptAt], ["Trying again: x", null]);
});

test("waits for a release that knows the plan, and blocks jobs behind it", async ({ scene }) => {
  const hub = await scene.hub(2);
  const [newer, behind] = await scene.enqueue(
    install({ ...provision, plan: 99 }, hub, 0),
    install(provision, hub, 1),
  );
  const { label } = await view(scene, newer!.id);
  assert.is(label, "Waiting for a newer release of this service that supports provision in version 99");
  const { waitingFor, position } = await view(scene, behind!.id);
  assert.equal([waitingFor!.id, position], [newer!.id, 2]);
});

test("shows no waiting reason for an operation that was cancelled while queued", async ({ scene }) => {
  const hub = await scene.hub(2);
  const [, second] = await scene.enqueue(install(provision, hub, 0), install(provision, hub, 1));
  await scene.db.transact((tx) => requestJobCancellation(tx, second!.id));
  const { state, label, position, waitingFor, etaSeconds, error } = await view(scene, second!.id);
  assert.equal([state, label, position, waitingFor, etaSeconds, error], [
    "cancelled",
    "Cancelled before it started",
    null,
    null,
    null,
    null,
  ]);
});

test.run();
