import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("GET /api/federations/{id}/operations, GET /api/spokes/{id}/operations");
test.before(async (context) => {
  const scene = context.scene = await openScene();
  await updateRows(scene.db, "federations", { state: "failed" });
  await scene.as("operator").post("/api/federations/north/actions", { action: "retry" });
  await scene.as("operator").post("/api/federations/north/spokes", { slug: "elm" });
  await scene.as("operator").post(`/api/spokes/${scene.spoke}/actions`, { action: "suspend" });
  await scene.as("operator").post(`/api/spokes/${scene.spoke}/actions`, { action: "resume" });
});
test.after(({ scene }) => scene.close());

async function kinds(scene: Scene, who: SceneRole, path: string): Promise<string[]> {
  const { status, body } = await scene.as(who, "readonly").get(path);
  assert.is(status, 200);
  return body.map((operation: { kind: string }) => operation.kind);
}

test("lists operations on the hub and its spokes, newest first", async ({ scene }) => {
  const path = "/api/federations/north/operations";
  assert.equal(await kinds(scene, "operator", path), ["resume", "suspend", "provision", "provision-hub"]);
  assert.equal(await kinds(scene, "hubAdmin", path), ["resume", "suspend", "provision", "provision-hub"]);
});

test("shows a spoke admin only their own spokes' operations", async ({ scene }) => {
  assert.equal(await kinds(scene, "spokeAdmin", "/api/federations/north/operations"), ["resume", "suspend"]);
});

test("lists only a spoke's own operations", async ({ scene }) => {
  for (const who of ["operator", "hubAdmin", "spokeAdmin"] as const) {
    assert.equal(await kinds(scene, who, `/api/spokes/${scene.spoke}/operations`), ["resume", "suspend"]);
  }
});

test("pages by limit and before", async ({ scene }) => {
  const path = "/api/federations/north/operations", seen: string[] = [];
  for (let before = "";;) {
    const { body } = await scene.as("operator").get(`${path}?limit=1${before}`);
    if (body.length === 0) break;
    seen.push(...body.map((operation: { kind: string }) => operation.kind));
    before = `&before=${encodeURIComponent(body.at(-1).createdAt)}`;
  }
  assert.equal(seen, ["resume", "suspend", "provision", "provision-hub"]);
  for (const query of ["limit=0", "limit=101", "before=never"]) {
    assert.is((await scene.as("operator").get(`${path}?${query}`)).status, 400, query);
  }
});

test("is 404 for a stranger", async ({ scene }) => {
  assert.is((await scene.as("stranger").get("/api/federations/north/operations")).status, 404);
  assert.is((await scene.as("stranger").get(`/api/spokes/${scene.spoke}/operations`)).status, 404);
});

test("stays readable for a removed spoke, to operators and the hub's admins", async ({ scene }) => {
  await updateRows(scene.db, "spokes", { state: "removed", removedAt: NOW }, { id: scene.spoke });
  const path = `/api/spokes/${scene.spoke}/operations`;
  assert.equal(await kinds(scene, "hubAdmin", path), ["resume", "suspend"]);
  assert.is((await scene.as("spokeAdmin").get(path)).status, 404);
});

test.run();
