/**
 * The operations that there are: the blueprint's sequences of steps, made into kinds of jobs that people can see.
 *
 * Whoever accepts a request enqueues one of these and need not know the work; lib/work binds functions to their steps.
 */
import {
  type Plan,
  PROVISION,
  PROVISION_HUB,
  REMOVE,
  REMOVE_HUB,
  RESTART,
  RESUME,
  SUSPEND,
} from "#lib/blueprint/plan.ts";
import type { JobKind } from "#lib/jobs/job.ts";

export const OPERATION_KINDS = {
  provision: kindOf("provision", PROVISION, { needsActiveHub: true }),
  suspend: kindOf("suspend", SUSPEND),
  resume: kindOf("resume", RESUME),
  restart: kindOf("restart", RESTART),
  remove: kindOf("remove", REMOVE, { persistent: true }),
  "provision-hub": kindOf("provision-hub", PROVISION_HUB),
  "remove-hub": kindOf("remove-hub", REMOVE_HUB, { persistent: true }),
} as const satisfies Record<string, JobKind>;

export type OperationKind = keyof typeof OPERATION_KINDS;

function kindOf(kind: string, { version, steps, timeLimit }: Plan, more: Partial<JobKind> = {}): JobKind {
  return { kind, plan: version, visible: true, steps, timeLimit, ...more };
}
