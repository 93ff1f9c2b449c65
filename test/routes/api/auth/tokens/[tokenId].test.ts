import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTestToken } from "#test/support/users.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("DELETE /api/auth/tokens/{id}");

test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

test("revokes the caller's token immediately", async ({ scene }) => {
  const { id, plaintext } = await createTestToken(scene.db, scene.people.stranger, "cli");
  const headers = { authorization: `Bearer ${plaintext}` };
  assert.is((await scene.send("/api/auth/me", { headers })).status, 200);
  const gone = await scene.as("stranger").delete(`/api/auth/tokens/${id}`);
  assert.equal([gone.status, gone.body], [204, ""]);
  assert.is((await scene.send("/api/auth/me", { headers })).status, 401);
});

test("lets a token revoke itself", async ({ scene }) => {
  const { id, plaintext } = await createTestToken(scene.db, scene.people.stranger, "cli");
  const init = { method: "DELETE", headers: { authorization: `Bearer ${plaintext}` } };
  assert.is((await scene.send(`/api/auth/tokens/${id}`, init)).status, 204);
  assert.is((await scene.send(`/api/auth/tokens/${id}`, init)).status, 401);
});

test("requires the scope cli of a token", async ({ scene }) => {
  const { id } = await createTestToken(scene.db, scene.people.stranger, "cli");
  for (const credential of ["readonly", "provisioning"] as const) {
    assert.is((await scene.as("stranger", credential).delete(`/api/auth/tokens/${id}`)).status, 403);
  }
  assert.is((await scene.as("stranger", "cli").delete(`/api/auth/tokens/${id}`)).status, 204);
});

test("answers 404 for tokens of others, unknown and revoked ones; operators reach all", async ({ scene }) => {
  const { id } = await createTestToken(scene.db, scene.people.stranger, "cli");
  const path = `/api/auth/tokens/${id}`;
  assert.is((await scene.as("hubAdmin").delete(path)).status, 404);
  assert.is((await scene.as("operator").delete("/api/auth/tokens/tok_none")).status, 404);
  assert.is((await scene.as("operator").delete(path)).status, 204);
  assert.is((await scene.as("stranger").delete(path)).status, 404);
});

test("lets an operator's cli token revoke any token", async ({ scene }) => {
  const { id } = await createTestToken(scene.db, scene.people.stranger, "cli");
  assert.is((await scene.as("operator", "cli").delete(`/api/auth/tokens/${id}`)).status, 204);
  const own = await createTestToken(scene.db, scene.people.operator, "readonly");
  assert.is((await scene.as("hubAdmin", "cli").delete(`/api/auth/tokens/${own.id}`)).status, 404);
});

test.run();
