/** Queues the checks and backups of hubs' libraries: as soon as a hub has published a course, and once a day. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";
import { recordChange } from "#lib/changes/record.ts";
import { closeAbandonedLibraryBackups } from "#lib/domains/courses/library-store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { runUntilNoChanges, upkeepHandler } from "#lib/steps/upkeep.ts";
import { createLibraryBackup } from "#lib/workers/courses/back-up-library.ts";

/** The maximum number of libraries that one transaction updates. */
const BATCH = 100;
const INTERVAL = DAY;

export function planLibraryBackups(app: App): JobHandler {
  const { db } = app;
  return upkeepHandler({ kind: "plan-library-backups", every: MINUTE }, {
    abandoned: ["Closing unfinished backups of libraries", MINUTE, () => closeAbandonedLibraryBackups(db.rows)],
    due: ["Queueing checks of libraries", 10 * MINUTE, async (run) => {
      await db.transact(addMissingRows);
      await runUntilNoChanges(run, () => db.transact(queueDue));
    }],
  });
}

/** Adds the libraries of hubs that were adopted from a cluster after the database was lost. */
async function addMissingRows(tx: Tx): Promise<void> {
  await sql`insert into libraries (federation_id)
    select id from federations where courses is not null and state not in ('removing', 'removed')
      and not exists (select from libraries where federation_id = federations.id)
    on conflict do nothing`.execute(tx);
}

async function queueDue(tx: Tx): Promise<number> {
  const { rows: due } = await sql<{ federationId: string }>`
    update libraries set check_due_at = wheelwright_now() + ${INTERVAL} * interval '1 millisecond'
    where federation_id in (
      select federation_id from libraries join federations on federations.id = federation_id
      where check_due_at <= (select wheelwright_now()) and state in ('active', 'failed') and namespace_uid is not null
        and not exists (
          select from jobs where kind = 'back-up-library' and jobs.federation_id = libraries.federation_id
            and jobs.state in ('queued', 'running')
        )
      order by check_due_at limit ${BATCH} for no key update of libraries skip locked
    ) returning federation_id`.execute(tx);
  await recordChange(tx, SYSTEM_REQUESTER, {
    jobs: due.map(({ federationId }) => createLibraryBackup(federationId)),
  });
  return due.length;
}
