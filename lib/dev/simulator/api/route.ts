/** Parses a URL path into kind, namespace, object name and subresource, and creates discovery responses. */
import type { ApiKind, ApiKindRegistry, Json } from "#lib/dev/simulator/store/object.ts";

export interface ApiRoute {
  readonly kind: ApiKind;
  /** The namespace in the path. Undefined for cluster-scoped kinds and for lists across all namespaces. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Parses the path of a resource. Returns null for a path that the server does not serve. */
export function parseApiRoute(kinds: ApiKindRegistry, path: string): ApiRoute | null {
  const parts = path.split("/").slice(1).map(decode);
  const core = parts[0] === "api";
  if (!core && parts[0] !== "apis") return null;
  const [group, version] = core ? ["", parts[1]] : [parts[1], parts[2]];
  let rest = parts.slice(core ? 2 : 3);
  if (group === undefined || version === undefined) return null;
  const scoped = rest[0] === "namespaces" && rest.length > 2 && !isNamespaceItself(rest);
  const namespace = scoped ? rest[1] : undefined;
  if (scoped) rest = rest.slice(2);
  const [plural = "", name, subresource, ...more] = rest;
  const kind = kinds.at(group, version, plural);
  if (!kind || more.length > 0 || name === "" || (namespace !== undefined && !kind.namespaced)) return null;
  if (name !== undefined && kind.namespaced && namespace === undefined) return null;
  return { kind, namespace, name, subresource };
}

/** Whether the path is under an API group and version that the server serves. */
export function isServedApiGroup(kinds: ApiKindRegistry, path: string): boolean {
  const [, root, ...rest] = path.split("/");
  const [group, version] = root === "api" ? ["", rest[0]] : root === "apis" ? [rest[0], rest[1]] : [];
  return kinds.all.some((kind) => kind.group === group && kind.version === version);
}

/** Whether the path names a subresource of the namespace itself: `namespaces/x/status` or `namespaces/x/finalize`. */
function isNamespaceItself(rest: readonly string[]): boolean {
  return rest.length === 3 && (rest[2] === "status" || rest[2] === "finalize");
}

/** Decodes a path segment. Returns the segment unchanged if its encoding is invalid. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

const FIRST_GROUPS = ["apiregistration.k8s.io", "apps"];

const VERSION = {
  major: "1",
  minor: "33",
  emulationMajor: "1",
  emulationMinor: "33",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "32",
  gitVersion: "v1.33.13",
  gitTreeState: "clean",
  compiler: "gc",
  platform: "linux/amd64",
};

/** Returns the discovery response for the path, or null if it is not a discovery path. */
export function renderDiscovery(kinds: ApiKindRegistry, path: string): Json | null {
  const parts = path.split("/").slice(1).filter((part) => part !== "");
  if (path === "/version") return VERSION;
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] };
  if (path === "/openapi/v3") return { paths: Object.fromEntries(versionsOf(kinds).map((at) => [at, whereOf(at)])) };
  if (path.startsWith("/openapi/v3/")) return openApiOf(kinds, path.slice("/openapi/v3/".length));
  if (path === "/apis") return { kind: "APIGroupList", apiVersion: "v1", groups: groupsOf(kinds) };
  if (parts[0] === "api" && parts[1] === "v1" && parts.length === 2) return resourcesOf(kinds, "v1");
  if (parts[0] !== "apis") return null;
  if (parts.length === 2) {
    const group = groupsOf(kinds).find((each) => each.name === parts[1]);
    return group ? { kind: "APIGroup", apiVersion: "v1", ...group } : null;
  }
  return parts.length === 3 ? resourcesOf(kinds, `${parts[1]}/${parts[2]}`) : null;
}

/** Returns the root path for each API group version, for example `api/v1` or `apis/apps/v1`. */
function versionsOf(kinds: ApiKindRegistry): string[] {
  return [...new Set(kinds.all.map(({ apiVersion }) => rootOf(apiVersion)))];
}

function rootOf(apiVersion: string): string {
  return `${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`;
}

function whereOf(version: string): Json {
  return { serverRelativeURL: `/openapi/v3/${version}` };
}

/** Returns the part of the OpenAPI document from which kubectl and Helm detect support for `fieldValidation`. */
function openApiOf(kinds: ApiKindRegistry, version: string): Json | null {
  const own = kinds.all.filter(({ apiVersion }) => rootOf(apiVersion) === version);
  if (own.length === 0) return null;
  const parameters = [{ name: "fieldValidation", in: "query", schema: { type: "string" } }];
  const paths = own.map(({ group, version: v, kind, plural, namespaced }) => {
    const patch = { parameters, "x-kubernetes-group-version-kind": { group, version: v, kind } };
    return [`/${version}/${namespaced ? "namespaces/{namespace}/" : ""}${plural}/{name}`, { patch }];
  });
  return { openapi: "3.0.0", info: { title: "Kubernetes", version: "v1.33" }, paths: Object.fromEntries(paths) };
}

function groupsOf(kinds: ApiKindRegistry): Json[] {
  const versions = new Map(kinds.all.filter((kind) => kind.group !== "").map((kind) => [kind.group, kind]));
  return [...versions.values()].sort((a, b) => rank(a) - rank(b) || (a.group < b.group ? -1 : 1)).map((kind) => {
    const entry = { groupVersion: kind.apiVersion, version: kind.version };
    return { name: kind.group, versions: [entry], preferredVersion: entry };
  });
}

/** Returns a group's position in the list of API groups. Kubernetes lists a few groups first, and CRD groups last. */
function rank(kind: ApiKind): number {
  if (kind.custom) return FIRST_GROUPS.length + 1;
  const at = FIRST_GROUPS.indexOf(kind.group);
  return at < 0 ? FIRST_GROUPS.length : at;
}

function resourcesOf(kinds: ApiKindRegistry, groupVersion: string): Json | null {
  const own = kinds.all.filter((kind) => kind.apiVersion === groupVersion).sort((a, b) => a.plural < b.plural ? -1 : 1);
  if (own.length === 0) return null;
  const head = groupVersion === "v1" ? {} : { apiVersion: "v1" };
  return { kind: "APIResourceList", ...head, groupVersion, resources: own.flatMap(describe) };
}

function describe(kind: ApiKind): Json[] {
  const { plural, namespaced } = kind;
  const verbs = kind.kind.startsWith("SelfSubject") ? ["create"] : VERBS;
  const sub = (name: string, ofKind: string, more: Json = {}) => ({
    name: `${plural}/${name}`,
    singularName: "",
    namespaced,
    ...more,
    kind: ofKind,
    verbs: ["get", "patch", "update"],
  });
  return [
    {
      name: plural,
      singularName: kind.kind.toLowerCase(),
      namespaced,
      kind: kind.kind,
      verbs,
      ...(kind.short.length > 0 ? { shortNames: kind.short } : {}),
    },
    ...(kind.kind === "Pod" ? [{ ...sub("log", "Pod"), verbs: ["get"] }] : []),
    ...(kind.scale ? [sub("scale", "Scale", { group: "autoscaling", version: "v1" })] : []),
    ...(kind.status ? [sub("status", kind.kind)] : []),
  ];
}
