/** Shows a list of which the server returns a page at a time, up to the number set by --limit or --all. */
import type { CliContext, OptionValues } from "./command.ts";
import { UsageError } from "./exit-status.ts";
import { showList } from "./output.ts";
import type { TableColumn } from "./table.ts";

export const PAGE_OPTIONS = {
  limit: { type: "string", value: "N", help: "maximum number of results" },
  all: { type: "boolean", help: "return all results" },
} as const;

export type PageOptions = OptionValues<typeof PAGE_OPTIONS>;

const DEFAULT_LIMIT = 30, MAX_PAGE_SIZE = 100; // the server allows at most 100 items per page

/** Shows the first items of a list: at most --limit items, all items with --all, or 30 items by default. */
export async function showPages<Item extends object>(
  cli: CliContext,
  options: PageOptions,
  list: (limit: number) => AsyncIterable<Item>,
  columns: readonly TableColumn<Item>[],
): Promise<void> {
  showList(cli, await readListItems(options, list), columns);
}

export async function readListItems<Item>(
  { limit, all }: PageOptions,
  list: (limit: number) => AsyncIterable<Item>,
): Promise<Item[]> {
  const most = limit === undefined ? (all ? Infinity : DEFAULT_LIMIT) : parseLimit(limit), items: Item[] = [];
  for await (const item of list(Math.min(MAX_PAGE_SIZE, most))) {
    items.push(item);
    if (items.length >= most) break;
  }
  return items;
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError("--limit must be a whole number, at least 1");
}
