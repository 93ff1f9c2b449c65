/** What must work for this process to be worth sending requests to. */
import type { App } from "#lib/app.ts";
import type { Check } from "#lib/http/endpoint.ts";
import { sql } from "kysely";
import { migrations } from "./migrations.ts";

/** `scheduler` tells whether the scheduler is at work; without one there is nothing to be ready. */
export function readinessOf(scheduler: () => boolean = () => true): readonly Check[] {
  return [
    { name: "database", passes: answers },
    { name: "writes", passes: takesWrites },
    { name: "migrations", passes: isMigrated },
    { name: "scheduler", passes: scheduler },
  ];
}

async function answers({ db }: App): Promise<boolean> {
  await db.now();
  return db.stats().control;
}

/** Whether it is a primary that takes writes, as it says itself: nothing is written to find out. */
async function takesWrites({ db }: App): Promise<boolean> {
  const { rows: [row] } = await sql<{ writes: boolean }>`
    select current_setting('transaction_read_only') = 'off' as writes`.execute(db.rows);
  return row!.writes;
}

/** Whether the schema is at least this program's; a newer one still fits (expand and contract). */
async function isMigrated({ db }: App): Promise<boolean> {
  const newest = migrations.at(-1)?.[0] ?? "";
  const { rows } = await sql`select 1 from migrations where name = ${newest}`.execute(db.rows);
  return rows.length > 0;
}
