/**
 * Adds up the minutes of all spokes per day, and deletes old rows. Runs every few minutes. A day is added up again until the next day has begun, so a repeated run changes nothing.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { MINUTE } from "#lib/base/time.ts";
import { addUpDay, addUpHubDay, listDaysToAddUp } from "#lib/domains/availability/store.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { runUntilNoChanges, upkeepHandler } from "#lib/steps/upkeep.ts";

const BATCH = 500;

/** The rows to delete. Minutes are kept for two days after the last day that was added up. */
const OLD_ROWS = [
  ["availability_hours", sql`hour < (select max(day) - 1 from availability_hub_days)::timestamp at time zone 'UTC'`],
  ["availability_days", sql`day < ((select wheelwright_now()) at time zone 'UTC')::date - interval '2 years'`],
  ["availability_hub_days", sql`day < ((select wheelwright_now()) at time zone 'UTC')::date - interval '2 years'`],
] as const;

export function addUpAvailability({ db }: Pick<App, "db">): JobHandler {
  return upkeepHandler({ kind: "add-up-availability", every: 5 * MINUTE }, {
    days: ["Adding up the availability of the spokes", 10 * MINUTE, async (run) => {
      for (const day of await listDaysToAddUp(db.rows)) await addUp(db, run, day);
    }],
    prune: ["Removing old availability", 10 * MINUTE, async (run) => {
      for (const [table, condition] of OLD_ROWS) {
        await runUntilNoChanges(run, async () => {
          const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ctid = any(array(
            select ctid from ${sql.table(table)} where ${condition} limit ${BATCH}))`.execute(db.rows);
          return Number(numAffectedRows);
        });
      }
    }],
  });
}

async function addUp(db: App["db"], run: JobRun, day: string): Promise<void> {
  for (let after: string | null = ""; after !== null;) {
    run.throwIfStopped();
    after = await addUpDay(db.rows, day, { after, limit: BATCH });
  }
  await addUpHubDay(db.rows, day);
}
