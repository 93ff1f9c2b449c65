/** Lists the handlers of all job kinds. */
import type { App } from "#lib/app.ts";
import type { OPERATIONS } from "#lib/operations/table.ts";
import type { MailTransport } from "#lib/drivers/mail/transport.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { restart, resume, suspend } from "#lib/workers/actions/actions.ts";
import { resetAdminPassword } from "#lib/workers/actions/admin-password.ts";
import { backup } from "#lib/workers/backups/backup.ts";
import { billingEvent } from "#lib/workers/billing/event.ts";
import { lookBilling } from "#lib/workers/billing/look.ts";
import { planBilling, planLooks } from "#lib/workers/billing/plan.ts";
import { syncBilling } from "#lib/workers/billing/sync.ts";
import { forgottenPassword, sendBulkMail, sendMail, signup } from "#lib/workers/mail/send.ts";
import { announce } from "#lib/workers/notices/announce.ts";
import { configure } from "#lib/workers/configure/configure.ts";
import { maintenanceOff, maintenanceOn } from "#lib/workers/actions/maintenance.ts";
import { planBackups } from "#lib/workers/backups/plan.ts";
import { drill } from "#lib/workers/drills/drill.ts";
import { planDrills } from "#lib/workers/drills/plan.ts";
import { dropKeptClaims } from "#lib/workers/upkeep/claims.ts";
import { freeLeftNames } from "#lib/workers/upkeep/names.ts";
import { keepParticulars } from "#lib/workers/upkeep/particulars.ts";
import { prune } from "#lib/workers/upkeep/prune.ts";
import { provision } from "#lib/workers/install/provision.ts";
import { provisionHub } from "#lib/workers/install/provision-hub.ts";
import { removeRemains } from "#lib/workers/remains/sandboxes.ts";
import { reapply } from "#lib/workers/reapply/reapply.ts";
import { remove, removeHub } from "#lib/workers/removal/remove.ts";
import { resize } from "#lib/workers/resize/resize.ts";
import { restore } from "#lib/workers/restore/restore.ts";
import { sealAudit } from "#lib/workers/upkeep/seal.ts";
import { look, sweep } from "#lib/workers/sweep/sweep.ts";
import { knowingItsCluster } from "#lib/workers/same-cluster.ts";
import { makeTemplate } from "#lib/workers/templates/make.ts";
import { retireTemplates } from "#lib/workers/templates/retire.ts";
import { purgeCaches, runCron } from "#lib/workers/actions/tasks.ts";
import { upgrade } from "#lib/workers/upgrade/upgrade.ts";

/** The handlers of the operations. The compiler rejects a missing handler. */
const OPERATION_WORK: { readonly [kind in keyof typeof OPERATIONS]: (app: App) => Handler } = {
  provision,
  suspend,
  resume,
  restart,
  upgrade,
  resize,
  "maintenance-on": maintenanceOn,
  "maintenance-off": maintenanceOff,
  "purge-caches": purgeCaches,
  backup,
  "run-cron": runCron,
  "reset-admin-password": resetAdminPassword,
  reapply,
  configure,
  restore,
  remove,
  "provision-hub": provisionHub,
  "remove-hub": removeHub,
};

/** Handlers of the service's own tasks, which no user requests. */
const UPKEEP = [
  ...[planBackups, planDrills, drill, makeTemplate, retireTemplates, prune, freeLeftNames, dropKeptClaims],
  ...[sealAudit, sweep, look, announce, keepParticulars, removeRemains],
  ...[forgottenPassword, signup],
];

/**
 * Returns the handlers of all job kinds. Without mail or payments configured, this replica leaves those jobs to
 * replicas that have them.
 */
export function handlers(app: App, post: MailTransport | null = null): readonly Handler[] {
  const payments = app.payments;
  return [
    ...[...Object.values(OPERATION_WORK), ...UPKEEP].map((make) => knowingItsCluster(app, make(app))),
    ...(post ? [sendMail(app, post), sendBulkMail(app, post)] : []),
    ...(payments
      ? [
        ...[planBilling(app), planLooks(app)],
        ...[syncBilling, lookBilling, billingEvent].map((make) => make(app, payments)),
      ]
      : []),
  ];
}
