/**
 * Sees to it that each subscription is looked at once a day, also when no event of the provider comes: whatever was changed
 * there is known within a day. The looks are spread over the hour until the next run, so that they are never many at once.
 */
import type { App } from "#lib/app.ts";
import { SYSTEM } from "#lib/records/audit/asker.ts";
import { findUnseen } from "#lib/domains/billing/hubs.ts";
import { lookJob } from "#lib/domains/billing/jobs.ts";
import { record } from "#lib/records/changes/record.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Hubs of one run, which is an hour's. */
const MOST = 500;

const RECONCILE_BILLING: JobKind = {
  kind: "reconcile-billing",
  plan: 1,
  visible: false,
  steps: [{ name: "unseen", label: "Finding subscriptions that were not looked at for a day", timeout: 5 * MINUTE }],
  timeLimit: HOUR,
  repeatEvery: HOUR,
};

export function reconcileBilling({ db }: Pick<App, "db">, most = MOST): Handler {
  return {
    kind: RECONCILE_BILLING,
    steps: {
      async unseen(run) {
        const ids = await findUnseen(db.rows, most), now = (await db.now()).getTime();
        const jobs = ids.map((id, i) => lookJob(id, new Date(now + Math.floor((i * HOUR) / ids.length))));
        run.check();
        if (jobs.length > 0) await db.transact((tx) => record(tx, SYSTEM, { jobs }));
      },
    },
  };
}
