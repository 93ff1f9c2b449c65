/** Discovery: what the server says of itself, its groups and their resources. */
import type { Kind, Kinds } from "#lib/dev/simulator/kinds.ts";
import type { Json } from "#lib/dev/simulator/object.ts";

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

/** The answer, or null where the path is not one of discovery's. */
export function discover(kinds: Kinds, path: string): Json | null {
  const parts = path.split("/").slice(1).filter((part) => part !== "");
  if (path === "/version") return VERSION;
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] };
  if (path === "/apis") return { kind: "APIGroupList", apiVersion: "v1", groups: groupsOf(kinds) };
  if (parts[0] === "api" && parts[1] === "v1" && parts.length === 2) return resourcesOf(kinds, "v1");
  if (parts[0] !== "apis") return null;
  if (parts.length === 2) {
    const group = groupsOf(kinds).find((each) => each.name === parts[1]);
    return group ? { kind: "APIGroup", apiVersion: "v1", ...group } : null;
  }
  return parts.length === 3 ? resourcesOf(kinds, `${parts[1]}/${parts[2]}`) : null;
}

function groupsOf(kinds: Kinds): Json[] {
  const versions = new Map(kinds.all.filter((kind) => kind.group !== "").map((kind) => [kind.group, kind]));
  return [...versions.values()].sort((a, b) => rank(a) - rank(b) || (a.group < b.group ? -1 : 1)).map((kind) => {
    const entry = { groupVersion: kind.apiVersion, version: kind.version };
    return { name: kind.group, versions: [entry], preferredVersion: entry };
  });
}

/** The aggregator's own group comes first, then apps; groups of CRDs come last. */
function rank(kind: Kind): number {
  if (kind.custom) return FIRST_GROUPS.length + 1;
  const at = FIRST_GROUPS.indexOf(kind.group);
  return at < 0 ? FIRST_GROUPS.length : at;
}

function resourcesOf(kinds: Kinds, groupVersion: string): Json | null {
  const own = kinds.all.filter((kind) => kind.apiVersion === groupVersion).sort((a, b) => a.plural < b.plural ? -1 : 1);
  if (own.length === 0) return null;
  const head = groupVersion === "v1" ? {} : { apiVersion: "v1" };
  return { kind: "APIResourceList", ...head, groupVersion, resources: own.flatMap(describe) };
}

function describe(kind: Kind): Json[] {
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
