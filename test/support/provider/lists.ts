/** Divides lists into pages, with the newest objects first: https://docs.stripe.com/api/pagination */
import type { Json } from "#test/support/provider/records.ts";
import { invalidParameter, resourceMissing } from "#test/support/provider/api-error.ts";

const CARRIED = 10;

/** Returns a page of objects. `made` contains all objects, in order of creation. */
export function paginate(url: string, kind: string, made: Iterable<Json>, given: Record<string, Json>): Json {
  const { limit = 10, starting_after: after, ending_before: before, created } = given;
  if (limit < 1 || limit > 100) {
    throw invalidParameter("limit", "This value must be from 1 to 100", "parameter_invalid_integer");
  }
  if (after !== undefined && before !== undefined) {
    throw invalidParameter("starting_after", "You can only use one of starting_after and ending_before");
  }
  const all = [...made].reverse().filter((each) => created === undefined || within(each.created, created));
  const place = (id: string, param: string) => {
    const found = all.findIndex((each) => each.id === id);
    if (found < 0) throw resourceMissing(kind, id, param);
    return found;
  };
  if (before !== undefined) {
    const end = place(before, "ending_before"), start = Math.max(0, end - limit);
    return { object: "list", data: all.slice(start, end), has_more: start > 0, url };
  }
  const start = after === undefined ? 0 : place(after, "starting_after") + 1;
  return { object: "list", data: all.slice(start, start + limit), has_more: start + limit < all.length, url };
}

/** Shortens nested lists to ten items and sets their `has_more`. Modifies the value in place. */
export function truncateNested(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  for (const each of Object.values(value) as Json[]) {
    truncateNested(each);
    if (each?.object !== "list" || each.data.length <= CARRIED) continue;
    each.data.length = CARRIED;
    each.has_more = true;
  }
  return value;
}

function within(time: number, range: Json): boolean {
  if (typeof range === "number") return time === range;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range;
  return time > gt && time >= gte && time < lt && time <= lte;
}
