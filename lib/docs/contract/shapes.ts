/**
 * A schema as the shapes that a value of it can have, each of one type: references followed, `allOf` put together,
 * `anyOf`, `oneOf` and lists of types spread out.
 *
 * There are many ways to write one schema. Compared are shapes, so that another way of writing is no change.
 */
import { type OpenApiDocument, resolve } from "#lib/docs/contract/document.ts";
import { meet, merge } from "#lib/docs/contract/merge.ts";
import type { JsonSchema } from "#lib/docs/json-schema.ts";

export interface Shape {
  /** Of JSON, or `integer`, or `any` where the schema leaves it open. */
  readonly type: string;
  /** What holds for it beside its type; what `const` says stands in `enum`. */
  readonly rules: JsonSchema;
  /** The named schema that it comes from, or null. */
  readonly name: string | null;
}

/** Gives the shapes of the schemas of one document. A schema is worked on once. */
export type Shapes = (schema: unknown) => readonly Shape[];

export function shapesOf(document: OpenApiDocument): Shapes {
  const known = new WeakMap<object, readonly Shape[]>();
  return (schema) => {
    if (typeof schema !== "object" || schema === null) return spread(document, schema, []);
    const found = known.get(schema) ?? spread(document, schema, []);
    known.set(schema, found);
    return found;
  };
}

function spread(document: OpenApiDocument, schema: unknown, above: readonly unknown[]): readonly Shape[] {
  // What is an option of itself adds nothing to its other options.
  if (schema === false || above.includes(schema)) return [];
  if (typeof schema !== "object" || schema === null) return [{ type: "any", rules: {}, name: null }];
  const { $ref, allOf, anyOf, oneOf, ...own } = schema as Parts;
  const inner = (part: unknown) => spread(document, part, [...above, schema]);
  const factors = [
    ownShapes(own),
    ...($ref === undefined ? [] : [referred(document, $ref, inner)]),
    ...(allOf ?? []).map(inner),
    ...[anyOf, oneOf].flatMap((options) => options ? [options.flatMap(inner)] : []),
  ];
  return joinEnums(factors.reduce(cross));
}

interface Parts extends JsonSchema {
  readonly $ref?: string;
  readonly allOf?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
}

function referred(document: OpenApiDocument, $ref: string, inner: (part: unknown) => readonly Shape[]): Shape[] {
  const name = $ref.slice($ref.lastIndexOf("/") + 1);
  return inner(resolve<JsonSchema>(document, { $ref })).map((shape) => ({ ...shape, name: shape.name ?? name }));
}

function ownShapes({ type, const: only, enum: choices, ...rules }: JsonSchema): readonly Shape[] {
  const values = only !== undefined ? [only] : choices as readonly unknown[] | undefined;
  const types = type !== undefined ? [type].flat() as string[] : values ? [...new Set(values.map(typeOf))] : ["any"];
  return types.flatMap((each): Shape[] => {
    const own = values?.filter((value) => meet(typeOf(value), each) !== null);
    if (own?.length === 0) return [];
    return [{ type: each, rules: own ? { ...rules, enum: own } : rules, name: null }];
  });
}

export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** Every shape that is one of the left and one of the right. */
function cross(left: readonly Shape[], right: readonly Shape[]): readonly Shape[] {
  return left.flatMap((one) =>
    right.flatMap((other): Shape[] => {
      const type = meet(one.type, other.type);
      if (type === null) return [];
      return [{ type, rules: merge(one.rules, other.rules), name: one.name ?? other.name }];
    })
  );
}

/** Options that each give some of the values, as one shape that gives them all. */
function joinEnums(shapes: readonly Shape[]): readonly Shape[] {
  const joined: Shape[] = [];
  for (const shape of shapes) {
    const same = joined.findIndex(({ type, rules }) =>
      type === shape.type && isScalar(type) && rules.enum !== undefined && shape.rules.enum !== undefined
    );
    if (same < 0) {
      joined.push(shape);
      continue;
    }
    const { rules } = joined[same]!;
    const values = [...rules.enum as unknown[], ...shape.rules.enum as unknown[]];
    joined[same] = { ...joined[same]!, rules: { ...rules, enum: [...new Set(values)] } };
  }
  return joined;
}

function isScalar(type: string): boolean {
  return type !== "object" && type !== "array";
}
