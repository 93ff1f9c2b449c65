/** Two schemas of the same place: types, values, rules, and what is inside. */
import { isReference } from "#lib/docs/contract/document.ts";
import { compareFields } from "#lib/docs/contract/fields.ts";
import type { Change } from "#lib/docs/contract/finding.ts";
import { change, into, type Place, step, subject } from "#lib/docs/contract/place.ts";
import { tightened } from "#lib/docs/contract/rules.ts";
import type { Shape } from "#lib/docs/contract/shapes.ts";
import { tightenedInWords } from "#lib/docs/contract/spoken.ts";
import { compareValues } from "#lib/docs/contract/values.ts";

const DEEPEST = 30; // no schema that people can read is as deep; one that is put together of itself is

/** What breaks when the schema of a place was the one and is the other. */
export function compareSchemas(once: unknown, then: unknown, at: Place): readonly Change[] {
  const pair = [identityOf(once), identityOf(then)] as const;
  if (at.above.length > DEEPEST || at.above.some(([one, other]) => one === pair[0] && other === pair[1])) return [];
  const inner = { ...at, above: [...at.above, pair] };
  const was = at.was(once), is = at.is(then);
  const found = at.direction === "request" ? compareAccepted(was, is, inner) : compareAnswered(was, is, inner);
  // What two shapes have in common is told once.
  return found.filter((one, i) => found.findIndex((other) => key(other) === key(one)) === i);
}

/** A reference is what it refers to, wherever it stands. */
function identityOf(schema: unknown): unknown {
  return isReference(schema) && Object.keys(schema).every((name) => name === "$ref" || name === "description")
    ? schema.$ref
    : schema;
}

function key({ kind, where, says }: Change): string {
  return [kind, where, says].join("\n");
}

/** Each shape that was accepted has to be accepted still. */
function compareAccepted(was: readonly Shape[], is: readonly Shape[], at: Place): readonly Change[] {
  const found: Change[] = [], refused: Shape[] = [];
  for (const shape of was) {
    const takers = is.filter((other) => includes(other.type, shape.type));
    if (takers.length === 0) refused.push(shape);
    else found.push(...fewest(takers.map((other) => compareShapes(shape, other, at))));
  }
  const types = refused.filter(({ type }) => type !== "null");
  if (types.length > 0) {
    found.push(change(at, "type_changed", `${subject(at)} was ${list(was)}, and is ${list(is)} now`));
  } else if (refused.length > 0) {
    found.push(change(at, "validation_tightened", `${subject(at)} was allowed to be null, and is not any more`));
  }
  return found;
}

/** Each shape that is answered has to be one that was answered before. */
function compareAnswered(was: readonly Shape[], is: readonly Shape[], at: Place): readonly Change[] {
  const found: Change[] = [], seen = new Set<Shape>(), fresh = new Set<string>();
  for (const shape of is) {
    const known = was.filter((other) => includes(other.type, shape.type));
    if (known.length === 0) fresh.add(shape.type);
    else {
      const tried = known.map((other) => compareShapes(other, shape, at)), best = fewest(tried);
      seen.add(known[tried.indexOf(best)]!);
      found.push(...best);
    }
  }
  const isNullable = fresh.delete("null"), isValue = ({ type }: Shape) => type !== "null";
  if (fresh.size > 0 || was.some(isValue) && !is.some(isValue)) {
    return [...found, change(at, "type_changed", `${subject(at)} was ${list(was)}, and is ${list(is)} now`)];
  }
  if (isNullable) found.push(change(at, "type_changed", `${subject(at)} may be null now, and never was`));
  const gone = was.filter((shape) => shape.type === "object" && !seen.has(shape));
  for (const { rules } of gone) {
    const names = Object.keys(rules.properties ?? {}).map((name) => `\`${name}\``).join(", ");
    found.push(
      change(at, "response_field_removed", `${subject(at)} no longer has the form with ${names || "any field"}`),
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

function list(shapes: readonly Shape[]): string {
  const types = [...new Set(shapes.map(({ type }) => type === "any" ? "anything" : type))];
  return types.length > 0 ? types.join(" or ") : "nothing that can be sent";
}

function compareShapes(once: Shape, then: Shape, outer: Place): readonly Change[] {
  const at = into(outer, once.name);
  const hasFields = then.type !== "any" || "properties" in then.rules;
  return [
    ...compareValues(once, then, at),
    ...compareRules(once, then, at),
    ...(hasFields ? compareFields(once.rules, then.rules, at, compareSchemas) : []),
    ...compareItems(once, then, at),
  ];
}

function compareRules({ rules: once }: Shape, { rules: then }: Shape, at: Place): readonly Change[] {
  const asked = at.direction === "request";
  const [wide, narrow] = asked ? [once, then] : [then, once];
  const found = tightened(wide, narrow);
  return (found.length > 0 || !asked ? found : tightenedInWords(once, then)).map(({ rule, ...values }) =>
    asked
      ? change(
        at,
        "validation_tightened",
        `${subject(at)} accepts less: ${rule} was ${values.once}, is ${values.then} now`,
      )
      : change(at, "type_changed", `${subject(at)} may be more: ${rule} was ${values.then}, is ${values.once} now`)
  );
}

function compareItems({ rules: once }: Shape, { rules: then }: Shape, at: Place): readonly Change[] {
  const inside = step(at, "[]");
  const first = (once.prefixItems ?? []) as readonly unknown[], others = (then.prefixItems ?? []) as readonly unknown[];
  const rest = [once.items ?? true, then.items ?? true] as const;
  return [
    ...Array.from(
      { length: Math.max(first.length, others.length) },
      (_, i) => compareSchemas(first[i] ?? rest[0], others[i] ?? rest[1], inside),
    ).flat(),
    ...("items" in once || "items" in then ? compareSchemas(...rest, inside) : []),
  ];
}
