/** Tests the published OpenAPI document, including common linter warnings. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import { buildPublishedOpenApi } from "#lib/reference/publish.ts";
import { manifest } from "#src/manifest.ts";

const test = suite("buildPublishedOpenApi");

// deno-lint-ignore no-explicit-any
type Json = any;

const release = { api: "v0", version: "1.2.3", commit: "abc" };
const source: Json = JSON.parse(JSON.stringify(buildOpenApiDocument(manifest, release)));
const document: Json = JSON.parse(JSON.stringify(buildPublishedOpenApi(manifest, release)));
const operations: Json[] = Object.values<Json>(document.paths).flatMap((item) => Object.values(item));

test("removes unused components and keeps all references valid", () => {
  const text = JSON.stringify(document);
  const referred = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, name]) => name));
  const { securitySchemes: _, ...kinds } = document.components;
  const present = Object.entries<Json>(kinds).flatMap(([kind, named]) =>
    Object.keys(named).map((name) => `${kind}/${name}`)
  );
  assert.equal(present.sort(), [...referred].sort());
  assert.ok(source.components.headers.Sunset, "the document that is compared with releases keeps it");
  assert.not.ok(document.components.headers.Sunset);
});

test("gives types to numbers and booleans in queries, with defaults and examples", () => {
  const named = (path: string, name: string) =>
    document.paths[path].get.parameters.find((one: Json) => one.name === name).schema;
  assert.equal(named("/api/notifications", "limit"), { type: "integer", default: 20 });
  assert.equal(named("/api/notifications", "unreadOnly"), { type: "boolean", default: false });
  assert.is(named("/api/my-spokes", "limit").type, "integer");
  const queries = operations.flatMap(({ parameters }) => parameters).filter((one) => one.in === "query");
  for (const { name, schema, example } of queries) {
    if (["limit", "unreadOnly", "dryRun", "includeRemoved"].includes(name)) assert.is.not(schema.type, "string", name);
    const type = schema.type === "integer" ? "number" : schema.type;
    for (const value of [example, schema.default]) if (value !== undefined) assert.type(value, type, name);
  }
});

test("lists no scopes for schemes without scopes", () => {
  for (const { security } of operations) {
    for (const way of security) for (const scopes of Object.values(way)) assert.equal(scopes, []);
  }
});

test.run();
