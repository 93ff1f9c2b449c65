/** What must work for this process to be worth sending requests to. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Check } from "#lib/http/readiness.ts";
import { isRefusedLogin } from "#lib/drivers/db/faults.ts";
import { migrations } from "./migrations.ts";

/**
 * `scheduler` tells whether the scheduler is at work; without one there is nothing to be ready. `stays` tells whether this
 * process was not told to stop: while it stops it takes requests, and should be sent no more of them.
 */
export function readinessOf(
  scheduler: () => boolean = () => true,
  stays: () => boolean = () => true,
): readonly Check[] {
  return [
    { name: "database", passes: answers },
    { name: "writes", passes: takesWrites },
    { name: "migrations", passes: isMigrated },
    { name: "scheduler", passes: scheduler },
    { name: "running", passes: stays },
  ];
}

/**
 * They ask over the connection that no request uses: however busy the pool is, this replica is not away. Only where that
 * does not stand, because the database takes no writes, the pool says whether it answers.
 */
async function answers({ db }: App): Promise<boolean> {
  await db.control.query("select 1").catch((error) => {
    if (isRefusedLogin(error)) throw error; // the pool would only try the same until the time is over
    return db.now();
  });
  return true;
}

/** Whether it is a primary that takes writes, as it says itself: nothing is written to find out. */
async function takesWrites({ db }: App): Promise<boolean> {
  const asked = db.control.query("select current_setting('transaction_read_only') = 'off' as writes");
  const [row] = await asked.catch(() => []); // it is not kept up to a server that only reads
  return row?.writes === true;
}

/** Whether the schema is at least this program's; a newer one still fits (expand and contract). */
async function isMigrated({ db }: App): Promise<boolean> {
  const newest = migrations.at(-1)?.[0] ?? "";
  const rows = await db.control.query("select 1 from migrations where name = $1", [newest]).catch(async () =>
    (await sql`select 1 from migrations where name = ${newest}`.execute(db.rows)).rows
  );
  return rows.length > 0;
}
