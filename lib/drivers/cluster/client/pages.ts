/** Reads lists from the API server page by page, and rejects responses that are not lists. */
import type { KubeApi } from "#lib/drivers/cluster/client/api.ts";
import type { ClusterCall, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { createUnexpectedResponseError, isRecord } from "#lib/drivers/cluster/client/status.ts";

/** The number of objects per page. kubectl uses the same number. */
const PAGE_SIZE = "500";
/** The maximum number of pages per list, in case a server keeps announcing more pages forever. */
const MAX_PAGES = 2000;

interface List {
  readonly items: KubeObject[];
  /** The list's resource version, from which a watch can start. */
  readonly version: string;
}

export async function listPages(
  api: KubeApi,
  path: string,
  query: Readonly<Record<string, string>>,
  call: ClusterCall,
): Promise<List> {
  const items: KubeObject[] = [];
  for (let next = "", pages = 1;; pages++) {
    const read = await listOnePage(
      api,
      path,
      { ...query, limit: PAGE_SIZE, ...(next ? { continue: next } : {}) },
      call,
    );
    for (const item of read.items) items.push(item);
    if (!read.next) return { items, version: read.version };
    if (read.next === next || pages >= MAX_PAGES) {
      throw createUnexpectedResponseError(`The list of ${path} never ends`, 200);
    }
    next = read.next;
  }
}

interface ListPage extends List {
  /** The token for requesting the next page. Empty on the last page. */
  readonly next: string;
}

export async function listOnePage(
  api: KubeApi,
  path: string,
  query: Readonly<Record<string, string>>,
  call: ClusterCall,
): Promise<ListPage> {
  const { body } = await api.call({ method: "GET", path, query, repeat: "safe" }, call);
  return readPage(body, path);
}

/** Parses a page. Throws if the response is not a list, so that callers do not mistake it for an empty list. */
function readPage(body: unknown, path: string): ListPage {
  const { kind, items, metadata } = isRecord(body) ? body : {};
  const none = (items === null || items === undefined) && String(kind).endsWith("List"); // Go encodes an empty list as null
  if (!none && !(Array.isArray(items) && items.every(isKubeObject))) {
    throw createUnexpectedResponseError(`The server did not return a list for ${path}`, 200);
  }
  const { continue: next, resourceVersion } = isRecord(metadata) ? metadata : {};
  return {
    items: none ? [] : items as KubeObject[],
    next: typeof next === "string" ? next : "",
    version: typeof resourceVersion === "string" ? resourceVersion : "",
  };
}

/** Whether the value looks like a Kubernetes object, which must have a name in its metadata. */
export function isKubeObject(value: unknown): value is KubeObject {
  return isRecord(value) && isRecord(value.metadata) && typeof value.metadata.name === "string";
}
