/** Tests the change of a hub's tier, its preview and its rollout over HTTP. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; hub: string }>("PATCH /api/federations/{id} with a tier");
const TIERS = `
tiers:
  - { name: shared, title: Nodes for all }
  - { name: dedicated, nodeSelector: { pool: dedicated }, sizes: [large], bounds: { spokes: 1 } }
`;

const UNREACHABLE = {
  clusterFor: () => "default",
  open: () => Promise.reject(new ClusterError("unreachable", "nobody answers", { transient: true })),
};

test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  Object.assign(scene.app, { catalog: loadCatalog(TIERS, scene.app.blueprint), clusters: UNREACHABLE });
  context.hub = `/api/federations/${scene.hub}`;
  await scene.as("operator").post(`${context.hub}/spokes`, { slug: "ash", size: "small" });
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW });
  await updateRows(scene.db, "jobs", { state: "succeeded", finishedAt: NOW, startedAt: NOW });
});
test.after.each(({ scene }) => scene.close());

test("a preview says what happens to each spoke, and writes nothing", async ({ scene, hub }) => {
  await updateRows(scene.db, "spokes", { state: "suspended" }, { slug: "ash" });
  const patch = { tier: "dedicated", name: "N" };
  const { status, body: reply } = await scene.as("operator").patch(`${hub}?dryRun=true`, patch);
  const { preview: body, ...record } = reply;
  assert.is(status, 200);
  assert.equal(body.counts, { moves: 1, in_place: 0, suspended: 1, refused: 0, unchanged: 0 });
  assert.equal(
    body.spokes.map((each: Record<string, unknown>) => [each["slug"], each["effect"], each["sizeAllowed"]]),
    [
      ["ash", "suspended", false],
      ["oak", "moves", false],
    ],
  );
  assert.match(body.spokes[1].reason, "The tier dedicated allows only the sizes large, not");
  assert.match(body.notes.join(), "The nodes of the cluster default could not be checked");
  assert.match(body.notes.join(), "2 of the spokes have a size that the tier does not allow, and keep it");
  assert.match(body.notes.join(), "The tier allows 1 in a hub: its 2 spokes stay, but none can be added");
  assert.is(body.downtimes, 1);
  assert.equal((await scene.as("operator").get(hub)).body, record, "the hub is as before");
  assert.equal(await selectRows(scene.db, "rollouts"), []);
});

test("changes it, after which the spokes are outdated", async ({ scene, hub }) => {
  const operator = scene.as("operator"), outdated = () => operator.get("/api/my-spokes?outdated=true&limit=10");
  const before = (await outdated()).body.length;
  const { status, body } = await operator.patch(hub, { tier: "dedicated" });
  assert.equal([status, body.tier], [200, "dedicated"]);
  assert.equal((await outdated()).body.map(({ slug }: { slug: string }) => slug).sort(), ["ash", "oak"]);
  const back = await operator.patch(hub, { tier: "shared" });
  assert.equal([back.body.tier, (await outdated()).body.length], ["shared", before]);
});

test("a hub admin cannot start a rollout", async ({ scene, hub }) => {
  const admin = scene.as("hubAdmin", "cli");
  for (const path of [hub, `${hub}?dryRun=true`]) {
    const { status, body } = await admin.patch(path, { tier: "shared", rollOut: true });
    assert.equal([status, body.code], [403, "operator_only"]);
  }
  assert.is((await admin.get(hub)).body.tier, null);
});

test("an operator changes it with a rollout, in one transaction", async ({ scene, hub }) => {
  const operator = scene.as("operator"), { status } = await operator.patch(hub, { tier: "dedicated", rollOut: true });
  assert.is(status, 200);
  const [rollout] = await selectRows(scene.db, "rollouts");
  assert.equal([rollout!.action, rollout!.state], ["reapply", "running"]);
  const [event] = await selectRows(scene.db, "audit_events", { kind: "federation_updated" });
  assert.equal(event!.metadata, { slug: "north", changed: { tier: "dedicated" }, rolloutId: rollout!.id });
  const members = (await operator.get(`/api/rollouts/${rollout!.id}`)).body.spokes;
  assert.equal(members.map(({ wave }: { wave: number }) => wave), [0, 1]);
  assert.equal(members.map(({ slug }: { slug: string }) => slug).sort(), ["ash", "oak"]);
});

test("nothing is started if no site differs from the tier", async ({ scene, hub }) => {
  assert.is((await scene.as("operator").patch(hub, { tier: "shared", rollOut: true })).status, 200);
  assert.is((await scene.as("operator").patch(hub, { rollOut: true })).status, 200);
  assert.equal(await selectRows(scene.db, "rollouts"), []);
  assert.is((await selectRows(scene.db, "audit_events", { kind: "federation_updated" })).length, 1);
});

test("creating a spoke beyond its limits is refused, for operators too", async ({ scene, hub }) => {
  await scene.as("operator").patch(hub, { tier: "dedicated" });
  const small = await scene.as("operator").post(`${hub}/spokes`, { slug: "elm", size: "small" });
  assert.equal([small.status, small.body.code], [409, "tier_size"]);
  for (const path of [`${hub}/spokes`, `${hub}/spokes?dryRun=true`]) {
    const { status, body } = await scene.as("operator").post(path, { slug: "elm" });
    assert.equal([status, body.code, body.message], [
      ...[409, "tier_bound", "The tier dedicated allows at most 1 in a hub, and this hub has 2 spokes"],
    ]);
  }
});

test("the catalog shows what tiers offer, and their nodes only to operators", async ({ scene }) => {
  const read = async (who: "operator" | "hubAdmin") => (await scene.as(who).get("/api/catalog")).body.tiers[1];
  const { placement, ...tier } = await read("operator");
  assert.equal(placement, { nodeSelector: { pool: "dedicated" }, tolerations: [], priorityClass: null });
  assert.equal(tier, {
    ...{ name: "dedicated", title: null, restricted: true, sizes: ["large"] },
    ...{ backups: { window: null, retention: null }, bounds: { spokes: 1, storage: null } },
  });
  assert.equal(await read("hubAdmin"), { ...tier, placement: null });
});

test.run();
