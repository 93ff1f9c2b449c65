/** Adds up the history of the overview per day, and deletes old totals. A repeated run changes nothing. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { MINUTE } from "#lib/base/time.ts";
import { listDaysToTotal, totalDay } from "#lib/domains/history/store.ts";
import { MAX_HISTORY_DAYS } from "#lib/domains/history/views.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { runUntilNoChanges, upkeepHandler } from "#lib/steps/upkeep.ts";

const BATCH = 1000;

export function addUpHistory({ db }: Pick<App, "db">): JobHandler {
  return upkeepHandler({ kind: "add-up-history", every: 5 * MINUTE }, {
    days: ["Adding up the history of operations", 10 * MINUTE, async (run) => {
      for (const day of await listDaysToTotal(db.rows, MAX_HISTORY_DAYS)) {
        run.throwIfStopped();
        await totalDay(db.rows, day);
      }
    }],
    prune: ["Removing old history", 10 * MINUTE, (run) =>
      runUntilNoChanges(run, async () => {
        const { numAffectedRows = 0n } = await sql`delete from daily_totals where ctid = any(array(
          select ctid from daily_totals
          where day < ((select wheelwright_now()) at time zone 'UTC')::date - ${sql.lit(MAX_HISTORY_DAYS)}::integer
          limit ${BATCH}))`.execute(db.rows);
        return Number(numAffectedRows);
      })],
  });
}
