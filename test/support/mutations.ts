/** Defines mutations: breaking and compatible changes to a node in a JSON schema. Tests apply each mutation to every
 * node that allows it. */
import type { BreakingKind } from "#test/contract/findings.ts";
import type { Json } from "#test/support/contract.ts";

export type Direction = "request" | "response";

export interface Mutation {
  readonly name: string;
  /** The kind of breaking change; null for a compatible change. */
  readonly kind: BreakingKind | null;
  /** Returns a changed copy of the node. */
  readonly edit: (node: Json) => Json;
}

const TEXT = { type: "string" }, NULL = { type: "null" };
const OTHER: Readonly<Record<string, string>> = {
  string: "number",
  number: "boolean",
  boolean: "string",
  array: "object",
  object: "string",
};

/** Returns all mutations of the node. `isOption` means that the node is an option in an `anyOf`, which may also allow
 * other values. */
export function listMutations(node: Json, direction: Direction, isOption: boolean): readonly Mutation[] {
  if (node.type === "null") return [];
  const isAny = Object.keys(node).every((key) => key === "description");
  return [
    ...inAnyDirection(node),
    ...direction === "request" ? inRequest(node, isOption) : inResponse(node),
    ...(isAny ? [] : toAnotherType(node)),
    ...(isAny || isOption ? [] : toNullable(node, direction)),
  ];
}

function inAnyDirection(node: Json): Mutation[] {
  const [first, ...others] = (node.enum ?? []) as string[];
  return [
    free(
      "has another description",
      (it) => ({ ...it, description: "Other words", title: "x", examples: [1], default: 7 }),
    ),
    ...(node.enum
      ? [
        ...(others.length > 0 ? [broken("drops a value", "enum_changed", (it) => ({ ...it, enum: others }))] : []),
        broken("has a renamed value", "enum_changed", (it) => ({ ...it, enum: [`${first}x`, ...others] })),
        free("allows another value", (it) => ({ ...it, enum: ["another", ...it.enum] })),
      ]
      : []),
    ...("const" in node
      ? [broken("changes its constant", "enum_changed", (it) => ({ ...it, const: it.const === true ? false : "x" }))]
      : []),
    ...(node.anyOf
      ? [free("has its options in another order", (it) => ({ ...it, anyOf: it.anyOf.toReversed() }))]
      : []),
    ...(node.properties
      ? [free("has another field", (it) => ({ ...it, properties: { fresh: TEXT, ...it.properties } }))]
      : []),
  ];
}

function inRequest(node: Json, isOption: boolean): Mutation[] {
  const isText = node.type === "string" && !node.enum, isList = node.type === "array";
  const tighter = (name: string, edit: (it: Json) => Json) =>
    broken(name, "validation_tightened", (it) => ({ ...it, ...edit(it) }));
  return [
    ...(isText
      ? [
        tighter("has a higher minimum length", ({ minLength = 0 }) => ({ minLength: minLength + 1 })),
        tighter("has a lower maximum length", ({ maxLength = 900 }) => ({ maxLength: maxLength - 1 })),
        tighter("has another pattern", () => ({ pattern: "^x$" })),
        tighter("has another format", ({ format }) => ({ format: format === "uri" ? "email" : "uri" })),
        broken("allows only one value", "enum_changed", (it) => ({ ...it, enum: ["x"] })),
      ]
      : []),
    ...(isList
      ? [
        tighter("has a higher minimum number of items", ({ minItems = 0 }) => ({ minItems: minItems + 1 })),
        tighter("has a lower maximum number of items", ({ maxItems = 900 }) => ({ maxItems: maxItems - 1 })),
      ]
      : []),
    ...(node.properties
      ? [
        node.additionalProperties === false
          ? free("ignores unknown fields", ({ additionalProperties: _, ...it }) => it)
          : tighter("rejects unknown fields", () => ({ additionalProperties: false })),
        tighter("requires a new field", ({ required, properties }) => ({
          required: [...required, "fresh"],
          properties: { ...properties, fresh: TEXT },
        })),
      ]
      : []),
    ...Object.keys(node.properties ?? {}).filter((name) => !node.required?.includes(name)).map((name) =>
      tighter(`requires ${name}`, ({ required = [] }) => ({ required: [...required, name] }))
    ),
    ...Object.keys(node.properties ?? {}).flatMap((name) => [
      broken(`no longer accepts ${name}`, "field_renamed", without(name)),
      broken(`renames ${name}`, "field_renamed", renamed(name)),
    ]),
    ...(isMaybe(node)
      ? [tighter("never allows null", ({ anyOf }) => ({ anyOf: anyOf.filter(({ type }: Json) => type !== "null") }))]
      : []),
    free("has no limits", ({ pattern: _1, maxLength: _2, minLength: _3, maxItems: _4, minItems: _5, ...it }) => it),
    free("requires no field", ({ required: _, ...it }) => it),
    ...(isOption ? [] : [free("also allows other types", (it) => ({ anyOf: [it, ...othersThan(it)] }))]),
  ];
}

function inResponse(node: Json): Mutation[] {
  const names = Object.keys(node.properties ?? {});
  return [
    ...names.flatMap((name) => [
      broken(`no longer returns ${name}`, "response_field_removed", without(name)),
      broken(`renames ${name}`, "field_renamed", renamed(name)),
    ]),
    ...names.filter((name) => node.required?.includes(name)).map((name) =>
      broken(`makes ${name} optional`, "response_field_removed", (it) => ({
        ...it,
        required: it.required.filter((other: string) => other !== name),
      }))
    ),
    ...(node.format ? [broken("has no format", "type_changed", ({ format: _, ...it }) => it)] : []),
    ...(node.enum ? [broken("can be any text", "enum_changed", ({ enum: _, ...it }) => it)] : []),
    ...(node.properties ? [free("always returns every field", (it) => ({ ...it, required: names }))] : []),
    ...(node.type === "string" && !node.enum ? [free("returns only one value", (it) => ({ ...it, enum: ["x"] }))] : []),
    ...(node.type === "number" ? [free("is a whole number", (it) => ({ ...it, type: "integer", minimum: 0 }))] : []),
    ...(isMaybe(node) && node.anyOf.length > 1
      ? [free("is never null", (it) => ({ ...it, anyOf: it.anyOf.filter(({ type }: Json) => type !== "null") }))]
      : []),
  ];
}

/** Returns schemas for types that the node does not allow, so that the options in an `anyOf` remain distinguishable. */
function othersThan(node: Json): Json[] {
  const types = [node, ...node.anyOf ?? []].map(({ type, const: only }) => type ?? typeof only);
  return [{ type: "integer", minimum: 7 }, { type: "boolean", const: true }]
    .filter(({ type }) => !types.includes(type) && !(type === "integer" && types.includes("number")));
}

/** Whether the node is an `anyOf` in which null is one of the options. */
function isMaybe({ anyOf }: Json): boolean {
  return anyOf?.some(({ type }: Json) => type === "null") ?? false;
}

function toAnotherType(node: Json): Mutation[] {
  if (node.$ref) return [broken("is not an object", "type_changed", () => ({ type: "boolean" }))];
  const other = OTHER[node.type];
  return other ? [broken(`is of type ${other}`, "type_changed", () => ({ type: other }))] : [];
}

function toNullable(node: Json, direction: Direction): Mutation[] {
  if (isMaybe(node)) return [];
  const edit = (it: Json) => ({ anyOf: [it, NULL] });
  return [direction === "request" ? free("can be null", edit) : broken("can be null", "type_changed", edit)];
}

function without(name: string) {
  return ({ properties: { [name]: _, ...properties }, ...it }: Json): Json => ({
    ...it,
    properties,
    required: it.required?.filter((other: string) => other !== name),
  });
}

function renamed(name: string) {
  return (it: Json): Json => ({
    ...it,
    properties: { ...without(name)(it).properties, [`${name}Now`]: it.properties[name] },
    required: it.required?.map((other: string) => other === name ? `${name}Now` : other),
  });
}

function broken(name: string, kind: BreakingKind, edit: Mutation["edit"]): Mutation {
  return { name, kind, edit };
}

function free(name: string, edit: Mutation["edit"]): Mutation {
  return { name, kind: null, edit };
}
