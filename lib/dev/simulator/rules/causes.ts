/** Causes of a refusal that several rules share, besides those of refusal.ts. */
import type { Json } from "#lib/dev/simulator/object.ts";
import { type Cause, wrongValue } from "#lib/dev/simulator/refusal.ts";

export function tooLong(field: string, most: number): Cause {
  return { reason: "FieldValueTooLong", message: `Too long: may not be more than ${most} bytes`, field };
}

export function duplicate(field: string, value: Json): Cause {
  return { reason: "FieldValueDuplicate", message: `Duplicate value: ${JSON.stringify(value)}`, field };
}

export function missing(field: string, value: string): Cause {
  return { reason: "FieldValueNotFound", message: `Not found: ${JSON.stringify(value)}`, field };
}

/** One cause for each thing that is wrong with the value. */
export function wrong(field: string, value: Json, whys: readonly string[]): Cause[] {
  return whys.map((why) => wrongValue(field, value, why));
}

export function outside(field: string, value: number, least: number, most: number): Cause[] {
  if (value >= least && value <= most) return [];
  return [wrongValue(field, value, `must be between ${least} and ${most}, inclusive`)];
}

/** The second and every further item whose key was there before, with its place. */
export function repeated<T>(items: readonly T[], keyOf: (item: T) => string | undefined): { item: T; at: number }[] {
  const seen = new Set<string>();
  return items.flatMap((item, at) => {
    const key = keyOf(item);
    if (key === undefined || key === "") return [];
    if (seen.has(key)) return [{ item, at }];
    seen.add(key);
    return [];
  });
}
