/** Reads the current OpenAPI document, and compares it with changed copies of itself. */
import * as assert from "uvu/assert";
import { buildCurrentDocument } from "#test/contract/check.ts";
import { checkContract, type CheckedFinding } from "#test/contract/contract.ts";
import { parseSurface, type Surface } from "#test/contract/parse-surface.ts";
import { renderSurface } from "#test/contract/surface.ts";

// deno-lint-ignore no-explicit-any
export type Json = any;

export const CHECK_DATE = "2026-11-21";

/** Returns the document with every error code, as it is before publication. Leaves out the examples, which promise
 * nothing and make up most of its text. */
export function loadCurrentDocument(): Promise<Json> {
  const text = JSON.stringify(buildCurrentDocument());
  const isSample = (key: string, value: Json) =>
    key === "example" ||
    key === "examples" && (Array.isArray(value) || Object.values<Json>(value).some((one) => one.$ref));
  return Promise.resolve(JSON.parse(text, (key, value) => isSample(key, value) ? undefined : value));
}

/** Returns a copy of the document to which `change` was applied. */
export function cloneDocument(document: Json, change: (copy: Json) => void): Json {
  const copy = structuredClone(document);
  change(copy);
  return copy;
}

const surfaces = new WeakMap<Json, Surface>();

/** Returns the document's public surface, after writing it as text and reading that text again. */
export function surfaceIn(document: Json): Surface {
  const surface = surfaces.get(document) ?? parseSurface(renderSurface(document));
  surfaces.set(document, surface);
  return surface;
}

/** Returns the findings that are reported if `after` replaces `before`. */
export function compareDocuments(before: Json, after: Json, today = CHECK_DATE): readonly CheckedFinding[] {
  return checkContract(surfaceIn(before), surfaceIn(after), today);
}

/** Returns the findings that are reported for a copy of the document with this change. */
export function findBreaks(
  document: Json,
  change: (copy: Json) => void,
  today = CHECK_DATE,
): readonly CheckedFinding[] {
  return compareDocuments(document, cloneDocument(document, change), today);
}

/** Returns each distinct finding as text, such as `type_changed Operation.step`. If the finding is not in a shared
 * schema, the text names the operation. */
export function describeFindings(found: readonly CheckedFinding[]): readonly string[] {
  return [
    ...new Set(
      found.map(({ kind, within, where, operation }) => within ? `${kind} ${within}` : `${kind} ${operation} ${where}`),
    ),
  ];
}

/** A change to a copy of the document, with the only finding that the change must cause. */
export type ContractCase = readonly [says: string, change: (paths: Json, schemas: Json) => void];

export function testEachCase(document: Json, cases: readonly ContractCase[]): void {
  for (const [says, change] of cases) {
    const found = describeFindings(findBreaks(document, ({ paths, components }) => change(paths, components.schemas)));
    assert.equal(found, [says], says);
  }
}

/** Returns a document with a single operation, POST /things, that uses the given request and response schemas. */
export function documentOf(taken: Json, answered: Json, components: Json = {}): Json {
  const content = (schema: Json) => ({ content: { "application/json": { schema } } });
  return {
    openapi: "3.1.0",
    paths: { "/things": { post: { requestBody: content(taken), responses: { 200: content(answered) } } } },
    components: { schemas: components },
  };
}
