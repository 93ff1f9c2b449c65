import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("GET /api/catalog");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

test("shows sizes and versions to anybody who is signed in", async ({ scene }) => {
  const { status, body } = await scene.as("stranger", "readonly").get("/api/catalog");
  assert.is(status, 200);
  assert.equal(body.sizes.map((size: { name: string }) => size.name), ["small", "medium", "large"]);
  assert.equal(body.versions.filter((version: { default: boolean }) => version.default).length, 1);
  assert.ok(body.open.includes("modes"));
});

test("is 401 for nobody", async ({ scene }) => {
  assert.is((await scene.as("nobody").get("/api/catalog")).status, 401);
});

test.run();
