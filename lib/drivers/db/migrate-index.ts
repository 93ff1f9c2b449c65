/**
 * A migration that makes an index while others write: on ten million rows the usual way stops all writes for minutes.
 *
 * Its first line says `-- concurrently`, and it holds one statement and no more: `create index concurrently if not exists`.
 * PostgreSQL takes that outside a transaction alone. So index and record are two steps, and a process that dies between or
 * in them leaves an index that is whole, which is found, or one that is marked invalid, which is dropped and made anew.
 */

const MARK = /^-- concurrently\r?\n/;
const STATEMENT = /^create (?:unique )?index concurrently if not exists (\w+) on [^;]*;?$/i;

export function isConcurrent(text: string): boolean {
  return MARK.test(text);
}

/** The same index as a transaction takes it; any other text as it is. */
export function withoutConcurrently(text: string): string {
  return isConcurrent(text) ? text.replace(/^create (unique )?index concurrently/m, "create $1index") : text;
}

/** The name of its index. Throws where it holds anything else, or more. */
export function indexOf(text: string): string {
  const bare = text.replace(/--[^\n]*/g, "").trim().replaceAll(/\s+/g, " ");
  const [, index] = STATEMENT.exec(bare) ?? [];
  if (index) return index;
  throw new Error(
    'after "-- concurrently" there must be one "create index concurrently if not exists", and nothing else',
  );
}

type Run = (text: string, params?: string[]) => Promise<readonly unknown[]>;

/** May be run again, however the try before it ended. */
export async function createIndex(run: Run, text: string): Promise<void> {
  const index = indexOf(text);
  if (await isInvalid(run, index)) await run(`drop index concurrently ${index}`);
  await run(text);
  if (await isInvalid(run, index)) throw new Error(`the index ${index} is still invalid`);
}

async function isInvalid(run: Run, index: string): Promise<boolean> {
  const text = "select from pg_index where indexrelid = to_regclass($1) and not indisvalid";
  return (await run(text, [index])).length > 0;
}
