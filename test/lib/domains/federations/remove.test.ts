import { suite } from "uvu";
import * as assert from "uvu/assert";
import { removeFederation } from "#lib/domains/federations/remove.ts";
import { findFederation, lockFederationShared } from "#lib/domains/federations/store.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import type { NewSpoke } from "#lib/domains/spokes/views.ts";
import { type DomainScene, openDomainScene } from "#test/lib/domains/spokes/domain-scene.ts";
import { insertSpoke } from "#test/support/insert-rows.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ stage: DomainScene }>("removeFederation");
test.before(async (context) => {
  context.stage = await openDomainScene();
});
test.after(({ stage }) => stage.close());

async function jobsOf({ db }: DomainScene, id: string): Promise<string[]> {
  const jobs = await db.sql("select kind, state from jobs where federation_id = $1 and spoke_id is null order by seq", [
    id,
  ]);
  return jobs.map(({ kind, state }) => `${kind} ${state}`);
}

test("queues the removal in the hub's lane, and sends the event", async ({ stage }) => {
  const { app, db, operator, hub } = stage;
  const empty = await hub("empty");
  const record = await removeFederation(app, operator, empty);
  assert.equal([record.state, record.operation!.kind, record.operation!.state], ["removing", "remove-hub", "queued"]);
  const [job] = await db.sql("select lane from jobs where id = $1", [record.operation!.id]);
  assert.is(job.lane, `federation:${empty.id}`);
  const [audit] = await db.sql("select * from audit_events where federation_id = $1 order by at desc", [empty.id]);
  assert.equal([audit.kind, audit.objectId, audit.metadata.operationId, audit.metadata.slug], [
    ...["federation_removal_requested", empty.id],
    ...[record.operation!.id, "empty"],
  ]);
  const [event] = await db.sql("select type from stream_events where federation_id = $1 order by number desc", [
    empty.id,
  ]);
  assert.is(event.type, "FederationUpdateRemoving");
});

test("cancels a queued provisioning, and requests the cancellation of a running one", async ({ stage }) => {
  const { app, db, operator, hub } = stage;
  const queued = await hub("queued", "provisioning"), running = await hub("running", "provisioning");
  const set = "update jobs set finished_at = null, state = ";
  await db.sql("insert into replicas (id, release) values ('rep_test', 'test')");
  await db.sql(`${set} 'queued' where federation_id = $1`, [queued.id]);
  await db.sql(`${set} 'running', holder = 'rep_test' where federation_id = $1`, [running.id]);
  const first = await removeFederation(app, operator, queued), second = await removeFederation(app, operator, running);
  assert.equal(await jobsOf(stage, queued.id), ["provision-hub cancelled", "remove-hub queued"]);
  assert.equal(await jobsOf(stage, running.id), ["provision-hub running", "remove-hub queued"]);
  assert.equal([first.operation!.kind, first.operation!.waitingFor], ["remove-hub", null]);
  assert.equal([second.operation!.kind, second.operation!.waitingFor!.kind], ["remove-hub", "provision-hub"]);
  const [{ asked }] = await db.sql(
    "select cancel_requested_at is not null as asked from jobs where federation_id = $1 and kind = 'provision-hub'",
    [running.id],
  );
  assert.ok(asked);
  const kinds = await db.sql("select kind from audit_events where federation_id = $1 order by at", [queued.id]);
  assert.equal(kinds.map(({ kind }) => kind), [
    "federation_created",
    "operation_cancelled",
    "federation_removal_requested",
  ]);
});

test("returns the same operation for repeated and parallel requests", async ({ stage }) => {
  const { app, operator, hub } = stage;
  const twice = await hub("twice");
  const records = await Promise.all(Array.from({ length: 6 }, () => removeFederation(app, operator, twice)));
  const again = await removeFederation(app, operator, twice);
  assert.is(new Set([...records, again].map((each) => each.operation!.id)).size, 1);
  assert.equal(await jobsOf(stage, twice.id), ["provision-hub succeeded", "remove-hub queued"]);
});

test("enqueues a removal for a hub that was adopted in the state removing", async ({ stage }) => {
  const { app, db, operator, hub } = stage;
  const stuck = await hub("stuck");
  const { operation } = await removeFederation(app, operator, stuck);
  await db.sql("delete from jobs where id = $1", [operation!.id]); // as after an adoption
  const again = await removeFederation(app, operator, stuck);
  assert.equal([again.state, again.operation!.state], ["removing", "queued"]);
  assert.is.not(again.operation!.id, operation!.id);
});

test("is rejected while the hub has spokes in any state except removed", async ({ stage }) => {
  const { app, db, operator, hub, spoke } = stage;
  const full = await hub("full");
  const oak = await spoke(full, { slug: "oak" }, "active"), elm = await spoke(full, { slug: "elm" });
  const refused = await rejection(removeFederation(app, operator, full));
  assert.is(refused.code, "federation_not_empty");
  assert.match(refused.message, "Cannot remove the hub full while it has 2 spokes");
  const remove = "update spokes set state = 'removed', removed_at = wheelwright_now() where id = $1";
  await db.sql(remove, [oak.id]);
  await db.sql("update spokes set state = 'removing' where id = $1", [elm.id]);
  assert.match((await rejection(removeFederation(app, operator, full))).message, "while it has a spoke");
  assert.is((await findFederation(db.rows, "full", "hidden"))!.state, "active");
  await db.sql(remove, [elm.id]);
  assert.is((await removeFederation(app, operator, full)).state, "removing");
});

test("lets only one of a parallel removal and spoke creation succeed", async ({ stage }) => {
  const { app, db, operator, hub } = stage;
  for (let round = 0; round < 4; round++) {
    const { id, slug } = await hub(`race-${round}`);
    const row = (await findFederation(db.rows, slug, "hidden"))!;
    const create = () => createSpoke(app, operator, row, { slug: "oak" } as NewSpoke, null);
    const remove = () => removeFederation(app, operator, row);
    const both = round % 2 ? [remove(), create()] : [create(), remove()];
    const failures = (await Promise.allSettled(both)).flatMap((each) =>
      each.status === "rejected" ? [each.reason.code] : []
    );
    const [{ spokes }] = await db.sql("select count(*)::int as spokes from spokes where federation_id = $1", [id]);
    const { state } = (await findFederation(db.rows, slug, "hidden"))!;
    const expected = spokes === 1 ? ["federation_not_empty", "active"] : ["federation_state", "removing"];
    assert.equal([...failures, state], expected);
  }
});

test("reports a missing hub if it was removed after it was loaded", async ({ stage }) => {
  const { app, db, operator, hub } = stage;
  const gone = await hub("gone");
  await db.sql("update federations set state = 'removed', removed_at = wheelwright_now() where id = $1", [gone.id]);
  assert.is((await rejection(removeFederation(app, operator, gone))).code, "federation_missing");
});

test("waits for a spoke that is being added", async ({ stage }) => {
  const { app, db, operator, hub } = stage;
  const late = await hub("late");
  let removal: Promise<Error & { code?: string }> | undefined;
  await db.transact(async (tx) => {
    await lockFederationShared(tx, late.id);
    removal = rejection(removeFederation(app, operator, late));
    await Promise.race([untilSomebodyWaits(stage), removal]);
    await insertSpoke({ ...db, rows: tx }, operator.userId, late.id);
  });
  assert.is((await removal!).code, "federation_not_empty");
});

test.run();

async function untilSomebodyWaits({ db }: DomainScene): Promise<void> {
  await until(async () => {
    const [{ count }] = await db.sql(
      "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return count > 0;
  });
}
