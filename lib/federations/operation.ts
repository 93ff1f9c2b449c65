/** Which job an operation on a hub itself is: it takes its turn in the hub's lane, before or behind the installs. */
import { hubLane, type NewJob } from "#lib/jobs/job.ts";
import { OPERATION_KINDS } from "#lib/jobs/kinds.ts";

export function hubOperation(federationId: string, kind: "provision-hub" | "remove-hub"): NewJob {
  return { kind: OPERATION_KINDS[kind], lane: hubLane(federationId), federationId, spokeId: null };
}
