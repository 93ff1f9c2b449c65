import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addSpokeAdmin } from "#test/support/users.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; elm: string }>("PATCH /api/spokes/{id}");
test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  const { body } = await scene.as("operator").post("/api/federations/north/spokes", { slug: "elm" });
  context.elm = body.id;
  await addSpokeAdmin(scene.db, scene.people.spokeAdmin, body.id);
});
test.after.each(({ scene }) => scene.close());

/** Marks the install as finished. */
async function build(scene: Scene, id: string): Promise<void> {
  const ended = "update jobs set state = 'succeeded', started_at = wheelwright_now(), finished_at = wheelwright_now()";
  await scene.db.sql(`${ended} where spoke_id = $1`, [id]);
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW }, { id });
}

/** Counts the spoke's audit events, stream events and operations. */
async function traces(scene: Scene, id: string): Promise<unknown> {
  return await scene.db.sql(
    `select (select count(*)::int from audit_events where spoke_id = $1) as audit,
      (select count(*)::int from stream_events where spoke_id = $1) as stream,
      (select count(*)::int from jobs where spoke_id = $1) as jobs`,
    [id],
  );
}

test("answers 200 with the spoke and records it, or nothing if nothing changes", async ({ scene, elm }) => {
  await build(scene, elm);
  const admin = scene.as("spokeAdmin", "cli"), path = `/api/spokes/${elm}`;
  const patch = { displayName: "Elm", brand: "ocean", adminEmail: "Head@School.example" };
  const { status, body } = await admin.patch(path, patch);
  assert.equal([status, body.displayName, body.brand, body.adminEmail], [200, "Elm", "ocean", "head@school.example"]);
  assert.equal([body.state, body.operation.kind], ["updating", "configure"]);
  const [event] = await scene.db.sql("select type from stream_events where spoke_id = $1 order by number desc", [elm]);
  assert.is(event.type, "SpokeUpdateUpdating");
  const before = await traces(scene, elm);
  for (const input of [patch, {}, undefined, { displayName: null, brand: "ocean" }]) {
    assert.is((await admin.patch(path, input)).status, 200, JSON.stringify(input));
  }
  assert.equal(await traces(scene, elm), before);
  const { body: log } = await scene.as("hubAdmin").get(`/api/spokes/${elm}/activity`);
  assert.equal([log[0].kind, log[0].metadata.changed.displayName], ["spoke_updated", { from: "elm", to: "Elm" }]);
  assert.is((await scene.as("hubAdmin").get("/api/notifications")).body[0].kind, "spoke_updated");
});

test("of two fields runs one operation", async ({ scene, elm }) => {
  await build(scene, elm);
  const path = `/api/spokes/${elm}`;
  const answers = await Promise.all([
    scene.as("hubAdmin").patch(path, { displayName: "Elm" }),
    scene.as("operator").patch(path, { adminEmail: "head@school.example" }),
  ]);
  assert.equal(answers.map(({ status }) => status), [200, 200]);
  const { body } = await scene.as("operator").get(path);
  assert.equal([body.displayName, body.adminEmail], ["Elm", "head@school.example"]);
  assert.is((await selectRows(scene.db, "jobs", { kind: "configure" })).length, 1);
});

test("of a queued install changes the install; of a running one is 409", async ({ scene, elm }) => {
  const path = `/api/spokes/${elm}`;
  const { body } = await scene.as("hubAdmin").patch(path, { displayName: "Elm", brand: "ocean" });
  assert.equal([body.displayName, body.state, body.operation.kind], ["Elm", "provisioning", "provision"]);
  const [row] = await scene.db.sql("select blueprint_inputs as inputs from spokes where id = $1", [elm]);
  assert.equal([row.inputs.displayName, row.inputs.brand.name], ["Elm", "ocean"]);
  await updateRows(scene.db, "jobs", { startedAt: NOW }, { spokeId: elm });
  const late = await scene.as("hubAdmin").patch(path, { displayName: "Late" });
  assert.equal([late.status, late.body.message], [
    409,
    "Cannot change a spoke that is provisioning; wait until it is active",
  ]);
  await updateRows(scene.db, "jobs", { state: "failed", finishedAt: NOW }, { spokeId: elm });
  await updateRows(scene.db, "spokes", { state: "failed" }, { id: elm });
  assert.equal((await scene.as("hubAdmin").patch(path, { displayName: "Retried" })).body.operation, null);
  const [after] = await scene.db.sql("select blueprint_inputs as inputs from spokes where id = $1", [elm]);
  assert.is(after.inputs.displayName, "Retried");
});

test("is 409 if it cannot be applied, and explains what would allow it", async ({ scene, elm }) => {
  await build(scene, elm);
  const ask = async () => {
    const { status, body } = await scene.as("operator").patch(`/api/spokes/${elm}`, { displayName: "Elm" });
    return `${status} ${body.message}`;
  };
  await updateRows(scene.db, "spokes", { state: "suspended" }, { id: elm });
  assert.is(await ask(), "409 Cannot change a spoke that is suspended; it must be active");
  await updateRows(scene.db, "spokes", { state: "removing" }, { id: elm });
  assert.is(await ask(), "409 Cannot change a spoke that is removing; it must be active");
  await updateRows(scene.db, "spokes", { state: "failed" }, { id: elm });
  assert.is(await ask(), "409 Cannot change a spoke that is failed; it must be active");
  await updateRows(scene.db, "spokes", { state: "active" }, { id: elm });
  await scene.as("operator").post(`/api/spokes/${elm}/actions`, { action: "reapply" });
  assert.is(await ask(), "409 Cannot change a spoke that is updating; wait until its reapply has ended");
});

test("refuses invalid values, users without access and narrower tokens", async ({ scene, elm }) => {
  const path = `/api/spokes/${elm}`;
  for (const input of [{ displayName: "" }, { brand: 5 }, { adminEmail: "nobody" }]) {
    assert.is((await scene.as("operator").patch(path, input)).status, 400, JSON.stringify(input));
  }
  assert.is((await scene.as("hubAdmin", "provisioning").patch(path, {})).status, 403);
  assert.is((await scene.as("stranger").patch(path, {})).status, 404);
});

test("returns a dry run and writes nothing", async ({ scene, elm }) => {
  await build(scene, elm);
  const before = await traces(scene, elm);
  const { status, body } = await scene.as("spokeAdmin", "cli").patch(`/api/spokes/${elm}?dryRun=true`, {
    displayName: "Elm",
  });
  assert.equal([status, body.dryRun, body.action, body.becomes, body.downtime], [
    200,
    true,
    "configure",
    "active",
    false,
  ]);
  assert.equal(body.notes, ["The site's full name changes from elm to Elm"]);
  assert.ok(body.steps.includes("Setting title, administrator, brand and courses"));
  assert.equal(await traces(scene, elm), before);
});

test("of the domain keeps the current one until the site answers at the new one", async ({ scene, elm }) => {
  await build(scene, elm);
  const path = `/api/spokes/${elm}`, domain = "beech.spokes.example.org";
  const { status, body } = await scene.as("hubAdmin", "cli").patch(path, { domain });
  assert.equal([status, body.domain, body.formerDomains], [200, "elm.spokes.example.org", []]);
  assert.equal([body.state, body.operation.kind], ["updating", "configure"]);
  const [event] = await selectRows(scene.db, "audit_events", { kind: "spoke_updated" }, { columns: ["metadata"] });
  assert.equal(event.metadata.changed, { domain: { from: "elm.spokes.example.org", to: domain } });
  const before = await traces(scene, elm);
  assert.is((await scene.as("hubAdmin").patch(path, { domain })).status, 200);
  assert.equal(await traces(scene, elm), before);
  const taken = await scene.as("operator").post("/api/federations/north/spokes", { slug: "beech", domain });
  assert.equal([taken.status, taken.body.error], [409, "Conflict"]);
  const other = await scene.as("hubAdmin").patch(path, { domain: "ash.spokes.example.org" });
  assert.equal([other.status, other.body.operation.id], [200, body.operation.id]);
  const free = await scene.as("operator").post("/api/federations/north/spokes", { slug: "beech", domain });
  assert.is(free.status, 201);
});

test("of the domain requires the right to create spokes, and the rules of a creation", async ({ scene, elm }) => {
  await build(scene, elm);
  const path = `/api/spokes/${elm}`;
  const ask = async (who: SceneRole, domain: string) => {
    const { status, body } = await scene.as(who, "cli").patch(path, { domain });
    return `${status} ${body.message ?? body.domain}`;
  };
  assert.is(
    await ask("spokeAdmin", "beech.spokes.example.org"),
    "403 Only operators and admins of the hub can change the domain of a spoke",
  );
  assert.is(await ask("spokeAdmin", "elm.spokes.example.org"), "200 elm.spokes.example.org"); // sent back unchanged
  assert.match(
    await ask("hubAdmin", "a.b.spokes.example.org"),
    /^400 .*a name under spokes\.example\.org must have one label/,
  );
  assert.match(await ask("hubAdmin", "spokes.example.org"), /^400 .*belongs to the service/);
  assert.match(await ask("hubAdmin", "elm.school.1"), /^400 .*so browsers treat it as an IP address/);
  assert.match(await ask("hubAdmin", "elm.school.example"), /^409 elm\.school\.example is not verified/);
  const { body: oak } = await scene.as("operator").post("/api/federations/north/spokes", {
    slug: "oak-2",
    domain: "oak.school.example",
  });
  for (const domain of [oak.domain, `www.${oak.domain}`, "school.example"]) {
    assert.match(await ask("operator", domain), /^409 The domain .* is in use, or is a parent or subdomain of a/);
  }
  assert.is(await ask("operator", "elm.school.example"), "200 elm.spokes.example.org");
});

test("of two spokes to one domain succeeds for one", async ({ scene, elm }) => {
  const { body: ash } = await scene.as("operator").post("/api/federations/north/spokes", { slug: "ash" });
  await build(scene, elm);
  await build(scene, ash.id);
  const domain = "beech.spokes.example.org";
  const answers = await Promise.all([
    ...[elm, ash.id].map((id) => scene.as("operator").patch(`/api/spokes/${id}`, { domain })),
    scene.as("hubAdmin").post("/api/federations/north/spokes", { slug: "beech", domain }),
  ]);
  assert.equal(answers.map(({ status }) => status < 300).filter((done) => done).length, 1);
  assert.equal(answers.map(({ status }) => status).filter((status) => status === 409).length, 2);
});

test("of the domain of a queued install applies immediately", async ({ scene, elm }) => {
  const domain = "beech.spokes.example.org";
  const { body } = await scene.as("hubAdmin").patch(`/api/spokes/${elm}`, { domain });
  assert.equal([body.domain, body.formerDomains, body.state], [domain, [], "provisioning"]);
  const [row] = await scene.db.sql("select blueprint_inputs as inputs from spokes where id = $1", [elm]);
  assert.is(row.inputs.host, domain);
  const { status } = await scene.as("operator").post("/api/federations/north/spokes", { slug: "elm-2", domain });
  assert.is(status, 409);
});

test("of the domain announces the downtime in a dry run", async ({ scene, elm }) => {
  await build(scene, elm);
  const { status, body } = await scene.as("hubAdmin").patch(`/api/spokes/${elm}?dryRun=true`, {
    domain: "beech.spokes.example.org",
  });
  assert.equal([status, body.downtime], [200, true]);
  assert.equal(body.notes, [
    "The site's domain changes from elm.spokes.example.org to beech.spokes.example.org",
    "elm.spokes.example.org redirects to the new domain's front page for 30 days",
  ]);
  const [row] = await selectRows(scene.db, "spokes", { id: elm }, { columns: ["requestedDomain"] });
  assert.is(row.requestedDomain, null);
});

test.run();
