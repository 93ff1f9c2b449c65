/** Reads the items of a list page by page from the server, up to the number set by --limit or --all. */
import { CommandError } from "../commands/command.ts";
import { EXIT_USAGE } from "./exit-status.ts";

export const LIMIT_FLAG = { type: "string", value: "N", help: "maximum number of results" } as const;
export const ALL_FLAG = { type: "boolean", help: "return all results" } as const;
const DEFAULT_LIMIT = 30;

/** Returns the first items of a list: at most --limit items, all items with --all, or 30 items by default. */
export async function readListItems<Item>(
  list: AsyncIterable<Item>,
  { limit, all }: { readonly limit?: string; readonly all?: boolean },
): Promise<Item[]> {
  const most = limit === undefined ? (all ? Infinity : DEFAULT_LIMIT) : parseLimit("--limit", limit);
  const items: Item[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length >= most) break;
  }
  return items;
}

/** Returns the page size to request for the given flags. The server allows at most 100 items per page. */
export function computePageSize({ limit, all }: { readonly limit?: string; readonly all?: boolean }): number {
  return all ? 100 : Math.min(100, limit === undefined ? DEFAULT_LIMIT : parseLimit("--limit", limit));
}

function parseLimit(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CommandError(EXIT_USAGE, `${name} must be a whole number, at least 1`);
}
