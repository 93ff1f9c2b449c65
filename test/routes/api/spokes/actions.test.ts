import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { ageSession, createTestSession } from "#test/support/users.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("POST /api/spokes/actions");
test.before.each(async (context) => {
  context.scene = await openScene();
});
test.after.each(({ scene }) => scene.close());

const path = "/api/spokes/actions";

test("answers 202 with an outcome for each visible spoke", async ({ scene }) => {
  const { body: made } = await scene.as("operator").post("/api/federations/north/spokes", { slug: "young" });
  const ids = [made.id, createId("spk"), scene.spoke, scene.spoke];
  const { status, body } = await scene.as("hubAdmin", "cli").post(path, { ids, action: "suspend" });
  assert.is(status, 202);
  assert.equal(body.map(({ id, accepted }: { id: string; accepted: boolean }) => [id, accepted]), [
    [made.id, false],
    [scene.spoke, true],
  ]);
  assert.equal(Object.keys(body[0]), ["id", "accepted", "error"]);
  assert.equal([body[0].error.statusCode, body[0].error.error], [409, "Conflict"]);
  assert.equal([body[1].spoke.id, body[1].spoke.state], [scene.spoke, "suspending"]);
});

test("is 400 or 403 if the request itself is invalid, and changes nothing", async ({ scene }) => {
  const ids = [scene.spoke];
  const ask = async (input: object) => (await scene.as("hubAdmin", "cli").post(path, { ids, ...input })).status;
  assert.is(await ask({ action: "upgrade" }), 400);
  assert.is(await ask({ action: "resize", size: "huge" }), 400);
  assert.is(await ask({ action: "reapply" }), 403);
  assert.is(await ask({ action: "suspend", size: 7 }), 400);
  assert.equal(await scene.db.sql("select 1 from jobs where visible and spoke_id = $1 and state = 'queued'", ids), []);
});

test("skips spokes that the caller cannot see", async ({ scene }) => {
  const { status, body } = await scene.as("stranger").post(path, { ids: [scene.spoke], action: "suspend" });
  assert.equal([status, body], [202, []]);
  const [row] = await selectRows(scene.db, "spokes", { id: scene.spoke }, { columns: ["state"] });
  assert.is(row.state, "active");
});

test("accepts at most five hundred IDs", async ({ scene }) => {
  const ids = (count: number) => Array.from({ length: count }, () => createId("spk"));
  const send = (count: number) => scene.as("operator").post(path, { ids: ids(count), action: "restart" });
  assert.equal([(await send(500)).status, (await send(501)).status, (await send(0)).status], [202, 400, 400]);
  const wrong = Array.from({ length: 100_000 }, () => 7); // none of them is read
  const { body } = await scene.as("operator").post(path, { ids: wrong, action: "restart" });
  assert.is(body.message, "ids must be a list of 1 to 500 ids");
});

test("is 400 for an invalid body", async ({ scene }) => {
  const good = { ids: [scene.spoke], action: "suspend" };
  for (
    const change of [{ ids: scene.spoke }, { ids: [1] }, { ids: null }, { action: "explode" }, { action: undefined }]
  ) {
    assert.is((await scene.as("operator").post(path, { ...good, ...change })).status, 400, JSON.stringify(change));
  }
});

test("is 403 for narrower tokens and 401 without credentials", async ({ scene }) => {
  const input = { ids: [scene.spoke], action: "suspend" };
  assert.is((await scene.as("operator", "provisioning").post(path, input)).status, 403);
  assert.is((await scene.as("nobody").post(path, input)).status, 401);
});

test("previews all spokes, and starts only what the preview showed", async ({ scene }) => {
  const { body: young } = await scene.as("operator").post("/api/federations/north/spokes", { slug: "young" });
  const input = { filter: { federationId: "north" }, action: "suspend" }, act = scene.as("hubAdmin", "cli");
  const { status, body: preview } = await act.post(`${path}?dryRun=true`, input);
  assert.equal([status, preview.possible, preview.refused, preview.downtimes], [200, 1, 1, 1]);
  assert.equal(preview.price, { available: false });
  const bySlug = Object.fromEntries(preview.spokes.map((each: { slug: string }) => [each.slug, each]));
  assert.equal([bySlug.oak.becomes, bySlug.oak.reason], ["suspended", null]);
  assert.equal([bySlug.young.becomes, /^Cannot suspend/.test(bySlug.young.reason)], [null, true]);
  assert.is((await scene.as("operator").get(`/api/spokes/${scene.spoke}`)).body.state, "active");
  const blind = await act.post(path, input);
  assert.equal([blind.status, blind.body.message], [400, "expected must be the selection of a preview (dryRun=true)"]);
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW }, { id: young.id });
  const late = await act.post(path, { ...input, expected: preview.selection });
  assert.equal([late.status, late.body.code], [409, "selection_changed"]);
  assert.equal(await selectRows(scene.db, "jobs", { kind: "suspend" }) as unknown[], []);
  const { body: fresh } = await act.post(`${path}?dryRun=true`, input);
  const done = await act.post(path, { ...input, expected: fresh.selection });
  assert.equal([done.status, done.body.length], [202, 2]);
});

test("removes spokes only with the preview's selection, and only those of hubs that the caller manages", async ({ scene }) => {
  const input = { ids: [scene.spoke], action: "destroy" };
  assert.is((await scene.as("operator").post(path, input)).status, 400);
  const { body: seen } = await scene.as("spokeAdmin").post(`${path}?dryRun=true`, input);
  assert.equal([seen.possible, seen.spokes[0].reason], [0, "Only operators and admins of the hub can remove a spoke"]);
  const { body: [refused] } = await scene.as("spokeAdmin").post(path, { ...input, expected: seen.selection });
  assert.equal([refused.accepted, refused.error.statusCode], [false, 403]);
  const { body: preview } = await scene.as("hubAdmin").post(`${path}?dryRun=true`, input);
  const { body: [removed] } = await scene.as("hubAdmin").post(path, { ...input, expected: preview.selection });
  assert.equal([removed.accepted, removed.spoke.state], [true, "removing"]);
  assert.is((await selectRows(scene.db, "audit_events", { kind: "spoke_removal_requested" })).length, 1);
});

test("removes spokes only after a recent sign-in; previews and other actions need none", async ({ scene }) => {
  const session = await createTestSession(scene.db, scene.people.operator);
  await ageSession(scene.db, session);
  const act = (action: string, query = "") =>
    scene.as("nobody").post(path + query, { ids: [scene.spoke], action }, { cookie: `wheelwright=${session.secret}` });
  assert.is((await act("destroy", "?dryRun=true")).status, 200);
  const refused = await act("destroy");
  assert.equal([refused.status, refused.body.code], [403, "recent_sign_in_required"]);
  assert.is((await act("suspend")).status, 202);
});

test("is 422 for a filter that matches too many spokes, and 400 without a selection", async ({ scene }) => {
  const act = (input: object) => scene.as("operator").post(`${path}?dryRun=true`, { action: "restart", ...input });
  assert.is((await act({})).status, 400);
  assert.is((await act({ filter: {} })).status, 400);
  const both = await act({ filter: { state: "suspended" }, ids: [scene.spoke] });
  assert.equal([both.status, both.body.spokes], [200, []]);
  await scene.db.sql(
    `insert into spokes (id, federation_id, slug, display_name, domain, size, admin_email, lms_version,
      state, cluster, namespace, blueprint_revision, blueprint_inputs, created_by)
    select 'spk_' || lpad(n::text, 26, '0'), $1, 'n' || n, 'x', 'n' || n || '.example.org', 'small', 'a@example.org',
      '4.5.12', 'active', 'default', 'n' || n, 'test', '{}', $2 from generate_series(1, 501) as n`,
    [
      scene.hub,
      scene.people.operator.id,
    ],
  );
  const { status, body } = await act({ filter: { all: true } });
  assert.equal([status, body.code], [422, "selection_too_large"]);
});

test.run();
