/**
 * Tests every mutation on each node of every schema in the current document. Breaking ones must be found, others not.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { BreakingKind } from "#test/contract/findings.ts";
import { compareDocuments, documentOf, type Json, loadCurrentDocument } from "#test/support/contract.ts";
import { type Direction, listMutations, type Mutation } from "#test/support/mutations.ts";

const test = suite("checkContract, on every schema of the current document");

const SUBJECT = { $ref: "#/components/schemas/Subject" };

interface Subject {
  readonly name: string;
  readonly direction: Direction;
  readonly schema: Json;
}

/** Returns every schema of a request or response, once for each direction. A named schema appears once, wherever it is
 * used. */
function subjectsOf({ paths, components }: Json): readonly Subject[] {
  const found = new Map<string, Subject>();
  const add = (name: string, direction: Direction, schema: Json): void => {
    const key = `${direction} ${schema.$ref ?? JSON.stringify(schema)}`;
    if (found.has(key)) return;
    const named = schema.$ref && nameIn(schema.$ref);
    found.set(key, {
      name: `${direction} ${named ?? name}`,
      direction,
      schema: named ? components.schemas[named] : schema,
    });
    for (const { $ref } of referencesIn(found.get(key)!.schema)) add(nameIn($ref), direction, { $ref });
  };
  for (const [path, item] of Object.entries<Json>(paths)) {
    for (const [method, { parameters, requestBody, responses }] of Object.entries<Json>(item)) {
      for (const { name, schema } of parameters) add(`${method} ${path} ${name}`, "request", schema);
      for (const { schema } of contents(requestBody)) add(`${method} ${path}`, "request", schema);
      for (const answer of Object.values(responses)) {
        for (const { schema } of contents(answer)) add(`${method} ${path}`, "response", schema);
      }
    }
  }
  return [...found.values()];
}

const contents = (holder: Json): Json[] => Object.values(holder?.content ?? {});
const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1);

function referencesIn(node: Json): Json[] {
  if (typeof node !== "object" || node === null) return [];
  return node.$ref ? [node] : Object.values(node).flatMap(referencesIn);
}

interface Node {
  readonly path: readonly string[];
  readonly node: Json;
  /** Whether the node is in one of several forms. A change there may resemble another form and be reported for it. */
  readonly isForm: boolean;
}

/** Returns the schema and its nested schemas. References are not followed. */
function nodesIn(node: Json, path: readonly string[] = [], isForm = false): readonly Node[] {
  const forms = node.anyOf?.filter(({ type }: Json) => type !== "null") ?? [];
  const inner: readonly (readonly [string, Json])[] = [
    ...Object.entries(node.properties ?? {}).map(([name, field]) => [`properties/${name}`, field] as const),
    ...(node.items ? [["items", node.items] as const] : []),
    ...(node.anyOf ?? []).map((option: Json, i: number) => [`anyOf/${i}`, option] as const),
  ];
  return [
    ...inner.flatMap(([step, part]) => nodesIn(part, [...path, ...step.split("/")], isForm || forms.length > 1)),
    { path, node, isForm },
  ];
}

/** Returns a copy in which one node is replaced. */
function replaced(schema: Json, [step, ...rest]: readonly string[], edit: Mutation["edit"]): Json {
  if (step === undefined) return edit(schema);
  if (Array.isArray(schema)) return schema.map((one, i) => String(i) === step ? replaced(one, rest, edit) : one);
  return { ...schema, [step]: replaced(schema[step], rest, edit) };
}

function documentFor({ direction }: Subject, schema: Json, schemas: Json): Json {
  const reached: Json = {};
  const reach = (part: Json): void => {
    for (const { $ref } of referencesIn(part)) {
      if (!(nameIn($ref) in reached)) reach(reached[nameIn($ref)] = schemas[nameIn($ref)]);
    }
  };
  reach(schema);
  const components = { ...reached, Subject: schema };
  return direction === "request" ? documentOf(SUBJECT, {}, components) : documentOf({}, SUBJECT, components);
}

/** A mutated schema and its expected finding, or null for none. */
interface Case {
  readonly name: string;
  readonly kind: BreakingKind | "any" | null;
  readonly schema: Json;
}

/** Returns one case for each breaking mutation of a node, and one case with all compatible mutations. */
function casesOf({ schema, direction }: Subject): readonly Case[] {
  const all = nodesIn(schema).flatMap(({ path, node, isForm }) =>
    listMutations(node, direction, path.at(-2) === "anyOf").map((mutation) => ({ ...mutation, path, isForm }))
  );
  const free = Map.groupBy(all.filter(({ kind }) => kind === null), ({ name }) => name);
  return [
    ...all.filter(({ kind }) => kind !== null).map(({ name, kind, path, edit, isForm }) => ({
      name: `${path.join(".")} ${name}`,
      kind: isForm ? "any" as const : kind,
      schema: replaced(schema, path, edit),
    })),
    // Applies inner nodes first, so that the paths of the outer ones stay valid.
    ...[...free].map(([name, same]) => ({
      name: `each ${name}`,
      kind: null,
      schema: same.reduce((before, { path, edit }) => replaced(before, path, edit), schema),
    })),
  ];
}

test("reports each breaking change by kind, and nothing else", async () => {
  const { paths, components } = await loadCurrentDocument();
  const wrong: string[] = [], tried: Case["kind"][] = [];
  for (const subject of subjectsOf({ paths, components })) {
    const before = documentFor(subject, subject.schema, components.schemas);
    for (const { name, kind, schema } of casesOf(subject)) {
      const found = compareDocuments(before, documentFor(subject, schema, components.schemas));
      const kinds = [...new Set(found.map((one) => one.kind))];
      const isRight = kind === null ? kinds.length === 0 : kind === "any" ? kinds.length > 0 : kinds.includes(kind);
      if (!isRight) {
        wrong.push(`${subject.name}: ${name}: ${kinds.join() || "nothing"}, not ${kind ?? "nothing"}`);
      }
      tried.push(kind);
    }
  }
  assert.equal(wrong, []);
  const times = (kind: Case["kind"]) => tried.filter((one) => one === kind).length;
  assert.ok(times("response_field_removed") > 300 && times("field_renamed") > 300 && times("type_changed") > 300);
  assert.ok(times("enum_changed") > 50 && times("validation_tightened") > 300 && times(null) > 300);
});

test.run();
