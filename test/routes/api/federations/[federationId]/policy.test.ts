/** Tests the endpoints of what a hub shares with its spokes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; hub: string; spoke: string }>("/api/federations/{id}/policy");

test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  context.hub = `/api/federations/${scene.hub}/policy`;
  context.spoke = `/api/spokes/${scene.spoke}/policy`;
  await updateRows(scene.db, "spokes", { state: "active" });
});
test.after.each(({ scene }) => scene.close());

test("a hub admin changes it, with one version, audit event, stream event and rollout", async ({ scene, hub }) => {
  const admin = scene.as("hubAdmin", "cli");
  const { body: empty } = await admin.get(hub);
  assert.equal([empty.settings.version, empty.brand.overridable, empty.rollout], [0, ["preset"], null]);
  const { status, body } = await admin.patch(hub, { settings: { language: "de", forcedLogin: true } });
  assert.is(status, 200);
  assert.equal([body.settings.version, body.settings.changedBy], [1, scene.people.hubAdmin.email]);
  assert.equal(body.settings.values.language, "de");
  assert.equal(body.spokes.settings, { in_sync: 0, behind: 1, differs: 0, excluded: 0 });
  const rollouts = await selectRows(scene.db, "rollouts", {}, { columns: ["id", "action", "canarySpokes", "state"] });
  assert.equal(rollouts as unknown, [{ id: body.rollout.id, action: "configure", canarySpokes: 1, state: "running" }]);
  const audit = await selectRows(scene.db, "audit_events", { kind: "federation_updated" });
  assert.equal(audit.map(({ metadata }) => metadata["changed"]), [{ policy: { settings: 1 } }]);
  assert.is((await admin.patch(hub, { settings: { language: "de" } })).body.settings.version, 1);
  assert.is((await selectRows(scene.db, "rollouts")).length, 1);
  const { body: history } = await admin.get(`${hub}/history?section=settings`);
  assert.equal(history.map(({ version, values }: { version: number; values: object }) => [version, values]), [
    [1, { language: "de", forcedLogin: true }],
  ]);
});

test("a preview says what each spoke gets, and writes nothing", async ({ scene, hub }) => {
  const admin = scene.as("hubAdmin", "cli");
  const { body } = await admin.patch(`${hub}?dryRun=true`, { brand: { color: "#aa0044" } });
  assert.equal(body.counts, { changes: 1, later: 0, overridden: 0, excluded: 0 });
  assert.equal([body.dryRun, body.downtime, body.more], [true, false, 0]);
  assert.equal(body.spokes.map(({ slug, effect }: Record<string, string>) => [slug, effect]), [["oak", "changes"]]);
  assert.equal((await admin.get(hub)).body.brand.version, 0);
  await updateRows(scene.db, "spokes", { state: "suspended" });
  const { body: later } = await admin.patch(`${hub}?dryRun=true`, { brand: { color: "#aa0044" } });
  assert.is(later.counts.later, 1);
  assert.match(later.spokes[0].reason, "The site is suspended");
});

test("nothing is rolled out in a hub whose spokes are not running", async ({ scene, hub }) => {
  await updateRows(scene.db, "spokes", { state: "suspended" });
  const { body } = await scene.as("hubAdmin", "cli").patch(hub, { settings: { timeZone: "Europe/Berlin" } });
  assert.equal([body.settings.version, body.rollout], [1, null]);
});

test("refuses values, and a change that is based on an old version", async ({ scene, hub }) => {
  const admin = scene.as("hubAdmin", "cli");
  const bad = await admin.patch(hub, {
    settings: { timeZone: "Mars/Olympus", supportPage: "http://a.example" },
    brand: { color: "red" },
  });
  assert.is(bad.status, 400);
  assert.match(bad.body.message, "settings.timeZone must be a time zone such as Europe/Berlin");
  assert.match(bad.body.message, "brand.color must be a colour such as #aa0044");
  await admin.patch(hub, { settings: { language: "de" } });
  const late = await admin.patch(hub, { settings: { language: "fr" }, ifVersion: { settings: 0 } });
  assert.equal([late.status, late.body.code], [409, "policy_changed"]);
});

test("goes back to an old version, which removes later values", async ({ scene, hub }) => {
  const admin = scene.as("hubAdmin", "cli");
  await admin.patch(hub, { settings: { language: "de" } });
  await admin.patch(hub, { settings: { language: "fr", timeZone: "UTC" }, overridable: { settings: ["language"] } });
  const { body } = await admin.post(`${hub}/rollback`, { section: "settings", version: 1 });
  assert.equal([body.settings.version, body.settings.values.language, body.settings.values.timeZone], [3, "de", null]);
  assert.equal(body.settings.overridable, []);
  const states = await selectRows(scene.db, "rollouts", {}, { columns: ["state"], orderBy: "createdAt" });
  assert.equal(states.map(({ state }) => state).sort(), ["aborted", "aborted", "running"]);
  const missing = await admin.post(`${hub}/rollback`, { section: "brand", version: 7 });
  assert.equal([missing.status, missing.body.code], [404, "policy_version_missing"]);
});

test("a spoke admin changes what the hub allows, and cannot exclude the spoke", async ({ scene, hub, spoke }) => {
  const admin = scene.as("spokeAdmin", "cli");
  assert.is((await admin.get(hub)).status, 403);
  const fixed = await admin.patch(spoke, { settings: { language: "fr" } });
  assert.equal([fixed.status, fixed.body.code], [403, "policy_fixed"]);
  await scene.as("hubAdmin", "cli").patch(hub, {
    settings: { language: "de" },
    overridable: { settings: ["language"] },
  });
  const { body } = await admin.patch(spoke, { settings: { language: "fr" } });
  assert.equal([body.settings.values.language, body.settings.overriddenBy], ["fr", scene.people.spokeAdmin.email]);
  assert.is((await selectRows(scene.db, "jobs", { kind: "configure" })).length, 1);
  assert.is((await admin.patch(spoke, { settings: { language: null } })).body.settings.overrides.language, null);
  assert.is((await admin.patch(spoke, { excluded: ["settings"] })).body.code, "federation_admin_only");
  const { body: excluded } = await scene.as("hubAdmin", "cli").patch(spoke, { excluded: ["settings"] });
  assert.is(excluded.settings.state, "excluded");
});

test("a hub that fixes its brand keeps spokes from choosing another one", async ({ scene, hub }) => {
  await scene.as("hubAdmin", "cli").patch(hub, { brand: { color: "#aa0044" }, overridable: { brand: [] } });
  const { status, body } = await scene.as("spokeAdmin", "cli").patch(`/api/spokes/${scene.spoke}`, { brand: "ocean" });
  assert.equal([status, body.code], [403, "policy_fixed"]);
});

test.run();
