/** All that a replica can do: one handler for each kind of job. */
import type { App } from "#lib/app.ts";
import type { OPERATIONS } from "#lib/operations/table.ts";
import type { Post } from "#lib/drivers/mail/post.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { restart, resume, suspend } from "#lib/work/actions/actions.ts";
import { resetAdminPassword } from "#lib/work/actions/admin-password.ts";
import { backup } from "#lib/work/backups/backup.ts";
import { billingEvent } from "#lib/work/billing/event.ts";
import { lookBilling } from "#lib/work/billing/look.ts";
import { planBilling, planLooks } from "#lib/work/billing/plan.ts";
import { syncBilling } from "#lib/work/billing/sync.ts";
import { forgottenPassword, sendBulkMail, sendMail, signup } from "#lib/work/mail/send.ts";
import { announce } from "#lib/work/notices/announce.ts";
import { configure } from "#lib/work/configure/configure.ts";
import { maintenanceOff, maintenanceOn } from "#lib/work/actions/maintenance.ts";
import { planBackups } from "#lib/work/backups/plan.ts";
import { drill } from "#lib/work/drills/drill.ts";
import { planDrills } from "#lib/work/drills/plan.ts";
import { dropKeptClaims } from "#lib/work/upkeep/claims.ts";
import { freeLeftNames } from "#lib/work/upkeep/names.ts";
import { keepParticulars } from "#lib/work/upkeep/particulars.ts";
import { prune } from "#lib/work/upkeep/prune.ts";
import { provision, provisionFormer } from "#lib/work/install/provision.ts";
import { provisionHub } from "#lib/work/install/provision-hub.ts";
import { reapply } from "#lib/work/reapply/reapply.ts";
import { remove, removeHub } from "#lib/work/removal/remove.ts";
import { resize } from "#lib/work/resize/resize.ts";
import { restore } from "#lib/work/restore/restore.ts";
import { sealAudit } from "#lib/work/upkeep/seal.ts";
import { look, sweep } from "#lib/work/sweep/sweep.ts";
import { knowingItsCluster } from "#lib/work/same-cluster.ts";
import { makeTemplate } from "#lib/work/templates/make.ts";
import { retireTemplates } from "#lib/work/templates/retire.ts";
import { purgeCaches, runCron } from "#lib/work/actions/tasks.ts";
import { upgrade } from "#lib/work/upgrade/upgrade.ts";

/** The work of each operation: one without does not compile. */
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

/** Plans that nothing new is made for. */
const FORMER_WORK = [provisionFormer];

/** What nobody asks for. */
const UPKEEP = [
  ...[planBackups, planDrills, drill, makeTemplate, retireTemplates, prune, freeLeftNames, dropKeptClaims],
  ...[sealAudit, sweep, look, announce, keepParticulars],
  ...[forgottenPassword, signup],
];

/** Without a post it knows no mail, without a provider no billing, and leaves that to a replica that has one. */
export function handlers(app: App, post: Post | null = null): readonly Handler[] {
  const payments = app.payments;
  return [
    ...[...Object.values(OPERATION_WORK), ...FORMER_WORK, ...UPKEEP].map((make) => knowingItsCluster(app, make(app))),
    ...(post ? [sendMail(app, post), sendBulkMail(app, post)] : []),
    ...(payments
      ? [
        ...[planBilling(app), planLooks(app)],
        ...[syncBilling, lookBilling, billingEvent].map((make) => make(app, payments)),
      ]
      : []),
  ];
}
