/** Tests every endpoint with an undeclared parameter and an undeclared field. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { manifest } from "#src/manifest.ts";
import { buildCurrentDocument } from "#test/contract/check.ts";
import { isPageEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";
import { retryUnavailable } from "#test/support/probes/retry-unavailable.ts";
import { pathOf, sampleParams, type Samples } from "#test/support/probes/samples.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

interface Context {
  scene: Scene;
  samples: Samples;
  /** Sends the request with an operator's session. Returns status and code. */
  ask: (method: string, path: string, body?: string) => Promise<readonly [number, string | undefined]>;
}

const test = suite<Context>("an undeclared field");
test.before(async (context) => {
  // Removes the bucket, which several flows share.
  const unbound = manifest.map(([pattern, module]) =>
    [
      pattern,
      Object.fromEntries(
        Object.entries(module).map(([method, { rateLimitMessage: _, ...endpoint }]) => [method, endpoint]),
      ),
    ] as const
  );
  const scene = context.scene = await openScene({ manifest: unbound });
  context.samples = await sampleParams(scene);
  const headers = { "content-type": "application/json", ...await scene.as("operator").credentials() };
  context.ask = async (method, path, body) => {
    const { status, body: answer } = await retryUnavailable(() =>
      scene.send(path, { method, headers, ...(body && { body }) })
    );
    return [status, answer.code];
  };
});
test.after(({ scene }) => scene.close());

test("is refused in every query except those of pages and the payment provider's", async ({ samples, ask }) => {
  for (const { name, method, pattern, endpoint } of listEndpoints(manifest)) {
    const answer = await ask(method, `${pathOf(pattern, samples)}?nobody=1`);
    const isProviderAnswer = pattern.endsWith("/callback"); // sign-in providers add parameters of their own
    if (isPageEndpoint(endpoint) && !pattern.startsWith("/api/") || endpoint.raw || isProviderAnswer) {
      assert.is.not(answer[1], "unknown_parameter", name);
    } else assert.equal(answer, [400, "unknown_parameter"], name);
  }
});

test("is refused in every body, also if none is expected", async ({ samples, ask }) => {
  const writing = listEndpoints(manifest).filter(({ method, endpoint }) => method !== "GET" && !endpoint.form);
  assert.ok(writing.length > 30);
  for (const { name, method, pattern, endpoint } of writing) {
    const answer = await ask(method, pathOf(pattern, samples), '{"nobody":1}');
    if (endpoint.raw) assert.is.not(answer[1], "unknown_field", name);
    else assert.equal(answer, [400, "unknown_field"], name);
  }
});

test("is refused in the forms of pages, with a page", async ({ scene }) => {
  for (const path of ["/invite", "/reset", "/verify"]) {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const { status, body } = await scene.send(path, { method: "POST", headers, body: "token=x&nobody=1" });
    assert.is(status, 400, path);
    assert.match(body, /Unknown field .*nobody/, path);
  }
});

test("is excluded by every body schema in the document", () => {
  // deno-lint-ignore no-explicit-any
  const { paths, components } = buildCurrentDocument() as any;
  const open: string[] = [];
  // deno-lint-ignore no-explicit-any
  const look = (schema: any, where: string): void => {
    if (schema.$ref) return look(components.schemas[schema.$ref.split("/").at(-1)], where);
    if (schema.properties && schema.additionalProperties !== false) open.push(where);
    for (const [name, field] of Object.entries(schema.properties ?? {})) look(field, `${where}.${name}`);
    for (const part of [...schema.anyOf ?? [], ...schema.items ? [schema.items] : []]) look(part, where);
  };
  for (const [path, methods] of Object.entries<object>(paths)) {
    // deno-lint-ignore no-explicit-any
    for (const [method, { requestBody }] of Object.entries<any>(methods)) {
      for (const { schema } of Object.values<never>(requestBody?.content ?? {})) look(schema, `${method} ${path}`);
    }
  }
  assert.equal(open, []);
});

test.run();
