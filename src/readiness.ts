/** What must work for this process to be worth sending requests to. */
import type { App } from "#lib/app.ts";
import type { Check } from "#lib/http/readiness.ts";
import { migrations } from "./migrations.ts";

/** `scheduler` tells whether the scheduler is at work; without one there is nothing to be ready. */
export function readinessOf(scheduler: () => boolean = () => true): readonly Check[] {
  return [
    { name: "database", passes: answers },
    { name: "migrations", passes: isMigrated },
    { name: "scheduler", passes: scheduler },
  ];
}

/** Over the connection that no request uses: however busy the pool is, this replica is not away. */
async function answers({ db }: App): Promise<boolean> {
  await db.control.query("select 1");
  return true;
}

/** Whether the schema is at least this program's; a newer one still fits (expand and contract). */
async function isMigrated({ db }: App): Promise<boolean> {
  const rows = await db.control.query("select 1 from migrations where name = $1", [migrations.at(-1)?.[0] ?? ""]);
  return rows.length > 0;
}
