/** The values of two enums; `const` is an enum of one. New cases of an answer come without notice (spec 9.4). */
import type { Change } from "#lib/docs/contract/finding.ts";
import { has } from "#lib/docs/contract/merge.ts";
import { change, type Place, subject } from "#lib/docs/contract/place.ts";
import type { Shape } from "#lib/docs/contract/shapes.ts";

export function compareValues(once: Shape, then: Shape, at: Place): readonly Change[] {
  const was = valuesOf(once), is = valuesOf(then);
  const gone = was && is ? was.filter((value) => !has(is, value)) : [];
  if (at.direction === "request") {
    if (!was && is) return [change(at, "enum_changed", `${subject(at)} accepts nothing but ${words(is)} now`)];
    return gone.length > 0 ? [change(at, "enum_changed", `${subject(at)} no longer accepts ${words(gone)}`)] : [];
  }
  // That a boolean is answered with one of its values alone is told of no other type: it never was a list of cases.
  if (!once.rules.enum) return [];
  if (!is) {
    return [change(at, "enum_changed", `${subject(at)} is no longer one of ${words(was!)}, but any ${then.type}`)];
  }
  if (gone.length === 0) return [];
  const fresh = is.filter((value) => !has(was!, value));
  const hint = fresh.length > 0 ? `; ${words(fresh)} is new: is it the same under another name?` : "";
  return [change(at, "enum_changed", `${subject(at)} is never ${words(gone)} any more${hint}`)];
}

/** All values that it can have, or null where they are not counted. */
function valuesOf({ type, rules }: Shape): readonly unknown[] | null {
  if (Array.isArray(rules.enum)) return rules.enum;
  return type === "boolean" ? [true, false] : null;
}

const MOST = 8;

function words(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST).map((value) =>
    `\`${typeof value === "string" ? value : JSON.stringify(value)}\``
  );
  return shown.join(", ") + (values.length > MOST ? ` and ${values.length - MOST} more` : "");
}
