/**
 * Reads paginated lists: awaiting a list returns one page, iterating returns all items. The cursor for the next page is
 * taken from the Link header. The URL in that header is not used, because it could point to another server, which would
 * then receive the token.
 */
import type { CallParams } from "./call.ts";
import type { ApiResponse } from "./connection.ts";

const LARGEST = 100;

/**
 * A paginated list, which is requested only when it is awaited or iterated. When iterating, `limit` is the page size.
 *
 *     const newest = await wheelwright.listUsers({ limit: 10 });
 *     for await (const user of wheelwright.listUsers()) …
 */
export interface PagedList<Item> extends Promise<Item[]>, AsyncIterable<Item> {}

/** Creates a paginated list. `read` requests one page. */
export function createPagedList<Item>(
  read: (params: CallParams) => Promise<ApiResponse>,
  params: CallParams,
): PagedList<Item> {
  let page: Promise<Item[]> | undefined;
  const first = () => page ??= read(params).then(({ body }) => body as Item[]);
  return {
    then: (onPage, onError) => first().then(onPage, onError),
    catch: (onError) => first().catch(onError),
    finally: (onEnd) => first().finally(onEnd),
    [Symbol.toStringTag]: "PagedList",
    async *[Symbol.asyncIterator]() {
      const limit = Math.min(Number(params["limit"] ?? LARGEST), LARGEST);
      for (let before = params["before"];;) {
        const { body, headers } = await read({ ...params, limit, before });
        yield* body as Item[];
        const next = nextCursorIn(headers.get("link") ?? "");
        if (next === null) return;
        before = next;
      }
    },
  };
}

/** Returns the cursor for the next page from the Link header; null on the last page. Other links are ignored. */
function nextCursorIn(header: string): string | null {
  const target = /<([^>]*)>\s*;[^<]*\brel="?next\b/i.exec(header)?.[1];
  return target === undefined ? null : new URL(target, "http://server").searchParams.get("before");
}
