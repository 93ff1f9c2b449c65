/** The present document, and what the check of the contract says of a copy in which something is other. */
import * as assert from "uvu/assert";
import { presentDocument } from "#test/contract/check.ts";
import { checkContract, type Judged } from "#test/contract/contract.ts";
import { readSurface, type Surface } from "#test/contract/read.ts";
import { surfaceOf } from "#test/contract/surface.ts";

// deno-lint-ignore no-explicit-any
export type Json = any;

export const TODAY = "2026-11-21";

/** The document before it is published, which has every code. Without the samples, which promise nothing and are most of it. */
export function readPresent(): Promise<Json> {
  const text = JSON.stringify(presentDocument());
  const isSample = (key: string, value: Json) =>
    key === "example" ||
    key === "examples" && (Array.isArray(value) || Object.values<Json>(value).some((one) => one.$ref));
  return Promise.resolve(JSON.parse(text, (key, value) => isSample(key, value) ? undefined : value));
}

/** A copy with that change. */
export function copyOf(document: Json, change: (copy: Json) => void): Json {
  const copy = structuredClone(document);
  change(copy);
  return copy;
}

const known = new WeakMap<Json, Surface>();

/** Its surface, written and read. */
export function surfaceIn(document: Json): Surface {
  const surface = known.get(document) ?? readSurface(surfaceOf(document));
  known.set(document, surface);
  return surface;
}

/** What is found where the one document becomes the other. */
export function compare(before: Json, after: Json, today = TODAY): readonly Judged[] {
  return checkContract(surfaceIn(before), surfaceIn(after), today);
}

/** What is found in a copy with that change. */
export function breakIn(document: Json, change: (copy: Json) => void, today = TODAY): readonly Judged[] {
  return compare(document, copyOf(document, change), today);
}

/** Findings as text, each once: `type_changed Operation.step`, with the place of the operation where no schema is shared. */
export function told(found: readonly Judged[]): readonly string[] {
  return [
    ...new Set(
      found.map(({ kind, within, where, operation }) => within ? `${kind} ${within}` : `${kind} ${operation} ${where}`),
    ),
  ];
}

/** A change of a copy, and what alone has to be told of it. */
export type Case = readonly [says: string, change: (paths: Json, schemas: Json) => void];

export function tellEach(document: Json, cases: readonly Case[]): void {
  for (const [says, change] of cases) {
    const found = told(breakIn(document, ({ paths, components }) => change(paths, components.schemas)));
    assert.equal(found, [says], says);
  }
}

/** A document of one operation, POST /things, that takes and answers these schemas. */
export function documentOf(taken: Json, answered: Json, components: Json = {}): Json {
  const content = (schema: Json) => ({ content: { "application/json": { schema } } });
  return {
    openapi: "3.1.0",
    paths: { "/things": { post: { requestBody: content(taken), responses: { 200: content(answered) } } } },
    components: { schemas: components },
  };
}
