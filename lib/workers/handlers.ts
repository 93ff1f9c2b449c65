/** Creates the handlers for all kinds of jobs. */
import type { App } from "#lib/app.ts";
import type { OPERATIONS } from "#lib/operations/table.ts";
import type { MailTransport } from "#lib/drivers/mail/transport.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { restartHandler, resumeHandler, suspendHandler } from "#lib/workers/actions/actions.ts";
import { resetAdminPassword } from "#lib/workers/actions/admin-password.ts";
import { backupHandler } from "#lib/workers/backups/backup.ts";
import { billingEventHandler } from "#lib/workers/billing/event.ts";
import { checkBilling } from "#lib/workers/billing/check.ts";
import { planBillingChecks, planBillingSyncs } from "#lib/workers/billing/plan.ts";
import { syncBilling } from "#lib/workers/billing/sync.ts";
import { forgottenPasswordHandler, sendMail, signupHandler } from "#lib/workers/mail/send.ts";
import { announceDeprecations } from "#lib/workers/notices/announce.ts";
import { announceExpiringTokens } from "#lib/workers/notices/expiring-tokens.ts";
import { libraryBackupHandler } from "#lib/workers/courses/back-up-library.ts";
import { deleteCourseHandler } from "#lib/workers/courses/delete.ts";
import { planLibraryBackups } from "#lib/workers/courses/plan-libraries.ts";
import { publishCourseHandler } from "#lib/workers/courses/publish.ts";
import { restoreLibraryHandler } from "#lib/workers/courses/restore-library.ts";
import { configureHandler, earlierConfigureHandler } from "#lib/workers/configure/configure.ts";
import { maintenanceOff, maintenanceOn } from "#lib/workers/actions/maintenance.ts";
import { planBackups } from "#lib/workers/backups/plan.ts";
import { restoreTestHandler } from "#lib/recovery/restore-tests/restore-test.ts";
import { planRestoreTests } from "#lib/recovery/restore-tests/plan.ts";
import { deleteExpiredPvcs } from "#lib/workers/upkeep/delete-pvcs.ts";
import { deleteExpiredDomains } from "#lib/workers/upkeep/former-domains.ts";
import { updateSiteRecords } from "#lib/workers/upkeep/site-records.ts";
import { pruneOldRows } from "#lib/workers/upkeep/prune.ts";
import { addUpHistory } from "#lib/workers/upkeep/history.ts";
import { compareTiers } from "#lib/workers/upkeep/tiers.ts";
import { addUpAvailability } from "#lib/workers/upkeep/availability.ts";
import { probeSitesHandler } from "#lib/workers/probes/probe-sites.ts";
import { provisionHandler } from "#lib/workers/install/provision.ts";
import { provisionHub } from "#lib/workers/install/provision-hub.ts";
import { deleteOrphanedStorage } from "#lib/workers/orphans/remove-orphans.ts";
import { reapplyHandler } from "#lib/workers/reapply/reapply.ts";
import { removeHubHandler, removeSpokeHandler } from "#lib/workers/removal/remove.ts";
import { resizeHandler } from "#lib/workers/resize/resize.ts";
import { restoreHandler } from "#lib/recovery/restore/restore.ts";
import { rolloutHandler } from "#lib/workers/rollouts/run.ts";
import { sealAuditLog } from "#lib/workers/upkeep/seal.ts";
import { clusterCheckHandler, sweepHandler } from "#lib/workers/sweep/sweep.ts";
import { withClusterCheck } from "#lib/steps/same-cluster.ts";
import { createTemplate } from "#lib/workers/templates/create.ts";
import { prepareTemplates } from "#lib/workers/templates/prepare.ts";
import { retireTemplates } from "#lib/workers/templates/retire.ts";
import { reinstatePersonHandler, suspendPersonHandler } from "#lib/workers/actions/person.ts";
import { purgeCaches, runCron } from "#lib/workers/actions/tasks.ts";
import { sumUsage } from "#lib/workers/upkeep/usage.ts";
import { deliverWebhook, sendWebhookMessage } from "#lib/workers/webhooks/deliver.ts";
import { keepWebhooks, pruneDeliveries } from "#lib/workers/webhooks/upkeep.ts";
import { upgradeHandler } from "#lib/workers/upgrade/upgrade.ts";

/** The handlers for operations. The type turns a missing handler into a compile error. */
const OPERATION_HANDLERS: { readonly [kind in keyof typeof OPERATIONS]: (app: App) => JobHandler } = {
  provision: provisionHandler,
  suspend: suspendHandler,
  resume: resumeHandler,
  restart: restartHandler,
  upgrade: upgradeHandler,
  resize: resizeHandler,
  "maintenance-on": maintenanceOn,
  "maintenance-off": maintenanceOff,
  "purge-caches": purgeCaches,
  backup: backupHandler,
  "run-cron": runCron,
  "reset-admin-password": resetAdminPassword,
  "suspend-person": suspendPersonHandler,
  "reinstate-person": reinstatePersonHandler,
  reapply: reapplyHandler,
  configure: configureHandler,
  "publish-course": publishCourseHandler,
  restore: restoreHandler,
  remove: removeSpokeHandler,
  "provision-hub": provisionHub,
  "remove-hub": removeHubHandler,
  "delete-course": deleteCourseHandler,
  "restore-library": restoreLibraryHandler,
};

/** The handlers for Wheelwright's own maintenance tasks, which run without a request from a user. */
const UPKEEP_HANDLERS = [
  ...[
    planBackups,
    planRestoreTests,
    restoreTestHandler,
    createTemplate,
    prepareTemplates,
    retireTemplates,
    pruneOldRows,
    deleteExpiredDomains,
    deleteExpiredPvcs,
    planLibraryBackups,
    libraryBackupHandler,
  ],
  ...[sealAuditLog, sweepHandler, clusterCheckHandler, announceDeprecations, updateSiteRecords, deleteOrphanedStorage],
  ...[rolloutHandler, forgottenPasswordHandler, signupHandler, probeSitesHandler, addUpAvailability, sumUsage],
  addUpHistory,
  announceExpiringTokens,
  ...[deliverWebhook, sendWebhookMessage, keepWebhooks, pruneDeliveries],
  compareTiers,
  earlierConfigureHandler,
];

/**
 * Creates the handlers for all kinds of jobs that this replica can run. A replica without mail or payment settings
 * leaves mail or billing jobs to other replicas.
 */
export function createHandlers(app: App, post: MailTransport | null = null): readonly JobHandler[] {
  const payments = app.payments;
  return [
    ...[...Object.values(OPERATION_HANDLERS), ...UPKEEP_HANDLERS].map((create) => withClusterCheck(app, create(app))),
    ...(post ? [sendMail(app, post)] : []),
    ...(payments
      ? [
        ...[planBillingSyncs(app), planBillingChecks(app)],
        ...[syncBilling, checkBilling, billingEventHandler].map((create) => create(app, payments)),
      ]
      : []),
  ];
}
