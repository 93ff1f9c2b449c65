/** Lists: selected by labels and fields, and in pages. */
import type { Kind } from "#lib/simulator/kinds.ts";
import type { Json, KubeObject } from "#lib/simulator/object.ts";
import { badRequest } from "#lib/simulator/refusal.ts";
import { fieldSelector, labelSelector, type Test } from "#lib/simulator/selectors.ts";
import { keyOf } from "#lib/simulator/store.ts";
import type { World } from "#lib/simulator/world.ts";

/** Whether an object is one that the query asks for. */
export function readSelection(query: URLSearchParams): Test {
  const labels = labelSelector(query.get("labelSelector") ?? "");
  const fields = fieldSelector(query.get("fieldSelector") ?? "");
  return (object) => labels(object) && fields(object);
}

export function listObjects(world: World, kind: Kind, namespace: string | undefined, query: URLSearchParams): Json {
  const selected = readSelection(query);
  const token = readToken(query.get("continue"));
  const limit = Number(query.get("limit") ?? 0);
  const found = world.store.list(kind, namespace)
    .filter((object) => (token === null || keyOf(object) > token.start) && selected(object));
  const page = limit > 0 ? found.slice(0, limit) : found;
  const more = found.length > page.length;
  const version = token?.version ?? world.store.version();
  const selecting = query.get("labelSelector") || query.get("fieldSelector");
  return {
    kind: `${kind.kind}List`,
    apiVersion: kind.apiVersion,
    metadata: {
      resourceVersion: String(version),
      ...(more ? { continue: writeToken(version, keyOf(page.at(-1)!)) } : {}),
      ...(more && !selecting ? { remainingItemCount: found.length - page.length } : {}),
    },
    items: page.map((object) => itemOf(kind, object)),
  };
}

/** Items of built-in kinds do not repeat what they are; the list says it. */
export function itemOf(kind: Kind, object: KubeObject): Json {
  if (kind.custom) return object;
  const { apiVersion: _, kind: __, ...rest } = object;
  return rest;
}

function writeToken(version: number, start: string): string {
  return btoa(JSON.stringify({ v: "meta.k8s.io/v1", rv: version, start }));
}

function readToken(text: string | null): { version: number; start: string } | null {
  if (text === null || text === "") return null;
  try {
    const { rv, start } = JSON.parse(atob(text));
    return { version: rv, start };
  } catch {
    throw badRequest("continue key is not valid");
  }
}
