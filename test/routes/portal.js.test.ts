import { gunzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { portalScript, portalStyle } from "#lib/portal/assets.ts";
import { scriptPath, stylePath } from "#lib/portal/page/asset.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("GET /portal.js and /portal.css");
test.before(async (context) => void (context.scene = await openScene()));
test.after(({ scene }) => scene.close());

const FILES = [
  [scriptPath, "text/javascript; charset=utf-8", portalScript],
  [stylePath, "text/css; charset=utf-8", portalStyle],
] as const;

test("are cached forever by browsers and answered with 304", async ({ scene }) => {
  for (const [path, type, text] of FILES) {
    const { status, headers, body } = await scene.send(path);
    assert.equal([status, headers.get("content-type"), body], [200, type, text]);
    assert.is(headers.get("cache-control"), "public, max-age=31536000, immutable");
    const again = await scene.send(path, { headers: { "if-none-match": headers.get("etag")! } });
    assert.equal([again.status, again.body], [304, ""]);
    assert.is(headers.get("x-content-type-options"), "nosniff");
  }
});

test("answer 404 to another release's hash, and that is not cached", async ({ scene }) => {
  for (const [path] of FILES) {
    const [name] = path.split("?");
    for (const otherUrl of [`${name}?v=000000000000`, `${name}?v=anything`]) {
      const { status, headers } = await scene.send(otherUrl);
      assert.equal([status, headers.get("cache-control")], [404, "no-store"], otherUrl);
    }
    const { status, headers } = await scene.send(name!);
    assert.equal([status, headers.get("cache-control")], [200, "no-cache"], name);
  }
});

test("have a new address for new content", () => {
  assert.match(scriptPath, /^\/portal\.js\?v=[0-9a-f]{12}$/);
  assert.match(stylePath, /^\/portal\.css\?v=[0-9a-f]{12}$/);
});

test("are compressed on request, with their own ETag", async ({ scene }) => {
  const server = openServer(scene.app, manifest, { isSchedulerReady: () => true });
  const ask = (headers: Record<string, string>) =>
    server.request(new Request(new URL(stylePath, "http://localhost:3000"), { headers }));
  const packed = await ask({ "accept-encoding": "gzip" }), bytes = new Uint8Array(await packed.arrayBuffer());
  assert.is(packed.headers.get("content-encoding"), "gzip");
  assert.is(gunzipSync(bytes).toString(), portalStyle);
  assert.is(packed.headers.get("vary"), "accept-encoding");
  const etag = packed.headers.get("etag")!;
  assert.is((await ask({ "accept-encoding": "gzip", "if-none-match": etag })).status, 304);
});

test("the script parses, and is small", () => {
  new Function(portalScript);
  assert.ok(portalScript.length < 20_000, `${portalScript.length} characters`);
});

test("the page of hubs is small, and cached until sign-out", async ({ scene }) => {
  const page = await parsePage(scene, "/hubs", "hubAdmin");
  assert.ok(page.html.length < 12_000, `${page.html.length} characters`);
  assert.match(page.html, `<link rel="stylesheet" href="${stylePath}">`);
  assert.is(page.headers.get("cache-control"), "private, no-cache");
  const headers = { "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" };
  const out = await scene.send("/sign-out", {
    method: "POST",
    headers: { ...headers, ...await scene.as("stranger").credentials() },
  });
  assert.equal([out.status, out.headers.get("clear-site-data")], [303, '"cache"']);
});

test.run();
