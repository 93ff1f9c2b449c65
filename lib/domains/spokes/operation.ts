/** Which job an operation on a spoke is, and whose turn it waits for. */
import { hubLane, type NewJob, spokeLane } from "#lib/jobs/job.ts";
import { SPOKE_OPERATIONS, type SpokeOperationKind } from "#lib/operations/table.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

/** Installs wait for each other in their hub's lane; everything else has its spoke's own, and waits behind no install. */
export function operationOn(spoke: SpokeRow, kind: SpokeOperationKind, payload: object = {}): NewJob {
  return {
    kind: SPOKE_OPERATIONS[kind].kind,
    lane: kind === "provision" ? hubLane(spoke.federationId) : spokeLane(spoke.id),
    federationId: spoke.federationId,
    spokeId: spoke.id,
    payload: { ...payload },
  };
}
