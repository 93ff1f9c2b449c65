/** Reads the current OpenAPI document, and runs the contract check on changed copies of it. */
import * as assert from "uvu/assert";
import { buildCurrentDocument } from "#test/contract/check.ts";
import { checkContract, type CheckedFinding } from "#test/contract/contract.ts";
import { parseSurface, type Surface } from "#test/contract/parse-surface.ts";
import { renderSurface } from "#test/contract/surface.ts";

// deno-lint-ignore no-explicit-any
export type Json = any;

export const CHECK_DATE = "2026-11-21";

/** Returns the document before publication, which has every code. Leaves out the samples: they promise nothing and are
 * most of its text. */
export function loadCurrentDocument(): Promise<Json> {
  const text = JSON.stringify(buildCurrentDocument());
  const isSample = (key: string, value: Json) =>
    key === "example" ||
    key === "examples" && (Array.isArray(value) || Object.values<Json>(value).some((one) => one.$ref));
  return Promise.resolve(JSON.parse(text, (key, value) => isSample(key, value) ? undefined : value));
}

/** Returns a copy of the document with this change. */
export function cloneDocument(document: Json, change: (copy: Json) => void): Json {
  const copy = structuredClone(document);
  change(copy);
  return copy;
}

const surfaces = new WeakMap<Json, Surface>();

/** Returns the document's surface, written as text and read again. */
export function surfaceIn(document: Json): Surface {
  const surface = surfaces.get(document) ?? parseSurface(renderSurface(document));
  surfaces.set(document, surface);
  return surface;
}

/** Returns the findings when `after` replaces `before`. */
export function compareDocuments(before: Json, after: Json, today = CHECK_DATE): readonly CheckedFinding[] {
  return checkContract(surfaceIn(before), surfaceIn(after), today);
}

/** Returns the findings for a copy with this change. */
export function findBreaks(
  document: Json,
  change: (copy: Json) => void,
  today = CHECK_DATE,
): readonly CheckedFinding[] {
  return compareDocuments(document, cloneDocument(document, change), today);
}

/** Returns each distinct finding as text, such as `type_changed Operation.step`. Without a shared schema, the text has
 * the operation. */
export function describeFindings(found: readonly CheckedFinding[]): readonly string[] {
  return [
    ...new Set(
      found.map(({ kind, within, where, operation }) => within ? `${kind} ${within}` : `${kind} ${operation} ${where}`),
    ),
  ];
}

/** A change of a copy, and the only finding that it must cause. */
export type ContractCase = readonly [says: string, change: (paths: Json, schemas: Json) => void];

export function testEachCase(document: Json, cases: readonly ContractCase[]): void {
  for (const [says, change] of cases) {
    const found = describeFindings(findBreaks(document, ({ paths, components }) => change(paths, components.schemas)));
    assert.equal(found, [says], says);
  }
}

/** Returns a document with one operation, POST /things, with these schemas for request and response. */
export function documentOf(taken: Json, answered: Json, components: Json = {}): Json {
  const content = (schema: Json) => ({ content: { "application/json": { schema } } });
  return {
    openapi: "3.1.0",
    paths: { "/things": { post: { requestBody: content(taken), responses: { 200: content(answered) } } } },
    components: { schemas: components },
  };
}
