/** URLs: which kind, namespace, object and subresource a path names. */
import type { Kind, Kinds } from "#lib/dev/simulator/kinds.ts";

export interface Route {
  readonly kind: Kind;
  /** undefined for cluster kinds and for lists over all namespaces. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** null for a path that names nothing the server has. */
export function readRoute(kinds: Kinds, path: string): Route | null {
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

/** Whether the path is below a group and version that the server has. */
export function isServed(kinds: Kinds, path: string): boolean {
  const [, root, ...rest] = path.split("/");
  const [group, version] = root === "api" ? ["", rest[0]] : root === "apis" ? [rest[0], rest[1]] : [];
  return kinds.all.some((kind) => kind.group === group && kind.version === version);
}

/** `namespaces/x/status` and `namespaces/x/finalize` are the namespace's own. */
function isNamespaceItself(rest: readonly string[]): boolean {
  return rest.length === 3 && (rest[2] === "status" || rest[2] === "finalize");
}

/** A part of a path that is not well encoded is taken as it stands; it names nothing. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
