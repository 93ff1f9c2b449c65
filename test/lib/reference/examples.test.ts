/** Tests that everything in the OpenAPI document has a valid example. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { findAccessNote } from "#lib/reference/refusals.ts";
import { findReferenceSection, listReferenceSections } from "#lib/reference/areas.ts";
import { findFieldDescription, findFieldExample } from "#lib/reference/glossary/glossary.ts";
import { buildNamedSchemas } from "#lib/reference/json-schema.ts";
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import { INPUT_SCHEMAS } from "#lib/reference/schemas.ts";
import { HTTP_METHODS, withoutPortal } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";
import { openOpenApiReader } from "#test/support/probes/document.ts";

const test = suite("the OpenAPI document");

// deno-lint-ignore no-explicit-any
type Json = any;

const document: Json = buildOpenApiDocument(manifest, { api: "v0", version: "1.2.3", commit: "abc" });
const read = openOpenApiReader(document);

const endpoints = withoutPortal(manifest).flatMap(([pattern, module]) =>
  HTTP_METHODS.flatMap((method) => {
    const endpoint = module[method];
    const path = pattern.replace(/:(\w+)/g, "{$1}");
    const operation: Json = document.paths[path][method.toLowerCase()];
    return endpoint ? [{ name: `${method} ${pattern}`, pattern, endpoint, operation }] : [];
  })
);

/** Returns every request body and response with a schema, with its location. */
const contents = endpoints.flatMap(({ name, operation }) => [
  ...(operation.requestBody ? [{ at: `${name}: body`, content: operation.requestBody.content }] : []),
  ...Object.entries<Json>(operation.responses).map(([status, { content = {} }]) => ({
    at: `${name}: ${status}`,
    content,
  })),
]).flatMap(({ at, content }) => Object.entries<Json>(content).map(([type, media]) => ({ at, type, media })));

test("has a valid example for every request body and response", () => {
  const wrong = contents.flatMap(({ at, type, media: { schema, example, examples } }) => {
    if (/^text\/(?!event-stream)|\+xml$/.test(type)) return []; // a page, or a format with its own specification
    const values = examples ? Object.values<Json>(examples).map((one) => resolve(one).value) : [example];
    return values.flatMap((value) => read.misfit(schema, value) ?? []).map((misfit) => `${at}: ${misfit}`);
  });
  assert.equal(wrong, []);
});

test("has a valid example of each named schema", () => {
  const wrong = Object.entries<Json>(document.components.schemas).flatMap(([name, schema]) =>
    schema.examples.flatMap((one: Json) => read.misfit(schema, one) ?? []).map((misfit: string) => `${name}: ${misfit}`)
  );
  assert.equal(wrong, []);
});

test("has example bodies that the server accepts", () => {
  const bodies = endpoints.filter(({ endpoint }) => endpoint.body);
  assert.ok(bodies.length > 5);
  const refused = bodies.flatMap(({ name, endpoint, operation }) => {
    const { issues } = v.safeParse(endpoint.body!, Object.values<Json>(operation.requestBody.content)[0].example);
    return issues ? [`${name}: ${v.summarize(issues)}`] : [];
  });
  assert.equal(refused, []);
});

test("describes every field, with an example if the schema has none", () => {
  const silent: string[] = [];
  for (const [name, schema] of Object.entries(buildNamedSchemas())) findSilent(schema, name, silent);
  for (const { media } of contents) findSilent(media.schema, "", silent);
  assert.equal([...new Set(silent)].map((field) => `lib/reference/glossary has no line for ${field}`), []);
});

test("describes every parameter", () => {
  const silent = endpoints.flatMap(({ name, operation }) =>
    operation.parameters.filter((one: Json) => one.in !== "header" && findFieldDescription(one.in, one.name) === null)
      .map((
        one: Json,
      ) => `${name}: ${one.in} ${one.name} has no line in lib/reference/glossary/records.ts`)
  );
  assert.equal(silent, []);
});

test("has no broken reference", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);
  assert.ok(references.length > 100);
  assert.equal(references.filter((ref) => !resolve({ $ref: ref })), []);
});

test("names the schema of every request body", () => {
  const unnamed = endpoints.filter(({ endpoint: { body, form } }) =>
    body && !form && !Object.values(INPUT_SCHEMAS).includes(body)
  );
  assert.equal(unnamed.map(({ name }) => `${name}: name its body in lib/reference/schemas.ts`), []);
});

test("has no unused schema", () => {
  const text = JSON.stringify(document);
  const names = Object.keys(document.components.schemas);
  assert.equal(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`)), []);
});

test("lists the errors of every access rule", () => {
  const unknown = endpoints.map(({ endpoint }) => endpoint.access.name).filter((name) => !findAccessNote(name));
  assert.equal(
    [...new Set(unknown)].map((name) => `lib/reference/refusals.ts has no line for the access "${name}"`),
    [],
  );
});

test("has an area for every endpoint; the last area needs no sign-in", () => {
  const last = listReferenceSections().at(-1)!.name;
  const astray = endpoints.filter(({ pattern, endpoint }) =>
    findReferenceSection(pattern) === last && endpoint.scope !== "public"
  );
  assert.equal(astray.map(({ name }) => `lib/reference/areas.ts has no area for ${name}`), []);
});

test("has unique operation names", () => {
  const ids = endpoints.map(({ operation }) => operation.operationId);
  assert.equal(ids.length, new Set(ids).size);
});

function findSilent(schema: Json, owner: string, silent: string[]): void {
  for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) {
    if (findFieldDescription(owner, name) === null) silent.push(owner ? `${owner}.${name}` : name);
    else if (isPlain(field) && findFieldExample(owner, name) === undefined) {
      silent.push(`${owner}.${name} with an example`);
    }
    findSilent(field, name, silent);
  }
  for (const part of [schema.items, ...schema.anyOf ?? []]) if (part) findSilent(part, owner, silent);
}

/** Whether the schema is text or a number without any rule. */
function isPlain({ type, format, enum: choices, anyOf, $ref }: Json): boolean {
  if ($ref || choices) return false;
  if (anyOf) return anyOf.every((option: Json) => option.type === "null" || isPlain(option));
  return ["string", "number", "integer"].includes(type) && format !== "date-time";
}

function resolve(value: Json): Json {
  if (!value.$ref) return value;
  return value.$ref.split("/").slice(1).reduce((at: Json, key: string) => at?.[key], document);
}

test.run();
