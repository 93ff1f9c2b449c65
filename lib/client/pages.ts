/**
 * Lists that are given in pages: awaited, they are the one page that was asked for; iterated, all that there is.
 *
 * A page goes on before the time of the last one's item. What shares that time stands in the same page, however small its
 * limit, so that nothing is left out and nothing comes twice.
 */
import type { Params } from "./call.ts";

const LARGEST = 100;

/**
 *     const newest = await wheelwright.listUsers({ limit: 10 });
 *     for await (const user of wheelwright.listUsers()) …
 *
 * Nothing is asked until then. When it is iterated, `limit` is the size of a page.
 */
export interface PagedList<Item> extends Promise<Item[]>, AsyncIterable<Item> {}

/** `read` gets a page; `by` is the items' field that says when. */
export function pagedList<Item>(
  read: (params: Params) => Promise<Item[]>,
  params: Params,
  by: string,
): PagedList<Item> {
  let page: Promise<Item[]> | undefined;
  const first = () => page ??= read(params);
  return {
    then: (onPage, onError) => first().then(onPage, onError),
    catch: (onError) => first().catch(onError),
    finally: (onEnd) => first().finally(onEnd),
    [Symbol.toStringTag]: "PagedList",
    async *[Symbol.asyncIterator]() {
      const limit = Math.min(Number(params["limit"] ?? LARGEST), LARGEST);
      for (let before = params["before"];;) {
        const items = await read({ ...params, limit, before });
        yield* items;
        if (items.length < limit) return;
        before = (items.at(-1) as Params)[by];
      }
    },
  };
}
