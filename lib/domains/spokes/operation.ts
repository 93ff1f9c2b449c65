/** Creates the job for an operation on a spoke. */
import { buildHubLane, buildSpokeLane, createJob, type NewJob, type TurnRule } from "#lib/jobs/job.ts";
import { SPOKE_OPERATIONS, type SpokeOperationKind } from "#lib/operations/table.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

/** Creates a spoke's job. Installs wait in the hub's lane (queue), other operations in the spoke's own lane. */
export function buildSpokeJob(
  spoke: SpokeRow,
  kind: SpokeOperationKind,
  payload: object = {},
  turn?: TurnRule,
): NewJob {
  const { id: spokeId, federationId } = spoke;
  const lane = kind === "provision" ? buildHubLane(federationId) : buildSpokeLane(spokeId);
  return createJob<object>(SPOKE_OPERATIONS[kind].kind, payload, {
    lane,
    federationId,
    spokeId,
    ...(turn && { turn }),
  });
}
