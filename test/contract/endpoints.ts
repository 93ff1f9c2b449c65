/** Finds released endpoints that are no longer at their address: removed, or moved to a new endpoint with the same
 * form. */
import type { Change } from "#test/contract/findings.ts";
import type { Surface, SurfaceEndpoint } from "#test/contract/parse-surface.ts";

/** Returns a finding for each missing endpoint. `fresh` are the endpoints that the release did not have. */
export function findMovedEndpoints(
  gone: readonly SurfaceEndpoint[],
  fresh: readonly SurfaceEndpoint[],
): readonly (readonly [gone: SurfaceEndpoint, found: Change])[] {
  const free = [...fresh];
  return gone.map((endpoint) => {
    const place = { where: "address", within: null };
    const found = free.findIndex((other) => isLike(endpoint, other));
    if (found < 0) return [endpoint, { ...place, kind: "endpoint_removed", message: "The endpoint was removed" }];
    const [other] = free.splice(found, 1);
    const message = `The endpoint was removed. ${other!.name} is new and similar: was it moved?`;
    return [endpoint, { ...place, kind: "endpoint_moved", message }];
  });
}

/** Whether both have the same requests and responses, and the same method or path. */
function isLike(one: SurfaceEndpoint, other: SurfaceEndpoint): boolean {
  const [method, path] = addressOf(one).split(" "), [otherMethod, otherPath] = addressOf(other).split(" ");
  return formOf(one) === formOf(other) && (method === otherMethod || path === otherPath);
}

/** Returns the endpoints by address without parameter names: `GET /api/spokes/{}`. */
export function groupByAddress({ endpoints }: Surface): ReadonlyMap<string, SurfaceEndpoint> {
  return new Map([...endpoints.values()].map((endpoint) => [addressOf(endpoint), endpoint]));
}

function addressOf({ name }: SurfaceEndpoint): string {
  return name.replace(/\{[^}]*\}/g, "{}");
}

function formOf({ lines }: SurfaceEndpoint): string {
  return lines.filter((line) => /^(?:query|header|body|[23]\d\d) /.test(line)).join("\n");
}
