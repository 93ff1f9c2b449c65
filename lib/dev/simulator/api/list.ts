/** Lists objects by label and field selectors, in pages. Checks the list options as the API server does. */
import { rejectInvalidOptions } from "#lib/dev/simulator/api/options.ts";
import type { ApiKind, Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import {
  type ObjectPredicate,
  parseFieldSelector,
  parseLabelSelector,
} from "#lib/dev/simulator/admission/selectors.ts";
import { cause, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { getListSortKey } from "#lib/dev/simulator/store/store.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

/** Returns a predicate that is true for objects that match the query's label and field selectors. */
export function parseListSelectors(kind: ApiKind, query: URLSearchParams): ObjectPredicate {
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  const fields = parseFieldSelector(kind, query.get("fieldSelector") ?? "");
  return (object) => labels(object) && fields(object);
}

/** Throws if an option in the query is invalid for a list or, if `watches` is set, for a watch. */
export function validateListOptions(world: Simulation, query: URLSearchParams, watches: boolean): void {
  for (const name of ["limit", "timeoutSeconds"]) {
    const text = query.get(name) ?? "";
    if (text !== "" && !/^[+-]?\d+$/.test(text)) {
      throw StatusError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    }
  }
  const match = query.get("resourceVersionMatch") ?? "";
  const wrong = watches && query.has("sendInitialEvents") ? match !== "NotOlderThan" : match !== "" &&
    (watches || !query.get("resourceVersion") || match !== "Exact" && match !== "NotOlderThan");
  const forbidden = cause.forbidden("resourceVersionMatch", "resourceVersionMatch does not fit the other options");
  rejectInvalidOptions("ListOptions", wrong ? [forbidden] : []);
  const version = query.get("resourceVersion") ?? "";
  if (!/^\d*$/.test(version)) {
    const message = `invalid resource version: ${JSON.stringify(version)}`;
    throw watches ? new StatusError(500, undefined, message) : StatusError.badRequest(message);
  }
  const now = world.store.version();
  if (watches || Number(version) <= now) return;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  const message = `Timeout: Too large resource version: ${version}, current: ${now}`;
  throw new StatusError(504, "Timeout", message, { causes, retryAfterSeconds: 1 }, { "retry-after": "1" });
}

export function listObjects(
  world: Simulation,
  kind: ApiKind,
  namespace: string | undefined,
  query: URLSearchParams,
): Json {
  validateListOptions(world, query, false);
  const selected = parseListSelectors(kind, query);
  const token = parseContinueToken(query.get("continue"));
  if (token && token.version < world.store.horizon()) {
    throw new StatusError(
      410,
      "Expired",
      "The provided continue parameter is too old to display a consistent list result",
    );
  }
  const limit = Number(query.get("limit") ?? 0);
  const all = world.store.list(kind.kind, namespace);
  const selecting = query.get("labelSelector") || query.get("fieldSelector");
  const start = token === null ? 0 : indexAfter(all, token.start);
  // With a selector, stops the search after one page, because the response then contains no remainingItemCount.
  const found = selecting && limit > 0
    ? takeMatching(all, start, selected, limit + 1)
    : all.slice(start).filter(selected);
  const page = limit > 0 ? found.slice(0, limit) : found;
  const more = found.length > page.length;
  const version = token?.version ?? world.store.version();
  return {
    kind: `${kind.kind}List`,
    apiVersion: kind.apiVersion,
    metadata: {
      resourceVersion: String(version),
      ...(more ? { continue: renderContinueToken(version, getListSortKey(page.at(-1)!)) } : {}),
      ...(more && !selecting ? { remainingItemCount: found.length - page.length } : {}),
    },
    items: page.map((object) => toListItem(kind, object)),
  };
}

function takeMatching(
  all: readonly StoredObject[],
  start: number,
  selected: ObjectPredicate,
  most: number,
): StoredObject[] {
  const found: StoredObject[] = [];
  for (let i = start; i < all.length && found.length < most; i++) if (selected(all[i]!)) found.push(all[i]!);
  return found;
}

/** Returns the index of the first object whose key is greater than `start`. Lists are sorted by key. */
function indexAfter(all: readonly StoredObject[], start: string): number {
  let low = 0, high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (getListSortKey(all[middle]!) > start) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Converts an object to a list item. Items of built-in kinds have no apiVersion and kind. Only their list has them. */
export function toListItem(kind: ApiKind, object: StoredObject): Json {
  if (kind.custom) return object;
  const { apiVersion: _, kind: __, ...rest } = object;
  return rest;
}

const TOKEN_VERSION = "meta.k8s.io/v1";

function renderContinueToken(version: number, start: string): string {
  return btoa(JSON.stringify({ v: TOKEN_VERSION, rv: version, start }));
}

function parseContinueToken(text: string | null): { version: number; start: string } | null {
  if (text === null || text === "") return null;
  let token: Json = null;
  try {
    token = JSON.parse(atob(text));
  } catch { /* refused below */ }
  if (token?.v !== TOKEN_VERSION) throw StatusError.badRequest("invalid continue token: continue key is not valid");
  return { version: Number(token.rv), start: String(token.start) };
}
