/** Which job an operation on a hub itself is: it takes its turn in the hub's lane, before or behind the installs. */
import { hubLane, type NewJob } from "#lib/records/jobs/job.ts";
import { HUB_OPERATIONS } from "#lib/operations/table.ts";

export function operationOnHub(federationId: string, kind: keyof typeof HUB_OPERATIONS): NewJob {
  return { kind: HUB_OPERATIONS[kind].kind, lane: hubLane(federationId), federationId, spokeId: null };
}
