/** Lists objects by label and field selectors, in pages. Checks the list options as the API server does. */
import { rejectInvalidOptions } from "#lib/dev/simulator/api/options.ts";
import type { ApiKind, Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import {
  type ObjectPredicate,
  parseFieldSelector,
  parseLabelSelector,
} from "#lib/dev/simulator/admission/selectors.ts";
import { cause, collectCauses, type StatusCause, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { getListSortKey } from "#lib/dev/simulator/store/store.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const VERSION_MATCHES = ["Exact", "NotOlderThan", ""];

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
  rejectInvalidOptions("ListOptions", validateVersionMatch(query, watches));
  const version = query.get("resourceVersion") ?? "";
  if (!/^\d*$/.test(version)) {
    const why = `Invalid value: ${JSON.stringify(version)}: strconv.ParseUint: parsing ${JSON.stringify(version)}: ` +
      "invalid syntax";
    if (watches) throw new StatusError(500, undefined, `resourceVersion: ${why}`);
    throw StatusError.badRequest(`invalid resource version: resourceVersion: ${why}`);
  }
  const now = world.store.version();
  if (watches || Number(version) <= now) return;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  const message = `Timeout: Too large resource version: ${version}, current: ${now}`;
  throw new StatusError(504, "Timeout", message, { causes, retryAfterSeconds: 1 }, { "retry-after": "1" });
}

function validateVersionMatch(query: URLSearchParams, watches: boolean): StatusCause[] {
  const field = "resourceVersionMatch", match = query.get(field) ?? "";
  if (watches && query.has("sendInitialEvents")) {
    const why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    return collectCauses(match !== "NotOlderThan" && cause.forbidden(field, why));
  }
  if (match === "") return [];
  const missing = watches ? "for watch unless sendInitialEvents is" : "unless resourceVersion is";
  const supported = watches ? ["NotOlderThan"] : VERSION_MATCHES;
  return collectCauses(
    (watches || !query.get("resourceVersion")) &&
      cause.forbidden(field, `resourceVersionMatch is forbidden ${missing} provided`),
    !supported.includes(match) && cause.unsupported(field, match, supported),
  );
}

export function listObjects(
  world: Simulation,
  kind: ApiKind,
  namespace: string | undefined,
  query: URLSearchParams,
  accept?: string,
): Json {
  validateListOptions(world, query, false);
  const selected = parseListSelectors(kind, query);
  const token = parseContinueToken(query.get("continue"));
  if (token && token.version < world.store.horizon()) throw expiredTokenError();
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
  const list = {
    kind: `${kind.kind}List`,
    apiVersion: kind.apiVersion,
    metadata: {
      resourceVersion: String(version),
      ...(more ? { continue: renderContinueToken(version, getListSortKey(page.at(-1)!)) } : {}),
      ...(more && !selecting ? { remainingItemCount: found.length - page.length } : {}),
    },
    items: page.map((object) => toListItem(kind, object)),
  };
  return requestsMetadataOnly(accept) ? toMetadataList(list) : list;
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

/** Whether the client requests only the objects' metadata. */
function requestsMetadataOnly(accept: string | undefined): boolean {
  const [first = ""] = (accept ?? "").split(",");
  const parameters = new Set(first.split(";").slice(1).map((each) => each.trim()));
  return ["as=PartialObjectMetadataList", "g=meta.k8s.io", "v=v1"].every((each) => parameters.has(each));
}

function toMetadataList(list: Json): Json {
  const apiVersion = "meta.k8s.io/v1";
  const items = list.items.map(({ metadata }: StoredObject) => ({
    kind: "PartialObjectMetadata",
    apiVersion,
    metadata,
  }));
  return { ...list, kind: "PartialObjectMetadataList", apiVersion, items };
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
  const refuse = (why: string) => StatusError.badRequest(`invalid continue token: continue key is not valid: ${why}`);
  let decoded = "", token: Json;
  try {
    decoded = atob(text);
    token = JSON.parse(decoded);
  } catch {
    throw refuse(`invalid character '${decoded[0] ?? ""}' looking for beginning of value`);
  }
  if (token?.v !== TOKEN_VERSION) throw refuse(`server does not recognize this encoded version ${token?.v}`);
  return { version: Number(token.rv), start: String(token.start) };
}

function expiredTokenError(): StatusError {
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new " +
    "list without the continue parameter, or use the continue token in this response to retrieve the remainder of the " +
    "results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, " +
    "or deleted between the time the first chunk was returned and now may show up in the list.";
  return new StatusError(410, "Expired", message);
}
