/**
 * Reads paginated lists. Awaiting returns one page; iterating returns all items. The cursor comes from the Link header
 * of each page, so no item is skipped or repeated. Only the cursor is used, not the URL, which could send the token to
 * another server.
 */
import type { CallParams } from "./call.ts";
import type { ApiResponse } from "./connection.ts";

const LARGEST = 100;

/**
 * A paginated list. Requests are sent when the list is awaited or iterated. For an iteration, `limit` is the page size.
 *
 *     const newest = await wheelwright.listUsers({ limit: 10 });
 *     for await (const user of wheelwright.listUsers()) …
 */
export interface PagedList<Item> extends Promise<Item[]>, AsyncIterable<Item> {}

/** Creates a list. `read` requests a page. */
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

/** Returns the cursor in the link to the next page, or null. The header may contain other links. */
function nextCursorIn(header: string): string | null {
  const target = /<([^>]*)>\s*;[^<]*\brel="?next\b/i.exec(header)?.[1];
  return target === undefined ? null : new URL(target, "http://server").searchParams.get("before");
}
