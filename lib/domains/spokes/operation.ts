/** Creates the job for an operation on a spoke. */
import { buildHubLane, buildSpokeLane, type NewJob } from "#lib/jobs/job.ts";
import { SPOKE_OPERATIONS, type SpokeOperationKind } from "#lib/operations/table.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

/** Creates a spoke's job. Installs wait in the hub's lane (queue), other operations in the spoke's own lane. */
export function buildSpokeJob(spoke: SpokeRow, kind: SpokeOperationKind, payload: object = {}): NewJob {
  return {
    kind: SPOKE_OPERATIONS[kind].kind,
    lane: kind === "provision" ? buildHubLane(spoke.federationId) : buildSpokeLane(spoke.id),
    federationId: spoke.federationId,
    spokeId: spoke.id,
    payload: { ...payload },
  };
}
