/** Measures what a request costs in the database: pages of 8 KiB and rows that PostgreSQL read, and bytes answered. */
import type { TestDatabase } from "#test/support/database.ts";

export interface RequestCost {
  readonly status: number;
  /** Pages of tables and indexes that were read, from memory or disk. */
  readonly pages: number;
  /** Rows of tables and entries of indexes that were read. */
  readonly rows: number;
  readonly bytes: number;
  /** The number of listed objects. */
  readonly items: number;
  /** The pages that were read, by table. */
  readonly tables: ReadonlyMap<string, number>;
}

const READ_COUNTERS = `
  select table_io.relname as name,
    (coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)
      + coalesce(toast_blks_read, 0) + coalesce(toast_blks_hit, 0))::float8 as pages,
    (seq_tup_read + coalesce((select sum(idx_tup_read) from pg_stat_user_indexes as one where one.relid = tables.relid), 0)
      )::float8 as rows
  from pg_statio_user_tables as table_io join pg_stat_user_tables as tables using (relid)`;

/** The number of times that each request is sent before it is measured. PostgreSQL may then reuse a generic plan. */
const WARM_UP = 6;

type Send = () => Promise<{ readonly status: number; readonly body: unknown }>;

/** Sends a request several times, and measures it at the end. The database's pool must have a single connection. */
export async function measureRequest(db: TestDatabase, send: Send): Promise<RequestCost> {
  for (let i = 0; i < WARM_UP; i++) if ((await send()).status !== 200) break;
  // Other connections may report what they read earlier, so the lower of two results is right.
  const first = await measureOnce(db, send), second = await measureOnce(db, send);
  return first.pages < second.pages ? first : second;
}

async function measureOnce(db: TestDatabase, send: Send): Promise<RequestCost> {
  const before = await readCounters(db);
  const { status, body } = await send();
  const after = await readCounters(db), tables = new Map<string, number>();
  let pages = 0, rows = 0;
  for (const [name, now] of after) {
    const then = before.get(name) ?? { pages: 0, rows: 0 };
    pages += now.pages - then.pages;
    rows += now.rows - then.rows;
    if (now.pages > then.pages) tables.set(name, now.pages - then.pages);
  }
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, pages, rows, bytes: Buffer.byteLength(text), items: countItems(body), tables };
}

async function readCounters(db: TestDatabase): Promise<Map<string, { pages: number; rows: number }>> {
  const flush = await db.rows.selectNoFrom((expression) => expression.fn("pg_stat_force_next_flush", []).as("done"));
  await flush.execute();
  await db.rows.selectNoFrom((expression) => expression.val(1).as("one")).execute(); // the flush is at its end
  const found = await db.sql(READ_COUNTERS);
  return new Map(found.map(({ name, pages, rows }) => [name, { pages, rows }]));
}

function countItems(body: unknown): number {
  if (typeof body === "string") return body.match(/<(?:li id=|tr>)/g)?.length ?? 0;
  if (Array.isArray(body)) return body.length;
  const { hubs } = (body ?? {}) as { readonly hubs?: unknown };
  return Array.isArray(hubs) ? hubs.length : 0;
}
