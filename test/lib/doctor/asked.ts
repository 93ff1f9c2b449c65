/** What a request asked of a cluster needs to be allowed, in the words of roles: `create jobs.batch`, `get pods/log`. */
import type { ClusterAccess } from "#lib/drivers/cluster/cluster.ts";
import type { Asked } from "./between.ts";

export interface Needed {
  /** Null where it is asked of the whole cluster, or of a kind that stands in no namespace. */
  readonly namespace: string | null;
  readonly permissions: readonly string[];
}

/** No permissions for discovery and for what everybody may ask about themselves. */
export function neededFor({ method, path, query }: Asked): Needed {
  const [, version = "", rest = ""] = /^\/(?:api|apis)\/(v1|[^/]+\/[^/]+)\/(.+)$/.exec(path) ?? [];
  const parts = rest.split("/");
  const [, namespace] = parts[0] === "namespaces" && parts.length > 2 ? parts.splice(0, 2) : [];
  const [plural = "", name, subresource] = parts;
  if (plural === "" || plural.startsWith("selfsubject")) return { namespace: null, permissions: [] };
  const group = version === "v1" ? "" : version.split("/")[0]!;
  const resource = plural + (subresource ? `/${subresource}` : "");
  const permissions = verbsOf(method, name, query).map((verb) => namePermission({ verb, group, resource }));
  return { namespace: namespace ?? null, permissions };
}

export function namePermission({ verb, group, resource }: ClusterAccess): string {
  const [plural, subresource] = resource.split("/");
  return `${verb} ${plural}${group && `.${group}`}${subresource ? `/${subresource}` : ""}`;
}

function verbsOf(method: string, name: string | undefined, query: URLSearchParams): string[] {
  if (method === "POST") return ["create"];
  if (method === "DELETE") return ["delete"];
  if (method === "PATCH") return query.has("force") ? ["patch", "create"] : ["patch"]; // an apply may make its object
  return [name !== undefined ? "get" : query.has("watch") ? "watch" : "list"];
}
