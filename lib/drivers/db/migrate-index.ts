/**
 * Runs migrations that create an index concurrently, so that writes are not blocked for minutes. Such a migration
 * begins with `-- concurrently` and has a single statement, which PostgreSQL runs only outside a transaction. If the
 * process stops before the migration is recorded, the next run keeps a valid index and recreates an invalid index.
 */

const MARK = /^-- concurrently\r?\n/;
const STATEMENT = /^create (?:unique )?index concurrently if not exists (\w+) on [^;]*;?$/i;

export function createsIndexConcurrently(text: string): boolean {
  return MARK.test(text);
}

/** Returns the migration without the word `concurrently`, so that it can run in a transaction. */
export function removeConcurrently(text: string): string {
  return createsIndexConcurrently(text)
    ? text.replace(/^create (unique )?index concurrently/m, "create $1index")
    : text;
}

/** Returns the index's name. Throws if the migration does anything other than create one index. */
export function parseIndexName(text: string): string {
  const bare = text.replace(/--[^\n]*/g, "").trim().replaceAll(/\s+/g, " ");
  const [, index] = STATEMENT.exec(bare) ?? [];
  if (index) return index;
  throw new Error(
    'a migration with "-- concurrently" must have exactly one statement: "create index concurrently if not exists"',
  );
}

type Run = (text: string, params?: string[]) => Promise<readonly unknown[]>;

/** Creates the index. Safe to repeat after any failure. */
export async function createIndex(run: Run, text: string): Promise<void> {
  const index = parseIndexName(text);
  if (await isInvalid(run, index)) await run(`drop index concurrently ${index}`);
  await run(text);
  if (await isInvalid(run, index)) throw new Error(`the index ${index} is still invalid`);
}

async function isInvalid(run: Run, index: string): Promise<boolean> {
  const text = "select from pg_index where indexrelid = to_regclass($1) and not indisvalid";
  return (await run(text, [index])).length > 0;
}
