/** Limits lists by --limit and --all. Reads as many pages from the server as needed. */
import { CommandError } from "../commands/command.ts";
import { MISUSED } from "./exit-status.ts";

export const LIMIT_FLAG = { type: "string", value: "N", help: "how many at most" } as const;
export const ALL_FLAG = { type: "boolean", help: "all of them" } as const;
const USUAL = 30;

/** Returns the first items of a list: as many as --limit, all with --all, else 30. */
export async function take<Item>(
  list: AsyncIterable<Item>,
  { limit, all }: { readonly limit?: string; readonly all?: boolean },
): Promise<Item[]> {
  const most = limit === undefined ? (all ? Infinity : USUAL) : wholeNumber("--limit", limit);
  const taken: Item[] = [];
  for await (const item of list) {
    taken.push(item);
    if (taken.length >= most) break;
  }
  return taken;
}

/** Returns the page size to request for these flags. The server allows 100 at most. */
export function pageOf({ limit, all }: { readonly limit?: string; readonly all?: boolean }): number {
  return all ? 100 : Math.min(100, limit === undefined ? USUAL : wholeNumber("--limit", limit));
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CommandError(MISUSED, `${name} must be a whole number from 1`);
}
