import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("GET /api/federations/{id}/spokes/preview-cost");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

const path = "/api/federations/north/spokes/preview-cost";

test("is unavailable without a payment provider", async ({ scene }) => {
  for (const query of ["", "?size=small", "?size=medium", "?size=large"]) {
    const { status, body } = await scene.as("hubAdmin", "readonly").get(path + query);
    assert.equal([status, body], [200, { available: false }]);
  }
});

test("is 400 for an unknown size", async ({ scene }) => {
  for (const size of ["huge", "", "SMALL", "constructor", "%00"]) {
    const { status, body } = await scene.as("hubAdmin").get(`${path}?size=${size}`);
    assert.is(status, 400, size);
    assert.match(body.message, /size must be/);
  }
});

test("is 404 for a stranger", async ({ scene }) => {
  assert.is((await scene.as("stranger").get(path)).status, 404);
});

test.run();
