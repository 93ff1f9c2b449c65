/** Tests every endpoint against the OpenAPI document: responses, refusals and paging. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type AnyEndpoint, HTTP_METHODS, withoutPortal } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";
import { isPageEndpoint, isStreamEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";
import { listFields } from "#test/support/probes/fields.ts";
import { retryUnavailable } from "#test/support/probes/retry-unavailable.ts";
import { pathOf, sampleParams, type Samples } from "#test/support/probes/samples.ts";
import { validFieldsOf } from "#test/support/probes/sender.ts";
import { queryOf } from "#test/support/probes/probe-fields.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const AT = "2026-11-21T12:00:00.000Z";

// scene.send checks every response against the document.
const test = suite<{ scene: Scene; samples: Samples }>("every endpoint");
test.before(async (context) => {
  context.scene = await openScene({ env: { BODY_LIMIT_BYTES: "1024", SIGNUP: "on", TRUSTED_PROXIES: "127.0.0.0/8" } });
  context.samples = await sampleParams(context.scene);
});
test.after(({ scene }) => scene.close());

const all = listEndpoints(manifest);
/** Returns no credentials for endpoints that refuse tokens, otherwise an operator's. */
const callerFor = (scene: Scene, { scope }: AnyEndpoint) =>
  scene.as(["flow", "public"].includes(scope) ? "nobody" : "operator");

test("answers GET to an operator, and HEAD without a body", async ({ scene, samples }) => {
  for (const at of all.filter(({ method }) => method === "GET")) {
    const { name, pattern, endpoint } = at;
    const query = endpoint.portal ? queryOf(Object.fromEntries(validFieldsOf(at, "query"))) : "";
    const path = pathOf(pattern, samples) + query, headers = await callerFor(scene, endpoint).credentials();
    const head = await retryUnavailable(() => scene.send(path, { method: "HEAD", headers }));
    assert.is(head.body, "", name);
    assert.ok(head.status < 500, name);
    if (isStreamEndpoint(endpoint)) continue;
    const { status } = await retryUnavailable(() => scene.send(path, { headers }));
    assert.is(status, head.status, name);
    const hasObject = !pattern.includes(":providerId"); // the scene has no provider
    const bare = hasObject && !isPageEndpoint(endpoint) && !listFields(endpoint.query).some(({ required }) => required);
    if (bare && endpoint.scope !== "flow") assert.is(status, endpoint.reply.status, name); // a page for mailed links refuses a missing token
  }
});

test("answers 405 with Allow to other methods, and 204 with Allow to OPTIONS", async ({ scene, samples }) => {
  for (const [pattern, module] of manifest) {
    const path = pathOf(pattern, samples);
    for (const method of [...HTTP_METHODS, "BREW"] as const) {
      if (method in module || method === "GET" && "HEAD" in module) continue;
      assert.is((await retryUnavailable(() => scene.send(path, { method }))).status, 405, `${method} ${pattern}`);
    }
    assert.is((await retryUnavailable(() => scene.send(path, { method: "OPTIONS" }))).status, 204, pattern);
  }
});

test("answers 415, 413 or 400 to an unreadable body", async ({ scene, samples }) => {
  const json = { "content-type": "application/json" };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  let attempts = 0;
  const chunks = () => new Blob(["x".repeat(2000)]).stream();
  const cases: readonly (readonly [number, RegExp, () => RequestInit])[] = [
    [415, /application\/json/, () => ({ headers: { "content-type": "text/plain" }, body: "{}" })],
    [415, /application\/json/, () => ({ headers: { "content-type": "application/jsonp" }, body: "{}" })],
    [415, /application\/json/, () => ({ headers: { ...json, "content-encoding": "gzip" }, body: "{}" })],
    [413, /1024 bytes/, () => ({ headers: json, body: `{"a":"${"x".repeat(2000)}"}` })],
    [413, /1024 bytes/, () => ({ headers: json, body: chunks(), duplex: "half" } as RequestInit)],
    [400, /JSON in UTF-8/, () => ({ headers: json, body: '{"a":' })],
    [400, /JSON object/, () => ({ headers: json, body: "[]" })],
  ];
  const formCases: typeof cases = [
    [415, /must be a form/, () => ({ headers: json, body: "{}" })],
    [413, /1024 bytes/, () => ({ headers: form, body: `a=${"x".repeat(2000)}` })],
    [400, /percent-encoded UTF-8/, () => ({ headers: form, body: "a=%ff" })],
    [400, /each field once/, () => ({ headers: form, body: "a=1&a=2" })],
  ];
  for (const { name, method, pattern, endpoint } of all) {
    if (!endpoint.body) continue;
    const path = pathOf(pattern, samples);
    for (const [status, message, init] of endpoint.form ? formCases : cases) {
      const own = await callerFor(scene, endpoint).credentials();
      const answer = await retryUnavailable(() => {
        const { headers, ...rest } = init();
        const from = { "x-forwarded-for": `10.0.${attempts >> 8}.${attempts++ & 255}` }; // avoids the login bucket
        return scene.send(path, {
          method,
          ...rest,
          headers: { ...own, ...headers as Record<string, string>, ...from },
        });
      });
      const problem = answer.body.message ?? answer.body;
      assert.is(answer.status, status, `${name}: ${problem}`);
      assert.match(problem, message, name);
    }
  }
});

test("accepts limit from 1 to 100, and before as ISO time or milliseconds, if it is a list", async ({ scene, samples }) => {
  for (const { name, pattern, endpoint } of listEndpoints(withoutPortal(manifest))) {
    const fields = listFields(endpoint.query).map((field) => field.name);
    if (!fields.includes("limit") && !fields.includes("before")) continue;
    const { get } = scene.as("operator");
    const ask = (query: string) => retryUnavailable(() => get(`${pathOf(pattern, samples)}?${query}`));
    const takes = async (query: string) => assert.is((await ask(query)).status, 200, `${name}?${query}`);
    const refuses = async (query: string) => {
      const { status, body } = await ask(query);
      assert.is(status, 400, `${name}?${query}`);
      assert.match(body.message, new RegExp(`^${query.split("=")[0]} must be `), name);
    };
    const capped = pattern === "/api/notifications"; // notifications accept any limit from 1
    for (const good of ["1", "100", ...(capped ? ["101", "5000"] : [])]) await takes(`limit=${good}`);
    for (const bad of ["0", "-1", "1.5", "1e1", "", "ten", "%201", ...(capped ? [] : ["101", "5000"])]) {
      await refuses(`limit=${bad}`);
    }
    for (const good of ["0", "1700000000000", AT, "2026-11-21T12:00:00%2B01:00"]) await takes(`before=${good}`);
    const soon = ["", "soon", "-1", "1e5", "2026-11-21", "2026-13-01T00:00:00Z", "infinity"];
    for (const bad of [...soon, "9".repeat(15), "9".repeat(16), "253402300800000", "0000-01-01T00:00Z"]) {
      await refuses(`before=${bad}`);
    }
    assert.is((await ask("limit=1&limit=2")).status, 400, name);
  }
});

test.run();
