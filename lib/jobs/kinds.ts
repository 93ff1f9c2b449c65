/**
 * The operations that there are: the blueprint's sequences of steps, made into kinds of jobs that people can see.
 *
 * Whoever accepts a request enqueues one of these and need not know the work; lib/work binds functions to their steps.
 */
import {
  BACKUP,
  CONFIGURE,
  MAINTENANCE_OFF,
  MAINTENANCE_ON,
  type Plan,
  PROVISION,
  PROVISION_HUB,
  PURGE_CACHES,
  REAPPLY,
  REMOVE,
  REMOVE_1,
  REMOVE_HUB,
  RESET_ADMIN_PASSWORD,
  RESIZE,
  RESTART,
  RESUME,
  RUN_CRON,
  SUSPEND,
  UPGRADE,
} from "#lib/blueprint/plan.ts";
import type { JobKind } from "#lib/jobs/job.ts";

export const OPERATION_KINDS = {
  provision: kindOf("provision", PROVISION, { needsActiveHub: true }),
  suspend: kindOf("suspend", SUSPEND),
  resume: kindOf("resume", RESUME),
  restart: kindOf("restart", RESTART),
  upgrade: kindOf("upgrade", UPGRADE),
  resize: kindOf("resize", RESIZE),
  "maintenance-on": kindOf("maintenance-on", MAINTENANCE_ON),
  "maintenance-off": kindOf("maintenance-off", MAINTENANCE_OFF),
  "purge-caches": kindOf("purge-caches", PURGE_CACHES),
  "run-cron": kindOf("run-cron", RUN_CRON),
  "reset-admin-password": kindOf("reset-admin-password", RESET_ADMIN_PASSWORD),
  backup: kindOf("backup", BACKUP),
  reapply: kindOf("reapply", REAPPLY),
  configure: kindOf("configure", CONFIGURE),
  remove: kindOf("remove", REMOVE, { persistent: true }),
  "provision-hub": kindOf("provision-hub", PROVISION_HUB),
  "remove-hub": kindOf("remove-hub", REMOVE_HUB, { persistent: true }),
} as const satisfies Record<string, JobKind>;

/** Plans that are accepted no more: what earlier releases asked for is ended by its own. */
export const EARLIER_KINDS = {
  "remove-1": kindOf("remove", REMOVE_1, { persistent: true }),
} as const satisfies Record<string, JobKind>;

export type OperationKind = keyof typeof OPERATION_KINDS;

function kindOf(kind: string, { version, steps, timeLimit }: Plan, more: Partial<JobKind> = {}): JobKind {
  return { kind, plan: version, visible: true, steps, timeLimit, ...more };
}
