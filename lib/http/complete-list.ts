/** Reads a complete list part by part, so that the memory for a response does not depend on the length of the list. */
import * as v from "valibot";
import { BeforeCursor } from "#lib/base/schema.ts";
import type { ListPage, ListPageRequest } from "#lib/drivers/db/pages.ts";

const ROWS_PER_PART = 500;

/**
 * Reads a page. Without a limit, reads the first part of the complete list, and the other parts when they are needed.
 * Rows that are added meanwhile are left out, because the list continues after the last row that was read.
 */
export async function readInParts<Item>(
  request: ListPageRequest,
  read: (part: ListPageRequest) => Promise<ListPage<Item>>,
): Promise<ListPage<Item>> {
  if (request.limit !== undefined) return await read(request);
  const first = await read({ limit: ROWS_PER_PART, before: request.before });
  return first.next === null ? first : { items: first.items, next: null, rest: readRest(first.next, read) };
}

async function* readRest<Item>(
  next: string | null,
  read: (part: ListPageRequest) => Promise<ListPage<Item>>,
): AsyncGenerator<readonly Item[]> {
  while (next !== null) {
    const part: ListPage<Item> = await read({ limit: ROWS_PER_PART, before: v.parse(BeforeCursor, next) });
    yield part.items;
    next = part.next;
  }
}

/** Reads the other parts of a list that `readInParts` returned. Returns other values unchanged. */
export async function readCompletely<T>(list: T): Promise<T> {
  if (typeof list !== "object" || list === null || !("rest" in list)) return list;
  const { items, rest, ...page } = list as unknown as Required<ListPage<unknown>>;
  return { ...page, items: [items, ...await Array.fromAsync(rest)].flat() } as T;
}
