/**
 * Finds the hubs whose spokes are not what the payment provider was last asked to count, and queues a sync for each.
 *
 * It compares, each time, all that is billed: so whatever changes a spoke need know nothing of billing. A hub whose sync is
 * under way is left out, and so is one that the provider has refused, until its time comes; what changes meanwhile is found
 * by a later look.
 */
import type { App } from "#lib/app.ts";
import { SYSTEM } from "#lib/records/audit/asker.ts";
import { needsSync, readSyncable } from "#lib/domains/billing/hubs.ts";
import { syncJob } from "#lib/domains/billing/jobs.ts";
import { record } from "#lib/records/changes/record.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE, SECOND } from "#lib/base/time.ts";

/** Hubs of one transaction. */
const BATCH = 500;

const PLAN_BILLING: JobKind = {
  kind: "plan-billing",
  plan: 1,
  visible: false,
  steps: [{ name: "compare", label: "Comparing the spokes with what is billed", timeout: 5 * MINUTE }],
  timeLimit: HOUR,
  repeatEvery: 15 * SECOND,
};

export function planBilling({ db, catalog }: Pick<App, "db" | "catalog">, batch = BATCH): Handler {
  return {
    kind: PLAN_BILLING,
    steps: {
      async compare(run) {
        for (let after: string | undefined = ""; after !== undefined;) {
          run.check();
          const hubs = await readSyncable(db.rows, { after, limit: batch });
          const jobs = hubs.filter((hub) => needsSync(hub, catalog)).map(({ row }) => syncJob(row.federationId));
          if (jobs.length > 0) await db.transact((tx) => record(tx, SYSTEM, { jobs }));
          after = hubs.length < batch ? undefined : hubs.at(-1)!.row.federationId;
        }
      },
    },
  };
}
