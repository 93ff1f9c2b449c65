import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openServer, type Server } from "#src/server.ts";
import { manifest } from "#src/manifest.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";

const test = suite<{ scene: Scene; server: Server }>("GET /api/federations/:federationId/events");

test.before.each(async (context) => {
  context.scene = await openScene({ env: { MAX_STREAMS: "30" } });
  context.server = openServer(context.scene.app, manifest, { isSchedulerReady: () => true });
});
test.after.each(({ scene }) => scene.close());

type Context = { scene: Scene; server: Server };

/** Opens a stream. It ends when the client aborts. */
async function follow({ scene, server }: Context, who: SceneRole, method = "GET", client = new AbortController()) {
  const headers = { ...await scene.as(who, "readonly").credentials() };
  const url = `http://localhost:3000/api/federations/${scene.hub}/events`;
  const request = new Request(url, { method, headers, signal: client.signal });
  const response = await server.request(request);
  // Keeps a reference: a collected request does not report that its client left.
  return { request, response, status: response.status, leave: () => client.abort() };
}

async function followMany(context: Context, who: SceneRole, count: number) {
  const streams = [];
  for (let i = 0; i < count; i++) streams.push(await follow(context, who));
  assert.equal([...new Set(streams.map(({ status }) => status))], [200]);
  return streams;
}

test("a user's 21st stream is refused before it is opened, and other users get theirs", async (context) => {
  const [first] = await followMany(context, "hubAdmin", 20);
  const { response, status } = await follow(context, "hubAdmin");
  assert.is(status, 429);
  assert.ok(Number(response.headers.get("retry-after")) > 0);
  const message = "You have 20 event streams open; close one of them first";
  assert.equal(await response.json(), {
    statusCode: 429,
    code: "too_many_streams",
    message,
    error: "Too Many Requests",
  });
  assert.is((await follow(context, "spokeAdmin")).status, 200);
  first!.leave();
  assert.is((await follow(context, "hubAdmin")).status, 200);
});

test("a replica has at most MAX_STREAMS streams", async (context) => {
  await followMany(context, "hubAdmin", 20);
  await followMany(context, "operator", 10);
  assert.is((await follow(context, "spokeAdmin")).status, 429);
});

test("a stalled stream frees its slot when it is cancelled", async (context) => {
  for (let i = 0; i < 21; i++) {
    const { response } = await follow(context, "hubAdmin");
    const reader = response.body!.getReader();
    if (i % 2 === 0) await reader.read();
    await reader.cancel();
  }
  for (let i = 0; i < 21; i++) assert.is((await follow(context, "hubAdmin", "HEAD")).status, 200);
  await followMany(context, "hubAdmin", 20);
});

test.run();
