/** Tests that the glossary describes only existing fields. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findFieldDescription, findFieldExample, GLOSSARY_ENTRIES } from "#lib/reference/glossary/glossary.ts";
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import { isId } from "#lib/base/ids.ts";
import { manifest } from "#src/manifest.ts";

const test = suite("the glossary");

// deno-lint-ignore no-explicit-any
type Json = any;

const all = Object.fromEntries(GLOSSARY_ENTRIES);

/** The entries of the glossary, by key. */
function findUsed(): ReadonlySet<string> {
  const used = new Set<string>();
  const use = (owner: string, name: string) => {
    const key = Object.hasOwn(all, `${owner}.${name}`) ? `${owner}.${name}` : name;
    if (all[key]?.[0] === (findFieldDescription(owner, name) ?? "")) used.add(key);
  };
  const walk = (schema: Json, owner: string): void => {
    for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) {
      use(owner, name);
      walk(field, name);
    }
    for (const part of [schema.items, ...schema.anyOf ?? []]) if (part) walk(part, owner);
  };
  const document: Json = buildOpenApiDocument(manifest, { api: "v0", version: "1.2.3", commit: "abc" });
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    use(name, "");
    walk(schema, name);
  }
  for (const operation of Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods))) {
    for (const one of operation.parameters) use(one.in, one.name);
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values<Json>(operation.responses)]) {
      for (const { schema } of Object.values<Json>(content)) walk(schema, "");
    }
  }
  return used;
}

test("has no entry for a missing field", () => {
  const used = findUsed();
  assert.equal(Object.keys(all).filter((key) => !used.has(key)), []);
});

test("has each entry once", () => {
  const keys = GLOSSARY_ENTRIES.map(([key]) => key);
  assert.equal(keys.filter((key, i) => keys.indexOf(key) !== i), []);
});

test("has example IDs in the real format", () => {
  const ids = Object.values(all).flatMap(([, example]) =>
    typeof example === "string" && /^(fed|spk|usr|evt|op|tok|frq)_/.test(example) ? [example] : []
  );
  assert.ok(ids.length > 10);
  assert.equal([...new Set(ids)].filter((id) => !isId(id.split("_")[0] as "fed", id)), []);
});

test("prefers the entry of the owner", () => {
  assert.is(findFieldDescription("Operation", "id"), "The operation's ID");
  assert.is(findFieldDescription("Unheard", "slug"), all.slug?.[0]);
  assert.is(findFieldDescription("Unheard", "unheard"), null);
  assert.is(findFieldExample("StreamEvent", "id"), "4");
  assert.is(findFieldExample("", "toString"), undefined);
});

test.run();
