/** The fields of two objects: which are gone, which have another name, which have to be sent, which always come. */
import type { Change } from "#lib/docs/contract/finding.ts";
import { change, type Place, step, subject } from "#lib/docs/contract/place.ts";
import { findRenamed, type Renamed } from "#lib/docs/contract/renamed.ts";
import type { JsonSchema } from "#lib/docs/json-schema.ts";

type Fields = Readonly<Record<string, unknown>>;
type Compare = (once: unknown, then: unknown, at: Place) => readonly Change[];

/** `compare` is what compares the fields' schemas, in which objects are compared again. */
export function compareFields(once: JsonSchema, then: JsonSchema, at: Place, compare: Compare): readonly Change[] {
  const was = (once.properties ?? {}) as Fields, is = (then.properties ?? {}) as Fields;
  const gone = Object.keys(was).filter((name) => !Object.hasOwn(is, name));
  const fresh = Object.keys(is).filter((name) => !Object.hasOwn(was, name));
  const renamed = findRenamed(gone, fresh, (name, other) => isAlike(was[name], is[other], step(at, name), compare));
  const kept = Object.keys(was).filter((name) => Object.hasOwn(is, name));
  return [
    ...gone.map((name) => goneField(step(at, name), renamed.get(name))),
    ...comparePresence(once, then, renamed, at),
    ...kept.flatMap((name) => compare(was[name], is[name], step(at, name))),
    ...compareOthers(once, then, at, compare),
  ];
}

/** One may be the other under another name: it has the same types, and nothing in it breaks. */
export function isAlike(once: unknown, then: unknown, at: Place, compare: Compare): boolean {
  const types = [at.was(once), at.is(then)].map((shapes) => shapes.map(({ type }) => type).sort().join());
  return types[0] === types[1] && compare(once, then, at).length === 0;
}

function goneField(at: Place, now: string | undefined): Change {
  if (now !== undefined) {
    const says = `${subject(at)} is gone; \`${now}\` is new and of the same type: is it the same under another name?`;
    return change(at, "field_renamed", says);
  }
  return at.direction === "response"
    ? change(at, "response_field_removed", `${subject(at)} is gone`)
    : change(at, "field_renamed", `${subject(at)} is no longer read: what is sent there is lost`);
}

function comparePresence(once: JsonSchema, then: JsonSchema, renamed: Renamed, at: Place): readonly Change[] {
  const was = requiredOf(once), is = requiredOf(then);
  if (at.direction === "request") {
    const known = [...renamed].filter(([name]) => was.includes(name)).map(([, now]) => now);
    return is.filter((name) => !was.includes(name) && !known.includes(name)).map((name) =>
      change(step(at, name), "validation_tightened", `\`${name}\` has to be sent now`)
    );
  }
  const fields = then.properties as Fields | undefined;
  return was.filter((name) => !is.includes(name) && Object.hasOwn(fields ?? {}, name)).map((name) =>
    change(step(at, name), "response_field_removed", `\`${name}\` is no longer always there`)
  );
}

function requiredOf({ required }: JsonSchema): readonly string[] {
  return (required ?? []) as readonly string[];
}

/** The fields that have no name of their own in the schema. */
function compareOthers(once: JsonSchema, then: JsonSchema, at: Place, compare: Compare): readonly Change[] {
  const was = once.additionalProperties, is = then.additionalProperties;
  if (was === undefined && is === undefined) return [];
  if (is === false) {
    if (at.direction === "request" && was !== false) {
      return [
        change(at, "validation_tightened", `${subject(at)} refuses fields that it does not know, and ignored them`),
      ];
    }
    // Only where fields of any name were answered is it a loss that there are none.
    return was === undefined || was === false
      ? []
      : [change(at, "response_field_removed", `${subject(at)} had fields of any name, and has none now`)];
  }
  // New fields of an answer come without notice, and so does a request that reads more.
  if (was === false) return [];
  return compare(was ?? true, is ?? true, step(at, "{*}"));
}
