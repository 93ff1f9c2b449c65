/** Reads the current OpenAPI document and compares it with changed copies. */
import * as assert from "uvu/assert";
import { buildCurrentDocument } from "#test/contract/check.ts";
import { checkContract, type CheckedFinding } from "#test/contract/contract.ts";
import { parseSurface, type Surface } from "#test/contract/parse-surface.ts";
import { renderSurface } from "#test/contract/surface.ts";

// deno-lint-ignore no-explicit-any
export type Json = any;

export const CHECK_DATE = "2026-11-21";

/** Returns the OpenAPI document with all error codes, as before publication. Omits the examples, which are most of the
 * text but promise nothing to clients. */
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

/** Returns the document's public surface, after formatting it as text and parsing this text. */
export function surfaceIn(document: Json): Surface {
  const surface = surfaces.get(document) ?? parseSurface(renderSurface(document));
  surfaces.set(document, surface);
  return surface;
}

/** Returns the findings (breaking changes and mistakes) if the document `after` replaces `before`. */
export function compareDocuments(before: Json, after: Json, today = CHECK_DATE): readonly CheckedFinding[] {
  return checkContract(surfaceIn(before), surfaceIn(after), today);
}

/** Returns the findings for a copy of the document to which the change was applied. */
export function findBreaks(
  document: Json,
  change: (copy: Json) => void,
  today = CHECK_DATE,
): readonly CheckedFinding[] {
  return compareDocuments(document, cloneDocument(document, change), today);
}

/** Returns the distinct findings as text, such as `type_changed Operation.step`. For a finding outside shared schemas,
 * the text names the operation. */
export function describeFindings(found: readonly CheckedFinding[]): readonly string[] {
  return [
    ...new Set(
      found.map(({ kind, within, where, operation }) => within ? `${kind} ${within}` : `${kind} ${operation} ${where}`),
    ),
  ];
}

/** A change to a copy of the document, and the only finding that the change must cause. */
export type ContractCase = readonly [says: string, change: (paths: Json, schemas: Json) => void];

export function testEachCase(document: Json, cases: readonly ContractCase[]): void {
  for (const [says, change] of cases) {
    const found = describeFindings(findBreaks(document, ({ paths, components }) => change(paths, components.schemas)));
    assert.equal(found, [says], says);
  }
}

/** Returns a document with a single operation, POST /things, which uses the given request and response schemas. */
export function documentOf(taken: Json, answered: Json, components: Json = {}): Json {
  const content = (schema: Json) => ({ content: { "application/json": { schema } } });
  return {
    openapi: "3.1.0",
    paths: { "/things": { post: { requestBody: content(taken), responses: { 200: content(answered) } } } },
    components: { schemas: components },
  };
}
