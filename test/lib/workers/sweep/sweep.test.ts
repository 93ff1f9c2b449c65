/** Tests checks of 60 spokes in a cluster without controllers: requests, results and writes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lookOnce, QUICK } from "./checks.ts";
import {
  alter,
  closeSweep,
  type Context,
  DEPLOYMENT,
  healthEvents,
  keep,
  openSweep,
  SPOKES,
  unready,
} from "./scene.ts";
import { SPOKE_LABEL } from "#lib/drivers/cluster/guard.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { rejection } from "#test/support/until.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<Context>("a check of the sweep");
test.before(openSweep);
test.after(closeSweep);

test("lists all kinds except Secrets in pages, and finds all spokes healthy without drift.", async (context) => {
  const { scene, between, app, standing } = context, from = between.requests.length;
  await lookOnce(app, { page: 50 });
  const requests = between.requests.slice(from);
  const lists = requests.filter(({ query }) => query.has("limit"));
  const objects = standing.world.store.everything().filter(({ metadata }) => metadata.labels?.[SPOKE_LABEL]);
  const kinds = Map.groupBy(objects, ({ kind }) => kind);
  const pages = [...kinds].reduce((sum, [kind, all]) => sum + (kind === "Secret" ? 0 : Math.ceil(all.length / 50)), 0);
  const byName = requests.filter(({ path }) => /\/secrets\/\w+$/.test(path));
  assert.equal([objects.length, kinds.size], [SPOKES * 30, 12]);
  assert.is(byName.length, QUICK.maxComparisons, "the maximum number of Secrets");
  const guards = requests.filter(({ path }) => /^\/api\/v1\/namespaces\/spoke-[^/]+$/.test(path));
  assert.is(requests.length - byName.length - guards.length, pages + 2, "identity, pods, and lists");
  assert.ok(lists.every(({ path, query }) => !path.includes("/namespaces/") && query.get("limit") === "50"));
  const rows = await selectRows(scene.db, "spokes", { cluster: "default" }, {
    columns: ["health", "drift", "failedChecks"],
  });
  assert.is(rows.length, SPOKES);
  for (const row of rows) assert.equal(row, { health: "healthy", drift: null, failedChecks: 0 });
  assert.equal(standing.writes(), [], "no dry run");
  await keep(context, 16); // the other tests need only 16
});

test("costs nothing where no spoke is active.", async ({ scene, between, app }) => {
  await updateRows(scene.db, "spokes", { state: "resuming" }, { state: "active" });
  const from = between.requests.length;
  await lookOnce(app);
  assert.is(between.requests.length, from);
  await updateRows(scene.db, "spokes", { state: "active" }, { state: "resuming" });
});

test("marks a spoke as degraded at the third failed check, and as healthy at the first success.", async (context) => {
  const { app, scene, standing } = context, id = standing.ids[0]!;
  const repair = await alter(context, id, DEPLOYMENT, unready);
  for (const health of ["healthy", "healthy", "degraded", "degraded"]) {
    const { observedAt: before } = await scene.row(id);
    await lookOnce(app);
    const row = await scene.row(id);
    assert.is(row.health, health);
    assert.ok(before === null || row.observedAt! > before);
  }
  const reason = "Deployment moodle has no available pod", slug = "s0";
  assert.equal(await healthEvents(context, id), [
    { slug, from: "healthy", to: "degraded", reason },
  ]);
  const [event] = await scene.db.sql(
    "select type, data from stream_events where spoke_id = $1 order by number desc limit 1",
    [id],
  );
  assert.equal([event!.type, event!.data.error], ["SpokeUpdateActive", reason]);
  repair();
  await lookOnce(app);
  assert.is((await scene.row(id)).health, "healthy");
  assert.equal((await healthEvents(context, id)).map(({ to }) => to), ["degraded", "healthy"]);
  assert.is((await scene.row(standing.ids[1]!)).health, "healthy", "and nobody else");
});

test("counts consecutive failed checks, and restarts after a success or an operation.", async (context) => {
  const { app, scene, standing } = context, id = standing.ids[2]!;
  const repair = await alter(context, id, DEPLOYMENT, unready);
  await lookOnce(app);
  await lookOnce(app);
  repair();
  await lookOnce(app);
  const again = await alter(context, id, DEPLOYMENT, unready);
  await lookOnce(app);
  await lookOnce(app);
  // Writes the row like an operation, with the same time for both columns.
  const saw = `with now as materialized (select wheelwright_now() as at)
    update spokes set updated_at = at, observed_at = at from now where id = $1`;
  await scene.db.sql(saw, [id]);
  await lookOnce(app);
  assert.equal(await scene.row(id).then(({ health, failedChecks }) => [health, failedChecks]), ["healthy", 1]);
  again();
  await lookOnce(app);
});

test("does not overwrite a row that an operation changed or locked.", async (context) => {
  const { app, scene, standing } = context, [, , , first, second, third] = standing.ids as [string, ...string[]];
  for (const id of [first, second, third]) {
    await alter(context, id!, ["v1", "PersistentVolumeClaim", "files"], null);
  }
  const statement = "update spokes set failed_checks = 2, observed_at = wheelwright_now() where id = any($1::text[])";
  await scene.db.sql(statement, [[first, second, third]]);
  const before = new Map(await Promise.all([first, second].map(async (id) => [id, await scene.row(id!)] as const)));
  let meanwhile = false;
  const write: JobRun["write"] = async (work) => {
    if (!meanwhile) {
      meanwhile = true;
      await scene.db.sql("update spokes set updated_at = wheelwright_now() + interval '1 ms' where id = $1", [first]);
    }
    return await app.db.transact(async (tx) => {
      // Another connection locks the second row.
      return await app.db.transact(async (holder) => {
        await holder.selectFrom("spokes").select("id").where("id", "=", second!).forUpdate().execute();
        return await work(tx);
      });
    });
  };
  await lookOnce(app, {}, write);
  for (const id of [first, second]) {
    const { health, observedAt, drift } = await scene.row(id!);
    assert.equal([health, observedAt, drift], ["healthy", before.get(id)!.observedAt, null]);
  }
  const { health, drift } = await scene.row(third!);
  assert.is(health, "degraded");
  assert.equal(drift, {
    objects: [{ object: "PersistentVolumeClaim/files", what: "missing", fields: [] }],
    revision: null,
  });
});

test("does not change a spoke that is no longer active.", async (context) => {
  const { app, scene, standing } = context, id = standing.ids[6]!;
  await alter(context, id, ["apps/v1", "StatefulSet", "db"], null);
  await updateRows(scene.db, "spokes", { state: "updating", failedChecks: 2 }, { id });
  const { observedAt } = await scene.row(id);
  await lookOnce(app);
  const row = await scene.row(id);
  assert.equal([row.health, row.failedChecks, row.observedAt, row.drift], ["healthy", 2, observedAt, null]);
});

test("changes nothing when the cluster stops answering in the middle of it.", async ({ app, scene, standing }) => {
  const before = await selectRows(scene.db, "spokes", {}, {
    columns: ["id", "observedAt", "health", "drift"],
    orderBy: "id",
  });
  const fault = standing.world.faults.answer(403, { path: "/persistentvolumeclaims" });
  assert.is((await rejection(lookOnce(app))).code, "Forbidden");
  standing.world.faults.remove(fault);
  assert.equal(
    await selectRows(scene.db, "spokes", {}, { columns: ["id", "observedAt", "health", "drift"], orderBy: "id" }),
    before,
  );
});

test("skips drift of kinds that it may not list.", async (context) => {
  const { app, scene, standing } = context, id = standing.ids[7]!;
  await alter(context, id, ["v1", "ConfigMap", "fpm-size"], null);
  await alter(context, id, ["v1", "Service", "db"], null);
  const fault = standing.world.faults.answer(403, { path: "/configmaps" });
  await lookOnce(app);
  standing.world.faults.remove(fault);
  const titles = async () => (await scene.row(id)).drift.objects.map(({ object }: Json) => object);
  assert.equal(await titles(), ["Service/db"]);
  await lookOnce(app);
  assert.equal(await titles(), ["ConfigMap/fpm-size", "Service/db"]);
});

test("limits the number of compared objects, and keeps earlier results of others.", async (context) => {
  const { app, scene, standing } = context, some = standing.ids.slice(10, 14);
  const verdicts = async () =>
    (await scene.db.sql("select drift from spokes where id = any($1::text[]) and drift is not null", [some])).length;
  const repairs = [];
  for (const id of some) repairs.push(await alter(context, id, ["v1", "Service", "db"], null));
  await lookOnce(app, { maxComparisons: 3 }); // some comparisons may be for drift of earlier tests
  assert.ok(await verdicts() <= 3);
  await lookOnce(app);
  assert.is(await verdicts(), 4);
  for (const repair of repairs) repair();
  await lookOnce(app);
  assert.is(await verdicts(), 0);
});

test("reads an unlisted object before it reports it as missing.", async (context) => {
  const { app, scene, standing } = context, id = standing.ids[8]!;
  const stripped = (object: Json): Json => ({ ...object, metadata: { ...object.metadata, labels: {} } });
  const repair = await alter(context, id, DEPLOYMENT, stripped);
  await updateRows(scene.db, "spokes", { failedChecks: 2 }, { id });
  await lookOnce(app);
  const { health, drift } = await scene.row(id);
  assert.is(health, "healthy");
  const [found] = drift.objects;
  assert.equal([found.object, found.what], ["Deployment/moodle", "changed"]);
  assert.ok(found.fields.includes("metadata.labels[app.kubernetes.io/managed-by]"), found.fields.join());
  repair();
});

test("restarts a list whose continue token has expired.", async ({ app, between, standing, scene }) => {
  const from = between.requests.length;
  const fault = standing.world.faults.answer(410, { path: "/networkpolicies?labelSelector", times: 2 });
  assert.is((await rejection(lookOnce(app, { page: 100 }))).code, "Expired", "the first page cannot expire");
  standing.world.faults.remove(fault);
  standing.world.faults.answer(410, { path: "continue", times: 1 });
  await lookOnce(app, { page: 100 });
  assert.ok(between.requests.length > from);
  assert.is((await scene.row(standing.ids[9]!)).drift, null);
});

test("reports another revision and missing objects, and compares no fields.", async (context) => {
  const { app, scene, standing } = context, id = standing.ids[14]!;
  await alter(context, id, ["v1", "Service", "moodle"], null);
  const changed = ({ metadata, ...rest }: Json): Json => ({ ...rest, metadata: { ...metadata, labels: {} }, data: {} }); // in no list
  await alter(context, id, ["v1", "ConfigMap", "fpm-size"], changed);
  await updateRows(scene.db, "spokes", { blueprintRevision: "before" }, { id });
  const writes = standing.writes().length;
  await lookOnce(app);
  assert.equal((await scene.row(id)).drift, {
    objects: [{ object: "Service/moodle", what: "missing", fields: [] }],
    revision: { from: "before", to: app.blueprint.revision },
  });
  assert.is(standing.writes().length, writes, "no dry run");
});

test("does not report spokes of another cluster with the same name as missing.", async ({ app, scene, standing }) => {
  const id = standing.ids[15]!;
  await updateRows(scene.db, "spokes", { clusterUid: "another", failedChecks: 2 }, { id });
  const { observedAt } = await scene.row(id);
  await lookOnce(app);
  assert.equal((await scene.row(id)).observedAt, observedAt);
});

test.run();
