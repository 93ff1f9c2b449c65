/**
 * Queues a billing sync for each hub whose spokes differ from the quantities last sent to the payment provider. Also
 * queues a daily check of each subscription. Skips hubs that already have a queued sync. If the provider refused a
 * hub's last sync, skips the hub until its next attempt is due.
 */
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { findUncheckedHubs, needsBillingSync, readHubsToSync } from "#lib/domains/billing/hubs.ts";
import { createBillingCheckJob, createBillingSyncJob } from "#lib/domains/billing/jobs.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE, SECOND } from "#lib/base/time.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";

/** The maximum number of hubs that one transaction handles. */
const BATCH = 500;

export function planBillingSyncs({ db, catalog }: Pick<App, "db" | "catalog">, batch = BATCH): JobHandler {
  return upkeepHandler({ kind: "plan-billing", every: 15 * SECOND }, {
    compare: ["Comparing the spokes with the billed quantities", 5 * MINUTE, async (run) => {
      for (let after: string | undefined = ""; after !== undefined;) {
        run.throwIfStopped();
        const hubs = await readHubsToSync(db.rows, { after, limit: batch });
        const jobs = hubs.filter((hub) => needsBillingSync(hub, catalog)).map(({ row }) =>
          createBillingSyncJob(row.federationId)
        );
        if (jobs.length > 0) await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { jobs }));
        after = hubs.length < batch ? undefined : hubs.at(-1)!.row.federationId;
      }
    }],
  });
}

/** The maximum number of hubs whose subscription one hourly run checks. */
const MAX_HUBS = 500;

/** Creates the handler that queues daily subscription checks. The checks of one run are spread over an hour. */
export function planBillingChecks({ db }: Pick<App, "db">, limit = MAX_HUBS): JobHandler {
  return upkeepHandler({ kind: "reconcile-billing", every: HOUR }, {
    unseen: ["Finding subscriptions that were not checked for a day", 5 * MINUTE, async (run) => {
      const ids = await findUncheckedHubs(db.rows, limit), now = (await db.now()).getTime();
      const jobs = ids.map((id, i) => createBillingCheckJob(id, new Date(now + Math.floor((i * HOUR) / ids.length))));
      run.throwIfStopped();
      if (jobs.length > 0) await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { jobs }));
    }],
  });
}
