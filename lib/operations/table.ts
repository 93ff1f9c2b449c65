/** Lists all operations. Job kinds, API actions and the table in docs/api.md are derived from this list. */
import { configure } from "#lib/operations/configure.ts";
import { deleteCourse, provisionHub, removeHub, restoreLibrary } from "#lib/operations/hub.ts";
import { maintenanceOff, maintenanceOn } from "#lib/operations/maintenance.ts";
import type { ActionDeclaration } from "#lib/operations/operation.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { provision } from "#lib/operations/provision.ts";
import { reapply } from "#lib/operations/reapply.ts";
import { remove } from "#lib/operations/remove.ts";
import { resize, RESIZE_PARAMETERS } from "#lib/operations/resize.ts";
import { restart } from "#lib/operations/restart.ts";
import { restore } from "#lib/operations/restore.ts";
import { resume } from "#lib/operations/resume.ts";
import { suspend } from "#lib/operations/suspend.ts";
import {
  backup,
  PERSON_PARAMETERS,
  publishCourse,
  purgeCaches,
  reinstatePerson,
  resetAdminPassword,
  runCron,
  suspendPerson,
} from "#lib/operations/tasks.ts";
import { upgrade, UPGRADE_PARAMETERS } from "#lib/operations/upgrade.ts";

export const SPOKE_OPERATIONS = {
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
  "suspend-person": suspendPerson,
  "reinstate-person": reinstatePerson,
  reapply,
  configure,
  "publish-course": publishCourse,
  restore,
  remove,
};
export type SpokeOperationKind = keyof typeof SPOKE_OPERATIONS;

export const HUB_OPERATIONS = {
  "provision-hub": provisionHub,
  "remove-hub": removeHub,
  "delete-course": deleteCourse,
  "restore-library": restoreLibrary,
};

export const OPERATIONS = { ...SPOKE_OPERATIONS, ...HUB_OPERATIONS };

/** The plans (lists of steps) that this release can run. After a change, keep a plan's old version for one release. */
const PLANS: readonly JobKind[] = Object.values(OPERATIONS).map(({ kind }) => kind);

/** Returns the plan that a job was created with, or null if this release does not support that version. */
export function findJobPlan(job: { readonly kind: string; readonly plan: number }): JobKind | null {
  return PLANS.find(({ kind, plan }) => kind === job.kind && plan === job.plan) ?? null;
}

type ActionKind = {
  [kind in SpokeOperationKind]: (typeof SPOKE_OPERATIONS)[kind] extends { readonly action: object } ? kind : never;
}[SpokeOperationKind];

/** The actions that the API offers. `retry` repeats the failed operation. */
export type SpokeActionName = ActionKind | "retry";

/** The summary and the parameters of each action. */
export const ACTIONS = {
  ...Object.fromEntries(
    Object.values(SPOKE_OPERATIONS).flatMap((each) => "action" in each ? [[each.name, each.action]] : []),
  ),
  retry: { summary: "Retry a failed installation or upgrade." },
} as Readonly<Record<SpokeActionName, ActionDeclaration>>;

export const SPOKE_ACTIONS = Object.keys(ACTIONS) as readonly SpokeActionName[];

/** The parameters of all actions by name. */
export const ACTION_PARAMETERS = { ...RESIZE_PARAMETERS, ...UPGRADE_PARAMETERS, ...PERSON_PARAMETERS };

/** The parameters of the actions that rollouts can run. */
export const ROLLOUT_PARAMETERS = { ...RESIZE_PARAMETERS, ...UPGRADE_PARAMETERS };
