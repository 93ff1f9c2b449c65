import { suite } from "uvu";
import * as assert from "uvu/assert";
import { portalScript, scriptPath } from "#lib/surface/portal/script/script.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("GET /portal.js");
test.before(async (context) => void (context.scene = await openScene()));
test.after(({ scene }) => scene.close());

test("is the script, which browsers may keep, and is not sent again to who has it", async ({ scene }) => {
  const { status, headers, body } = await scene.send(scriptPath);
  assert.equal([status, headers.get("content-type"), body], [200, "text/javascript; charset=utf-8", portalScript]);
  assert.match(headers.get("cache-control")!, /public.*max-age=31536000/);
  const again = await scene.send(scriptPath, { headers: { "if-none-match": headers.get("etag")! } });
  assert.equal([again.status, again.body], [304, ""]);
  assert.is(headers.get("x-content-type-options"), "nosniff");
});

test("has another address when it is another", () => {
  assert.match(scriptPath, /^\/portal\.js\?v=[0-9a-f]{12}$/);
});

test("is one that a browser can read, and small", () => {
  new Function(portalScript);
  assert.ok(portalScript.length < 20_000, `${portalScript.length} characters`);
});

test.run();
