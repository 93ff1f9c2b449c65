/** Validates the document with the official schema of OpenAPI 3.1 (test/data/openapi). */
import { readFile } from "node:fs/promises";
import { Validator } from "@cfworker/json-schema";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import { manifest } from "#src/manifest.ts";

const test = suite("the OpenAPI document as OpenAPI 3.1");

// deno-lint-ignore no-explicit-any
type Json = any;

async function openStandard(): Promise<(document: Json) => string[]> {
  const text = await readFile(new URL("../../data/openapi/schema-3.1.json", import.meta.url), "utf8");
  const validator = new Validator(JSON.parse(text), "2020-12");
  return (document) => validator.validate(document).errors.map((error) => `${error.instanceLocation}: ${error.error}`);
}

test("matches the schema of the standard", async () => {
  const validate = await openStandard();
  const document: Json = structuredClone(
    buildOpenApiDocument(manifest, { api: "v0", version: "1.2.3", commit: "abc" }),
  );
  assert.equal(validate(document), []);

  document.paths["/api/version"].get.parameters = [{ name: "x" }]; // checks that the schema finds errors
  assert.ok(validate(document).length > 0);
});

test("documents the parameters of each path", () => {
  const document: Json = buildOpenApiDocument(manifest, { api: "v0", version: "1.2.3", commit: "abc" });
  const wrong = Object.entries<Json>(document.paths).flatMap(([path, operations]) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort().join();
    return Object.values<Json>(operations).filter(({ parameters }) =>
      parameters.filter((one: Json) => one.in === "path").map((one: Json) => one.name).sort().join() !== named
    ).map(() => path);
  });
  assert.equal(wrong, []);
});

test.run();
