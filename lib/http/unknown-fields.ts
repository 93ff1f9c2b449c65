/** Refuses unknown fields and parameters, so that misspelled names do not go unnoticed, and suggests the right name. */
import { Fault } from "#lib/base/errors.ts";
import { findNearestName } from "#lib/base/nearest-name.ts";

const MAX_SHOWN = 5; // unknown fields per message, which also limits the number of comparisons
const MAX_NAME_LENGTH = 60; // characters of a name in the message

/** The parts of a valibot schema that this module reads: an object's fields, a list's items, or a wrapped schema. */
interface Shape {
  readonly type?: string;
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly item?: unknown;
  readonly wrapped?: unknown;
}

interface UnknownField {
  /** The path to the field, such as `address.stret`. */
  readonly path: string;
  readonly name: string;
  readonly known: readonly string[];
}

/** The schema of an endpoint that accepts no fields. */
const NOTHING: Shape = { type: "object", entries: {} };

/** Throws an `invalid` fault (`unknown_field`) if the body, at any depth, has a field that is not in the schema. */
export function refuseUnknownFields(schema: object | undefined, body: object): void {
  const strays = findUnknownFields(schema ?? NOTHING, body, "");
  if (strays.length > 0) throw new Fault("invalid", "unknown_field", describeUnknown("field", strays));
}

/** Throws an `invalid` fault (`unknown_parameter`) if the query has a parameter that is not in the schema. */
export function refuseUnknownParameters(schema: object | undefined, query: object): void {
  const strays = findUnknownFields(schema ?? NOTHING, query, "");
  if (strays.length > 0) throw new Fault("invalid", "unknown_parameter", describeUnknown("parameter", strays));
}

function findUnknownFields(schema: Shape, value: unknown, within: string): readonly UnknownField[] {
  const { type, entries, item, wrapped } = schema;
  if (wrapped) return findUnknownFields(wrapped, value, within);
  if (typeof value !== "object" || value === null) return [];
  if (item) {
    return Array.isArray(value) ? value.flatMap((one, i) => findUnknownFields(item, one, `${within}${i}.`)) : [];
  }
  if (!entries || type !== "object" && type !== "strict_object" || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = within + name;
    return Object.hasOwn(entries, name)
      ? findUnknownFields(entries[name]!, inner, `${path}.`)
      : [{ path, name, known: Object.keys(entries) }];
  });
}

function describeUnknown(what: string, strays: readonly UnknownField[]): string {
  const [first, ...others] = strays.slice(0, MAX_SHOWN).map(({ path, name, known }) => {
    const meant = findNearestName(name, known);
    return { called: quoted(path), meant: meant && quoted(path.slice(0, path.length - name.length) + meant), known };
  });
  if (others.length === 0) {
    const { called, meant, known } = first!;
    const choices = `this endpoint accepts ${known.map(quoted).join(", ") || "none"}`;
    return `Unknown ${what} ${called}; ${meant ? `did you mean ${meant}?` : choices}`;
  }
  const descriptions = [first!, ...others].map(({ called, meant }) =>
    meant ? `${called} (did you mean ${meant}?)` : called
  );
  const rest = strays.length - MAX_SHOWN;
  return `Unknown ${what}s ${descriptions.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** Shortens a name, removes control characters and adds quotes. */
function quoted(name: string): string {
  const [...letters] = name.slice(0, 2 * MAX_NAME_LENGTH).replace(/[\p{C}`]/gu, "\u{fffd}");
  return `\`${
    letters.length > MAX_NAME_LENGTH ? `${letters.slice(0, MAX_NAME_LENGTH).join("")}…` : letters.join("")
  }\``;
}
