/** Compares two schemas of the same place: types, values, rules and nested fields. */
import {
  type Change,
  createChange,
  describePosition,
  positionAt,
  type SchemaPosition,
} from "#test/contract/findings.ts";
import type { SchemaNode, Surface } from "#test/contract/parse-surface.ts";
import { matchRenames } from "#test/contract/match-renames.ts";
import { findTightenedRules } from "#test/contract/compare-rules.ts";
import { listShapes, type SchemaShape } from "#test/contract/schema-shapes.ts";
import { compareEnums } from "#test/contract/compare-enums.ts";

const ANY: SchemaNode = { types: ["any"], optional: false, rules: {}, values: [], parts: new Map() };

/** Returns the breaking changes of a place's schema. The parent compares whether the place exists. */
export function compareSchemaNodes(before: SchemaNode, after: SchemaNode, at: SchemaPosition): readonly Change[] {
  const pair = [meant(before, at.before), meant(after, at.after)] as const;
  if (isSame(before, after, at) || at.above.some(([one, other]) => one === pair[0] && other === pair[1])) return [];
  const inner = { ...at, above: [...at.above, pair] };
  const was = listShapes(before, at.before), is = listShapes(after, at.after);
  const found = at.direction === "request" ? compareAccepted(was, is, inner) : compareAnswered(was, is, inner);
  // Reports a change that two shapes share only once.
  return found.filter((one, i) => found.findIndex((other) => key(other) === key(one)) === i);
}

/** Resolves a named schema, so that a name equals its definition. */
function meant(node: SchemaNode, { schemas }: Surface): SchemaNode {
  return node.types.length === 1 ? schemas.get(node.types[0]!) ?? node : node;
}

function isSame(before: SchemaNode, after: SchemaNode, { isUnchanged }: SchemaPosition): boolean {
  return before.parts.size + after.parts.size === 0 && textOf(before) === textOf(after) && isUnchanged(before);
}

function textOf({ types, rules, values }: SchemaNode): string {
  return JSON.stringify([types, rules, values]);
}

function key({ kind, where, message: says }: Change): string {
  return [kind, where, says].join("\n");
}

/** Checks that each shape that was accepted is still accepted. */
function compareAccepted(
  was: readonly SchemaShape[],
  is: readonly SchemaShape[],
  at: SchemaPosition,
): readonly Change[] {
  const found: Change[] = [], refused: SchemaShape[] = [];
  for (const shape of was) {
    const takers = is.filter((other) => includes(other.type, shape.type));
    if (takers.length === 0) refused.push(shape);
    else found.push(...fewest(takers.map((other) => compareShapes(shape, other, at))));
  }
  if (refused.some(({ type }) => type !== "null")) {
    found.push(createChange(at, "type_changed", `${describePosition(at)} was ${list(was)}, and is ${list(is)} now`));
  } else if (refused.length > 0) {
    found.push(
      createChange(at, "validation_tightened", `${describePosition(at)} can no longer be null`),
    );
  }
  return found;
}

/** Checks that each shape of a response was possible before. */
function compareAnswered(
  was: readonly SchemaShape[],
  is: readonly SchemaShape[],
  at: SchemaPosition,
): readonly Change[] {
  const found: Change[] = [], seen = new Set<SchemaShape>(), fresh = new Set<string>();
  for (const shape of is) {
    const candidates = was.filter((other) => includes(other.type, shape.type));
    if (candidates.length === 0) fresh.add(shape.type);
    else {
      const comparisons = candidates.map((other) => compareShapes(other, shape, at)), best = fewest(comparisons);
      seen.add(candidates[comparisons.indexOf(best)]!);
      found.push(...best);
    }
  }
  const isNullable = fresh.delete("null"), isValue = ({ type }: SchemaShape) => type !== "null";
  if (fresh.size > 0 || was.some(isValue) && !is.some(isValue)) {
    return [
      ...found,
      createChange(at, "type_changed", `${describePosition(at)} was ${list(was)}, and is ${list(is)} now`),
    ];
  }
  if (isNullable) {
    found.push(createChange(at, "type_changed", `${describePosition(at)} can now be null`));
  }
  for (const { node } of was.filter((shape) => shape.type === "object" && !seen.has(shape))) {
    const names = fieldsOf(node).map((name) => `\`${name.slice(1)}\``).join(", ") || "any field";
    found.push(
      createChange(at, "response_field_removed", `${describePosition(at)} no longer has the form with ${names}`),
    );
  }
  return found;
}

function includes(wide: string, narrow: string): boolean {
  return wide === "any" || wide === narrow || wide === "number" && narrow === "integer";
}

function fewest(found: readonly (readonly Change[])[]): readonly Change[] {
  return found.reduce((best, other) => other.length < best.length ? other : best);
}

function list(shapes: readonly SchemaShape[]): string {
  return [...new Set(shapes.map(({ type }) => type === "any" ? "anything" : type))].join(" or ");
}

function compareShapes(before: SchemaShape, after: SchemaShape, outer: SchemaPosition): readonly Change[] {
  const at = before.name === null ? outer : { ...outer, within: before.name };
  const was = before.node, is = after.node, isOf = (type: string) => before.type === type && after.type === type;
  return [
    ...compareEnums(before, after, at),
    ...compareRules(before.type, was, is, at),
    ...(isOf("object") ? [...compareFields(was, is, at), ...compareOthers(was, is, at)] : []),
    ...(isOf("array")
      ? compareSchemaNodes(was.parts.get("[]") ?? ANY, is.parts.get("[]") ?? ANY, positionAt(at, "[]"))
      : []),
  ];
}

function compareRules(
  type: string,
  { rules: before }: SchemaNode,
  { rules: after }: SchemaNode,
  at: SchemaPosition,
): readonly Change[] {
  if (at.direction === "request") {
    return findTightenedRules(type, before, after).map(({ rule, was, is }) =>
      createChange(at, "validation_tightened", `${describePosition(at)} accepts less: ${rule} was ${was}, is ${is} now`)
    );
  }
  // The comparison is reversed: a response may become narrower. Rules in words apply only to requests.
  const { says: _, ...wide } = before, { says: __, ...narrow } = after;
  return findTightenedRules(type, narrow, wide).map(({ rule, was, is }) =>
    createChange(at, "type_changed", `${describePosition(at)} may be more: ${rule} was ${is}, is ${was} now`)
  );
}

function fieldsOf({ parts }: SchemaNode): readonly string[] {
  return [...parts.keys()].filter((name) => name.startsWith("."));
}

/** Finds fields that were removed or renamed, that became required, or that are no longer always present. */
function compareFields(before: SchemaNode, after: SchemaNode, at: SchemaPosition): readonly Change[] {
  const was = (name: string) => before.parts.get(name)!, is = (name: string) => after.parts.get(name)!;
  const gone = fieldsOf(before).filter((name) => !is(name)), fresh = fieldsOf(after).filter((name) => !was(name));
  const renamed = matchRenames(gone, fresh, (name, other) => isAlike(was(name), is(other), positionAt(at, name)));
  const candidates = gone.filter((name) => !was(name).optional).map((name) => renamed.get(name));
  const needed = at.direction === "request"
    ? fresh.filter((name) => !is(name).optional && !candidates.includes(name))
    : [];
  return [
    ...fieldsOf(before).flatMap((name) => {
      const place = positionAt(at, name);
      if (!is(name)) return goneField(place, renamed.get(name));
      return [...comparePresence(was(name), is(name), place), ...compareSchemaNodes(was(name), is(name), place)];
    }),
    ...needed.map((name) =>
      createChange(
        positionAt(at, name),
        "validation_tightened",
        `${describePosition(positionAt(at, name))} is now required`,
      )
    ),
  ];
}

/** Whether one may be the other renamed: both have the same types, and the change inside breaks nothing. */
function isAlike(before: SchemaNode, after: SchemaNode, at: SchemaPosition): boolean {
  const types = (shapes: readonly SchemaShape[]) => shapes.map(({ type }) => type).sort().join();
  return types(listShapes(before, at.before)) === types(listShapes(after, at.after)) &&
    compareSchemaNodes(before, after, at).length === 0;
}

function goneField(at: SchemaPosition, now: string | undefined): readonly Change[] {
  if (now !== undefined) {
    const hint = `\`${now.slice(1)}\` is new and of the same type: is it the same under another name?`;
    return [createChange(at, "field_renamed", `${describePosition(at)} is gone; ${hint}`)];
  }
  return at.direction === "response"
    ? [createChange(at, "response_field_removed", `${describePosition(at)} is gone`)]
    : [createChange(at, "field_renamed", `${describePosition(at)} is no longer read`)];
}

export function comparePresence(before: SchemaNode, after: SchemaNode, at: SchemaPosition): readonly Change[] {
  if (before.optional === after.optional || after.optional === (at.direction === "request")) return [];
  return after.optional
    ? [createChange(at, "response_field_removed", `${describePosition(at)} is no longer always present`)]
    : [createChange(at, "validation_tightened", `${describePosition(at)} is now required`)];
}

/** Compares the schemas of fields that are not named. */
function compareOthers(before: SchemaNode, after: SchemaNode, at: SchemaPosition): readonly Change[] {
  const was = before.parts.get("{*}"), is = after.parts.get("{*}");
  const isRequest = at.direction === "request", isClosed = after.rules.closed === true && before.rules.closed !== true;
  const refuses = `${describePosition(at)} rejects unknown fields, which were ignored before`;
  if (isRequest && isClosed) return [createChange(at, "validation_tightened", refuses)];
  if (was && is) return compareSchemaNodes(was, is, positionAt(at, "{*}"));
  if (was && !isRequest) {
    return [
      createChange(at, "response_field_removed", `${describePosition(at)} no longer has fields of any name`),
    ];
  }
  // A field that was ignored is now validated.
  return is && isRequest && before.rules.closed !== true ? compareSchemaNodes(ANY, is, positionAt(at, "{*}")) : [];
}
