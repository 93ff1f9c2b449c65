/** Lists, page by page, from a server that is believed only as far as what it sends is a list. */
import type { Api } from "#lib/drivers/cluster/client/api.ts";
import type { Call, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { isRecord, unexpectedResponse } from "#lib/drivers/cluster/client/status.ts";

/** Objects a page: the API server suggests the same to kubectl. */
const PAGE_SIZE = "500";
/** Pages of one list; a server that always has one more would never let it end. */
const MAX_PAGES = 2000;

interface List {
  readonly items: KubeObject[];
  /** From where to watch. */
  readonly version: string;
}

export async function listPages(
  api: Api,
  path: string,
  query: Readonly<Record<string, string>>,
  call: Call,
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
      throw unexpectedResponse(`The list of ${path} never ends`, 200);
    }
    next = read.next;
  }
}

interface ListPage extends List {
  /** Empty after the last one. */
  readonly next: string;
}

/** One page, by the limit and the `continue` that the query names. */
export async function listOnePage(
  api: Api,
  path: string,
  query: Readonly<Record<string, string>>,
  call: Call,
): Promise<ListPage> {
  const { body } = await api.call({ method: "GET", path, query, repeat: "safe" }, call);
  return readPage(body, path);
}

/** What is no list must not count as an empty one: somebody may be waiting for it to be empty. */
function readPage(body: unknown, path: string): ListPage {
  const { kind, items, metadata } = isRecord(body) ? body : {};
  const none = (items === null || items === undefined) && String(kind).endsWith("List"); // Go's word for an empty list
  if (!none && !(Array.isArray(items) && items.every(isObject))) {
    throw unexpectedResponse(`The server did not return a list for ${path}`, 200);
  }
  const { continue: next, resourceVersion } = isRecord(metadata) ? metadata : {};
  return {
    items: none ? [] : items as KubeObject[],
    next: typeof next === "string" ? next : "",
    version: typeof resourceVersion === "string" ? resourceVersion : "",
  };
}

/** Whether this can be an object of the API: that it has a name is what all of them have in common. */
export function isObject(value: unknown): value is KubeObject {
  return isRecord(value) && isRecord(value.metadata) && typeof value.metadata.name === "string";
}
