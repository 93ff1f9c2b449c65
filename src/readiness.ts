/** Defines the checks that must pass before this process receives requests. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { ReadinessCheck } from "#lib/http/readiness.ts";
import { isRefusedLoginError } from "#lib/drivers/db/faults.ts";
import { migrations } from "./migrations.ts";

/**
 * Returns the readiness checks. `scheduler` returns whether the scheduler is running; without a scheduler, the check
 * always passes. `isRunning` returns false once the process is stopping. A stopping process still handles requests, but
 * load balancers should send it no new ones.
 */
export function createReadinessChecks(
  scheduler: () => boolean = () => true,
  isRunning: () => boolean = () => true,
): readonly ReadinessCheck[] {
  return [
    { name: "database", passes: answersQueries },
    { name: "writes", passes: acceptsWrites },
    { name: "migrations", passes: isMigrated },
    { name: "scheduler", passes: scheduler },
    { name: "running", passes: isRunning },
  ];
}

/**
 * Queries the database over the control connection, which requests never use, so that a busy connection pool does not
 * make the replica unready. If the control connection is down, as with a read-only database, uses the pool.
 */
async function answersQueries({ db }: App): Promise<boolean> {
  await db.control.query("select 1").catch((error) => {
    if (isRefusedLoginError(error)) throw error; // the pool would retry the same login until the timeout
    return db.now();
  });
  return true;
}

/** Whether the database accepts writes, which a standby does not. Reads a database setting and writes nothing. */
async function acceptsWrites({ db }: App): Promise<boolean> {
  const query = db.control.query("select current_setting('transaction_read_only') = 'off' as writes");
  const [row] = await query.catch(() => []); // the control connection is closed if the server is read-only
  return row?.writes === true;
}

/** Whether the schema has all of this program's migrations. Newer schemas also pass, because they are compatible. */
async function isMigrated({ db }: App): Promise<boolean> {
  const newest = migrations.at(-1)?.[0] ?? "";
  const rows = await db.control.query("select 1 from migrations where name = $1", [newest]).catch(async () =>
    (await sql`select 1 from migrations where name = ${newest}`.execute(db.rows)).rows
  );
  return rows.length > 0;
}
