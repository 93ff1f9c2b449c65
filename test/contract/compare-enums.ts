/**
 * Compares the values of two enums. A constant is an enum with one value. Responses may get new values without notice.
 */
import { type Change, createChange, describePosition, type SchemaPosition } from "#test/contract/findings.ts";
import type { SchemaShape } from "#test/contract/schema-shapes.ts";

export function compareEnums(before: SchemaShape, after: SchemaShape, at: SchemaPosition): readonly Change[] {
  const was = valuesOf(before), is = valuesOf(after);
  const gone = was && is ? was.filter((value) => !is.includes(value)) : [];
  if (at.direction === "request") {
    if (!was && is) {
      return [createChange(at, "enum_changed", `${describePosition(at)} now accepts only ${words(is)}`)];
    }
    return gone.length > 0
      ? [createChange(at, "enum_changed", `${describePosition(at)} no longer accepts ${words(gone)}`)]
      : [];
  }
  // No finding for a boolean whose single value becomes another type: it never was an enum.
  if (!was || before.node.values.length === 0) return [];
  if (!is) {
    return [
      createChange(
        at,
        "enum_changed",
        `${describePosition(at)} is no longer one of ${words(was)}, but any ${after.type}`,
      ),
    ];
  }
  if (gone.length === 0) return [];
  const fresh = is.filter((value) => !was.includes(value));
  const hint = fresh.length > 0 ? `; ${words(fresh)} is new: is it the same under another name?` : "";
  return [createChange(at, "enum_changed", `${describePosition(at)} is never ${words(gone)} any more${hint}`)];
}

/** Returns all possible values, or null if the schema does not list them. */
function valuesOf({ type, node }: SchemaShape): readonly unknown[] | null {
  const own = node.values.filter((value) =>
    type === "any" || type === typeOf(value) || type === "integer" && typeOf(value) === "number"
  );
  return own.length > 0 ? own : type === "boolean" ? [true, false] : null;
}

function typeOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}

const MOST = 8;

function words(values: readonly unknown[]): string {
  const listed = values.slice(0, MOST).map((value) =>
    `\`${typeof value === "string" ? value : JSON.stringify(value)}\``
  );
  return listed.join(", ") + (values.length > MOST ? ` and ${values.length - MOST} more` : "");
}
