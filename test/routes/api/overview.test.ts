import { suite } from "uvu";
import * as assert from "uvu/assert";
import { countRestoreTests } from "#lib/domains/backups/restore-test-store.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { insertRow, NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; south: string }>("GET /api/overview");
test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  context.south = (await scene.as("operator").post("/api/federations", { slug: "south" })).body.id;
  for (const slug of ["ash", "yew"]) await scene.as("operator").post("/api/federations/south/spokes", { slug });
  await scene.as("operator").post("/api/federations/north/spokes", { slug: "elm" });
});
test.after.each(({ scene }) => scene.close());

const NONE = {
  provisioning: 0,
  active: 0,
  failed: 0,
  suspending: 0,
  suspended: 0,
  resuming: 0,
  updating: 0,
  removing: 0,
};

const WELL = { degraded: 0, unverified: 0, oldestVerifiedAt: null };

async function look(scene: Scene, who: SceneRole, query = "") {
  const { status, body } = await scene.as(who, "readonly").get(`/api/overview${query}`);
  assert.is(status, 200);
  const { oldestWaitSeconds: _, ...queue } = body.queue, { templates: __, outdated: ___, ...rest } = body;
  return { ...rest, queue };
}

test("shows everything to an operator, newest hub first, with zero for empty states", async ({ scene, south }) => {
  assert.equal(await look(scene, "operator"), {
    spokes: { total: 4, byState: { ...NONE, provisioning: 3, active: 1 }, ...WELL },
    hubs: [
      { federationId: south, total: 2, byState: { ...NONE, provisioning: 2 }, ...WELL },
      { federationId: scene.hub, total: 2, byState: { ...NONE, provisioning: 1, active: 1 }, ...WELL },
    ],
    queue: { queued: 4, running: 0 },
  });
});

test("counts spokes with manifests of another revision, up to a thousand", async ({ scene, south }) => {
  const outdated = async (who: SceneRole, query = "") =>
    (await scene.as(who, "readonly").get(`/api/overview${query}`)).body.outdated;
  await updateRows(scene.db, "spokes", { blueprintRevision: scene.app.blueprint.revision }, {});
  for (const who of ["operator", "hubAdmin", "spokeAdmin"] as const) {
    assert.equal(await outdated(who), { spokes: 0, more: false }, who);
  }
  await updateRows(scene.db, "spokes", { blueprintRevision: "0" }, { slug: "oak" });
  await updateRows(scene.db, "spokes", { blueprintRevision: "zzz" }, { slug: "elm" });
  await updateRows(scene.db, "spokes", { blueprintRevision: "zzz" }, { slug: "ash" });
  assert.equal([(await outdated("operator")).spokes, (await outdated("operator", "?federationId=south")).spokes], [
    3,
    1,
  ]);
  assert.equal([(await outdated("hubAdmin")).spokes, (await outdated("spokeAdmin")).spokes], [2, 1]);
  await scene.db.sql(
    `insert into live_spokes (spoke_id, federation_id, slug, state, health, created_at, blueprint_revision)
    select 'spk_' || n, $1, 'n', 'active', 'healthy', now(), 'zzz' from generate_series(4, 1000) as n`,
    [south],
  );
  assert.equal(await outdated("operator"), { spokes: 1000, more: false });
  await scene.db.sql("update live_spokes set blueprint_revision = 'zzz' where slug = 'yew'");
  assert.equal(await outdated("operator"), { spokes: 1000, more: true });
  assert.equal(await outdated("operator", "?federationId=south"), { spokes: 999, more: false });
});

test("lists only the given hubs, and counts all spokes", async ({ scene, south }) => {
  for (const [hubs, listed] of [[south, [south]], [`${scene.hub},${south}`, [south, scene.hub]], ["", []]] as const) {
    const whole = await look(scene, "operator"), some = await look(scene, "operator", `?hubs=${hubs}`);
    assert.equal([some.spokes, some.queue], [whole.spokes, whole.queue]);
    assert.equal(
      some.hubs,
      whole.hubs.filter(({ federationId }: { federationId: string }) => listed.some((id) => id === federationId)),
    );
    assert.is(some.hubs.length, listed.length);
  }
  assert.equal((await look(scene, "hubAdmin", `?hubs=${south}`)).hubs, [], "nobody sees a foreign hub's numbers");
});

test("shows a hub admin their hub, with the hub's operations", async ({ scene }) => {
  const north = { total: 2, byState: { ...NONE, provisioning: 1, active: 1 }, ...WELL };
  assert.equal(await look(scene, "hubAdmin"), {
    spokes: north,
    hubs: [{ federationId: scene.hub, ...north }],
    queue: { queued: 1, running: 0 },
  });
});

test("shows a spoke admin their spokes and their operations", async ({ scene }) => {
  const oak = { total: 1, byState: { ...NONE, active: 1 }, ...WELL };
  const before = { spokes: oak, hubs: [{ federationId: scene.hub, ...oak }], queue: { queued: 0, running: 0 } };
  assert.equal(await look(scene, "spokeAdmin"), before);
  await scene.as("spokeAdmin").post(`/api/spokes/${scene.spoke}/actions`, { action: "backup" });
  assert.equal(await look(scene, "spokeAdmin"), { ...before, queue: { queued: 1, running: 0 } });
});

test("is empty for a stranger, and 401 without credentials", async ({ scene }) => {
  const nothing = { spokes: { total: 0, byState: NONE, ...WELL }, hubs: [], queue: { queued: 0, running: 0 } };
  assert.equal(await look(scene, "stranger"), nothing);
  assert.is((await scene.as("nobody").get("/api/overview")).status, 401);
});

test("combines hub and spoke memberships", async ({ scene, south }) => {
  const [ash] = await selectRows(scene.db, "spokes", { slug: "ash" }, { columns: ["id"] });
  await scene.db.sql("insert into spoke_members values ($1, $2)", [ash.id, scene.people.hubAdmin.id]);
  const { spokes, hubs, queue } = await look(scene, "hubAdmin");
  assert.equal([spokes.total, queue.queued], [3, 2]);
  assert.equal(hubs.map((hub: Record<string, unknown>) => [hub.federationId, hub.total]), [[south, 1], [scene.hub, 2]]);
});

test("filters by a hub's ID or slug", async ({ scene, south }) => {
  for (const name of [south, "south"]) {
    const { spokes, hubs, queue } = await look(scene, "operator", `?federationId=${name}`);
    assert.equal([spokes.total, hubs.length, hubs[0].federationId, queue.queued], [2, 1, south, 3]);
  }
  assert.equal((await look(scene, "spokeAdmin", "?federationId=north")).spokes.total, 1);
});

test("is 404 for a hub that the caller cannot see, as for a missing one", async ({ scene, south }) => {
  const ask = async (who: SceneRole, name: string) => {
    const { status, body } = await scene.as(who).get(`/api/overview?federationId=${name}`);
    return [status, body.code, body.message];
  };
  const missing = [404, "federation_missing", "There is no such hub, or you have no access to it"];
  for (const who of ["hubAdmin", "spokeAdmin", "stranger"] as const) assert.equal(await ask(who, south), missing, who);
  assert.equal(await ask("operator", "nowhere"), missing);
  await updateRows(scene.db, "federations", { state: "removed", removedAt: NOW }, { id: south });
  assert.equal(await ask("operator", south), missing);
});

test("counts nothing that is removed", async ({ scene }) => {
  await scene.db.sql("update spokes set state = 'removed', removed_at = wheelwright_now() where slug <> 'oak'");
  const { spokes, hubs } = await look(scene, "operator");
  assert.equal([spokes.total, spokes.byState, hubs.length], [1, { ...NONE, active: 1 }, 2]);
  await updateRows(scene.db, "federations", { state: "removed", removedAt: NOW }, { slug: "south" });
  assert.equal((await look(scene, "operator")).hubs.map((hub: { total: number }) => hub.total), [1]);
});

test("counts active, unhealthy spokes as degraded", async ({ scene }) => {
  await updateRows(scene.db, "spokes", { health: "degraded" }, { slug: ["oak", "elm"] });
  const { spokes, hubs } = await look(scene, "operator");
  assert.equal([spokes.degraded, ...hubs.map((hub: { degraded: number }) => hub.degraded)], [1, 0, 1]);
});

test("shows the oldest last restore test of active spokes, and counts failing ones", async ({ scene }) => {
  await updateRows(scene.db, "spokes", { state: "active" }, { slug: ["ash", "elm"] });
  await updateRows(scene.db, "spokes", { verifiedAt: "2026-11-03T00:00:00Z" }, { slug: "yew" }); // changing
  for (const [slug, at] of [["ash", "2026-11-20T05:00:00.000Z"], ["elm", "2026-11-18T05:00:00.000Z"]]) {
    await updateRows(scene.db, "spokes", { verifiedAt: at }, { slug });
  }
  await scene.db.sql("update spokes set unverified_since = now() where slug in ('elm', 'yew')");
  const { spokes, hubs } = await look(scene, "operator");
  const of = ({ unverified, oldestVerifiedAt }: Record<string, unknown>) => [unverified, oldestVerifiedAt];
  assert.equal([of(spokes), ...hubs.map(of)], [
    [1, "2026-11-18T05:00:00.000Z"],
    [0, "2026-11-20T05:00:00.000Z"],
    [1, "2026-11-18T05:00:00.000Z"],
  ]);
  assert.equal(of((await look(scene, "spokeAdmin")).spokes), [0, null]);
  const { failing, oldest } = await countRestoreTests(scene.db.rows);
  assert.equal([failing, oldest!.toISOString()], [1, "2026-11-18T05:00:00.000Z"]);
});

test("shows templates and their errors to operators only", async ({ scene }) => {
  const key = "'uid', '4.5.12', 'a', 'b', 'c', ''", at = "'2026-11-20T05:00:00Z'";
  await scene.db.sql(`insert into templates (id, cluster, cluster_uid, version, moodle_image, postgres_image, revision,
      storage_class, state, ready_at, error, next_attempt_at)
    values ('tpl_1', 'default', ${key}, 'ready', ${at}, null, null), ('tpl_2', 'far', ${key}, 'failed', null, 'no luck', ${at})`);
  const { body } = await scene.as("operator").get("/api/overview"), stamp = "2026-11-20T05:00:00.000Z";
  const well = { lmsVersion: "4.5.12", error: null, nextAttemptAt: null, lastUsedAt: null };
  assert.equal(body.templates, [
    { ...well, cluster: "default", state: "ready", readyAt: stamp },
    { ...well, cluster: "far", state: "failed", readyAt: null, error: "no luck", nextAttemptAt: stamp },
  ]);
  assert.is((await scene.as("operator").get("/api/overview?federationId=north")).body.templates, null);
  for (const who of ["hubAdmin", "spokeAdmin", "stranger"] as const) {
    assert.is((await scene.as(who).get("/api/overview")).body.templates, null);
  }
});

test("follows queued and finished operations, and counts no other jobs", async ({ scene }) => {
  await insertRow(scene.db, "replicas", { id: "r", release: "x" });
  await scene.db.sql(
    "update jobs set state = 'running', holder = 'r' where spoke_id = (select id from spokes where slug = 'elm')",
  );
  assert.equal((await look(scene, "operator")).queue, { queued: 3, running: 1 });
  await scene.db.sql("update jobs set state = 'succeeded', holder = null, finished_at = now() where state = 'running'");
  assert.equal((await look(scene, "operator")).queue, { queued: 3, running: 0 });
  await updateRows(scene.db, "jobs", { visible: false }, { kind: "provision" });
  assert.equal((await look(scene, "operator")).queue, { queued: 1, running: 0 });
  await scene.as("operator").delete(`/api/spokes/${scene.spoke}`);
  const { spokes, queue } = await look(scene, "hubAdmin");
  assert.equal([spokes.byState.removing, spokes.byState.active, queue.queued], [1, 0, 1]);
});

test("shows the longest wait by the database's clock, or nothing", async ({ scene }) => {
  const wait = async () => (await scene.as("operator").get("/api/overview")).body.queue.oldestWaitSeconds;
  await scene.db.sql(
    "update jobs set created_at = wheelwright_now() - case kind when 'provision-hub' then interval '2 hours' else '1 hour' end",
  );
  const before = await wait();
  assert.ok(before >= 7200);
  await scene.db.shiftClock(3_600_000);
  assert.ok(await wait() >= before + 3600);
  await scene.db.sql("update jobs set state = 'cancelled', finished_at = now()");
  assert.is(await wait(), null);
});

test("has an ETag, and answers 304 if nothing changed", async ({ scene }) => {
  await scene.db.sql("update jobs set state = 'cancelled', finished_at = now()");
  const { headers } = await scene.as("hubAdmin").get("/api/overview");
  const again = () => scene.as("hubAdmin").get("/api/overview", { "if-none-match": headers.get("etag")! });
  assert.is((await again()).status, 304);
  await updateRows(scene.db, "spokes", { health: "degraded" }, { id: scene.spoke });
  assert.is((await again()).status, 200);
});

test.run();
