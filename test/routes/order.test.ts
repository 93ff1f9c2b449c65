/** Tests the order of checks: cross-site requests are refused before they count as attempts. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { manifest } from "#src/manifest.ts";
import { isStreamEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";
import { pathOf, sampleParams } from "#test/support/probes/samples.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("the order of a request");
test.before(async (context) => void (context.scene = await openScene({ env: { PORTAL: "on", SIGNUP: "on" } })));
test.after(({ scene }) => scene.close());

test("a page of another site uses up no login attempt of its visitor", async ({ scene }) => {
  const limited = listEndpoints(manifest).filter(({ endpoint }) => endpoint.rateLimitMessage !== undefined);
  assert.ok(limited.length >= 7);
  for (const { name, method, pattern, endpoint } of limited) {
    const type = endpoint.form ? "application/x-www-form-urlencoded" : "application/json";
    for (const foreign of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
      const { status } = await scene.send(pattern, { method, headers: { "content-type": type, ...foreign } });
      assert.is(status, 403, name);
    }
  }
  const sent = { method: "POST", headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" } };
  const body = JSON.stringify({ email: "nobody@school.example", password: "not the password" });
  for (let i = 0; i < 5; i++) assert.is((await scene.send("/api/auth/login", { ...sent, body })).status, 401);
  assert.is((await scene.send("/api/auth/login", { ...sent, body })).status, 429);
});

test("a readonly token may read whatever its user may", async ({ scene }) => {
  const samples = await sampleParams(scene), operator = scene.as("operator", "readonly");
  const reads = listEndpoints(manifest).filter(({ method, pattern, endpoint }) =>
    method === "GET" && pattern.startsWith("/api/") && !isStreamEndpoint(endpoint) && endpoint.scope !== "flow"
  );
  assert.ok(reads.length > 25);
  for (const { name, pattern } of reads) {
    const { status, body } = await operator.get(pathOf(pattern, samples));
    assert.ok(status !== 401 && status !== 403, `${name} is ${status}: ${body?.message}`);
  }
});

test.run();
