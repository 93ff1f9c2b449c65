/** Causes of a refusal, each about one field, in the API server's words. */
import { isRecord, type Json } from "#lib/dev/simulator/object.ts";
import type { Cause } from "#lib/dev/simulator/refusal.ts";

/** All causes that there are, in order: what did not apply is false, or empty. */
export function all(...found: readonly (Cause | readonly Cause[] | false | "" | 0 | null | undefined)[]): Cause[] {
  return found.flatMap((each) => each || []);
}

export function wrongValue(field: string, value: Json, why: string): Cause {
  return cause(
    "Invalid",
    field,
    `Invalid value: ${typeof value === "string" ? JSON.stringify(value) : goValue(value)}: ${why}`,
  );
}

/** As a CRD's own rules say it: no value is shown, or it is shown as Go prints it. */
export function invalidAs(field: string, said: string): Cause {
  return cause("Invalid", field, `Invalid value: ${said}`);
}

export function required(field: string, why = ""): Cause {
  return cause("Required", field, why === "" ? "Required value" : `Required value: ${why}`);
}

export function forbiddenField(field: string, why: string): Cause {
  return cause("Forbidden", field, `Forbidden: ${why}`);
}

export function unsupported(field: string, value: Json, known: readonly string[]): Cause {
  const choices = known.map((choice) => JSON.stringify(choice)).join(", ");
  return cause("NotSupported", field, `Unsupported value: ${JSON.stringify(value)}: supported values: ${choices}`);
}

export function tooLong(field: string, most: number): Cause {
  return cause("TooLong", field, `Too long: may not be more than ${most} bytes`);
}

export function duplicate(field: string, value: Json): Cause {
  return cause("Duplicate", field, `Duplicate value: ${JSON.stringify(value)}`);
}

export function missing(field: string, value: string): Cause {
  return cause("NotFound", field, `Not found: ${JSON.stringify(value)}`);
}

/** One cause for each thing that is wrong with the value. */
export function wrong(field: string, value: Json, whys: readonly string[]): Cause[] {
  return whys.map((why) => wrongValue(field, value, why));
}

export function outside(field: string, value: number, least: number, most: number): Cause[] {
  return all(
    (value < least || value > most) && wrongValue(field, value, `must be between ${least} and ${most}, inclusive`),
  );
}

/** The second and every further item whose key was there before, with its place. */
export function repeated<T>(items: readonly T[], keyOf: (item: T) => string | undefined): { item: T; at: number }[] {
  const keys = items.map(keyOf);
  return items.map((item, at) => ({ item, at })).filter(({ at }) => keys[at] && keys.indexOf(keys[at]) < at);
}

function cause(what: string, field: string, message: string): Cause {
  return { reason: `FieldValue${what}`, message, field };
}

/** A value as Go prints it in messages: maps of strings get their type, the rest is JSON. */
function goValue(value: Json): string {
  const texts = isRecord(value) && Object.values(value).every((inner) => typeof inner === "string");
  if (!texts) return JSON.stringify(value) ?? "null";
  const entries = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${JSON.stringify(value[name])}`);
  return `map[string]string{${entries.join(", ")}}`;
}
