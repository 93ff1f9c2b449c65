/** Tests the front page, the redirect of `/api`, and the icon. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("GET /, /api, /favicon.ico");
test.before(async (context) => void (context.scene = await openScene()));
test.after(({ scene }) => scene.close());

test("is a public page", async ({ scene }) => {
  const { status, headers, text } = await readPage(scene, "/");
  assert.equal([status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  assert.match(text, "<h1>Wheelwright</h1>");
  for (const [, path] of text.matchAll(/<a href="([^"]+)"/g)) assert.is((await scene.send(path!)).status, 200, path);
});

test("redirects signed-in users to their hubs, if the portal is on", async ({ scene }) => {
  const { cookie } = await scene.as("stranger").credentials();
  const signedIn = await scene.send("/", { headers: { cookie: cookie! } });
  assert.equal([signedIn.status, signedIn.headers.get("location")], [303, "/hubs"]);
  const off = await openScene({ env: { PORTAL: "off" } });
  try {
    const own = await off.as("stranger").credentials();
    assert.is((await off.send("/", { headers: own })).status, 200);
  } finally {
    await off.close();
  }
});

test("is the public page with an ended session or a token", async ({ scene }) => {
  const { authorization } = await scene.as("operator", "readonly").credentials();
  assert.is((await scene.send("/", { headers: { authorization: authorization! } })).status, 200);
  const { cookie } = await scene.as("hubAdmin").credentials();
  await scene.as("hubAdmin").post("/api/auth/logout");
  assert.is((await scene.send("/", { headers: { cookie: cookie! } })).status, 200);
});

test("redirects from the prefix to the reference", async ({ scene }) => {
  for (const path of ["/api", "/api/"]) {
    const { status, headers } = await scene.send(path);
    assert.equal([status, headers.get("location")], [308, "/api/docs"]);
  }
});

test("serves the icon", async ({ scene }) => {
  const { status, headers, text } = await readPage(scene, "/favicon.ico");
  assert.equal([status, headers.get("content-type")], [200, "image/svg+xml"]);
  assert.match(text, /^<svg /);
});

async function readPage(scene: Scene, path: string): Promise<{ status: number; headers: Headers; text: string }> {
  const { status, headers, body } = await scene.send(path);
  return { status, headers, text: String(body) };
}

test.run();
