import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("POST /api/auth/logout");

test.before.each(async (context) => {
  context.scene = await openScene();
});
test.after.each(({ scene }) => scene.close());

test("ends the session and clears the cookie", async ({ scene }) => {
  const stranger = scene.as("stranger");
  const left = await stranger.post("/api/auth/logout");
  assert.is(left.status, 204);
  assert.match(left.headers.get("set-cookie") ?? "", /^wheelwright=; Max-Age=0;/);
  assert.is((await stranger.get("/api/auth/me")).status, 401);
});

test("succeeds without a session, and when repeated", async ({ scene }) => {
  const stranger = scene.as("stranger");
  await stranger.post("/api/auth/logout");
  assert.is((await stranger.post("/api/auth/logout")).status, 204);
  assert.is((await scene.as("nobody").post("/api/auth/logout")).status, 204);
});

test("refuses pages of other sites", async ({ scene }) => {
  const stranger = scene.as("stranger");
  const refused = await stranger.post("/api/auth/logout", undefined, { "sec-fetch-site": "cross-site" });
  assert.is(refused.status, 403);
  assert.is((await stranger.get("/api/auth/me")).status, 200);
});

test("refuses tokens", async ({ scene }) => {
  assert.is((await scene.as("stranger", "cli").post("/api/auth/logout")).status, 401);
});

test.run();
