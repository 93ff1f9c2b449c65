/** Tests the endpoints about the server itself. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openServer } from "#src/server.ts";
import { manifest } from "#src/manifest.ts";
import { openTestHandler, readResponse } from "#test/support/handler.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("GET /api/healthz, readyz, version, openapi.json");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

const ask = (scene: Scene, path: string, ready: () => boolean, stays = () => true) =>
  openServer(scene.app, manifest, { isSchedulerReady: ready, isRunning: stays }).request(
    new Request(`http://localhost:3000${path}`),
  ).then(
    readResponse,
  );

test("healthz is ok for everyone, whatever the state of the database", async () => {
  const { send } = await openTestHandler(manifest); // has no database
  const answer = await send("/api/healthz", { headers: { authorization: "Bearer nonsense" } });
  assert.is(answer.status, 200);
  assert.equal(answer.body, { status: "ok" });
});

test("version returns the API's version and the build", async ({ scene }) => {
  const { status, body } = await scene.send("/api/version");
  assert.is(status, 200);
  assert.equal(body, { api: "v0", commit: scene.app.release.commit });
});

test("readyz is ok if the database, its schema and the scheduler are", async ({ scene }) => {
  const { status, body } = await ask(scene, "/api/readyz", () => true);
  assert.is(status, 200);
  const checks = { database: "ok", writes: "ok", migrations: "ok", scheduler: "ok", running: "ok" };
  assert.equal(body, { status: "ok", checks, notes: [] });
});

test("readyz is 503 and names a stopped scheduler", async ({ scene }) => {
  const { status, body, headers } = await ask(scene, "/api/readyz", () => false);
  assert.is(status, 503);
  assert.equal(body, {
    statusCode: 503,
    code: "not_ready",
    message: "Not ready: scheduler",
    error: "Service Unavailable",
  });
  assert.ok(headers.get("retry-after"));
});

test("readyz is 503 while the process stops, even without a scheduler", async ({ scene }) => {
  const { status, body } = await ask(scene, "/api/readyz", () => true, () => false);
  assert.equal([status, body.message], [503, "Not ready: running"]);
  assert.is((await ask(scene, "/api/healthz", () => true, () => false)).status, 200);
});

test("readyz is 503 if the database lacks the newest migration", async ({ scene }) => {
  const [newest] = await scene.db.sql(
    "delete from migrations where name = (select max(name) from migrations) returning *",
  );
  assert.is((await ask(scene, "/api/readyz", () => true)).body.message, "Not ready: migrations");
  await scene.db.sql("insert into migrations (name, checksum) values ($1, $2)", [newest.name, newest.checksum]);
});

test("readyz is 503 without details if the database does not answer", async () => {
  const { app } = await openTestHandler(manifest);
  const { status, body } = await readResponse(
    await openServer(app, manifest, { isSchedulerReady: () => true })
      .request(new Request("http://localhost:3000/api/readyz")),
  );
  assert.is(status, 503);
  assert.is(body.message, "Not ready: database, writes, migrations");
});

test("openapi.json describes the mounted endpoints", async ({ scene }) => {
  const { status, body } = await scene.send("/api/openapi.json");
  assert.is(status, 200);
  assert.is(body.openapi, "3.1.0");
  assert.ok(body.paths["/api/spokes/{spokeId}/actions"].post);
});

test.run();
