/** Tests which requests count as calls of a token. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { manifest } from "#src/manifest.ts";
import { openServer, type Server } from "#src/server.ts";
import { retryWhileOverloaded } from "#test/support/retry-overload.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

interface Context {
  scene: Scene;
  server: Server;
  /** The calls that were counted since the test started. */
  noted: string[];
  bearer: Record<string, string>;
}

const test = suite<Context>("counted requests");
test.before(async (context) => {
  context.scene = await openScene();
  context.noted = [];
  const note = (token: string, endpoint: string) => void context.noted.push(`${token.slice(0, 4)} ${endpoint}`);
  context.server = openServer(context.scene.app, manifest, { isSchedulerReady: () => true, calls: { count: note } });
  context.bearer = { ...await context.scene.as("hubAdmin", "cli").credentials() };
});
test.before.each((context) => void (context.noted.length = 0));
test.after(({ scene }) => scene.close());

async function call(
  { server }: Context,
  line: string,
  headers: Record<string, string>,
  body?: string,
): Promise<number> {
  const [method = "", path] = line.split(" ");
  const url = new URL(path!, "http://localhost:3000");
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const init = { method, headers: { ...json, ...headers }, ...(body && { body }) };
  const response = await retryWhileOverloaded(() => server.request(new Request(url, init)));
  await response.body?.cancel();
  return response.status;
}

test("counts authorized token requests by method and route pattern, and HEAD as GET", async (context) => {
  const { scene: { spoke }, bearer, noted } = context;
  assert.is(await call(context, `GET /api/spokes/${spoke}`, bearer), 200);
  assert.is(await call(context, `HEAD /api/spokes/${spoke}/`, bearer), 200);
  assert.is(await call(context, `POST /api/spokes/${spoke}/actions`, bearer, `{"action": 3}`), 400);
  const own = "tok_ GET /api/spokes/:spokeId";
  assert.equal(noted, [own, own, "tok_ POST /api/spokes/:spokeId/actions"]);
});

test("counts a stream once, and by the route pattern, whether the hub is named by ID or slug", async (context) => {
  assert.is(await call(context, "GET /api/federations/north/events", context.bearer), 200);
  assert.equal(context.noted, ["tok_ GET /api/federations/:federationId/events"]);
});

test("does not count sessions, anonymous requests, refused requests or unknown paths", async (context) => {
  const { scene, noted, bearer } = context;
  const session = { ...await scene.as("hubAdmin").credentials() };
  const readonly = { ...await scene.as("hubAdmin", "readonly").credentials() };
  assert.is(await call(context, `GET /api/spokes/${scene.spoke}`, session), 200);
  assert.is(await call(context, `GET /api/spokes/${scene.spoke}`, {}), 401);
  assert.is(await call(context, `POST /api/spokes/${scene.spoke}/actions`, readonly, `{"action": "backup"}`), 403);
  assert.is(await call(context, "GET /api/users", bearer), 403);
  assert.is(await call(context, "GET /api/nothing", bearer), 404);
  assert.is(await call(context, "GET /api/version", bearer), 200); // public: the token is not checked
  assert.equal(noted, []);
});

test.run();
