/** Cancels operations of hubs and spokes that come from before a restore of the database. */
import type { Requester } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { DatabaseChange } from "#lib/doctor/reconcile/discrepancy.ts";
import { determineHubState, determineSpokeState } from "#lib/doctor/reconcile/site-records.ts";
import { createCancellationAuditEntries } from "#lib/domains/federations/remove.ts";
import { lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import { lockSpoke } from "#lib/domains/spokes/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { cancelRunningJobs } from "#lib/jobs/removal.ts";
import { requestJobCancellation } from "#lib/jobs/store.ts";
import { isBeingRemoved } from "#lib/steps/outcomes.ts";
import { idsOf, updateSpokeRow } from "#lib/recovery/adoption/changes.ts";

/** Cancels a hub's or spoke's operations in the database. Does nothing if the hub or spoke is being removed. */
export async function cancelOperations(
  tx: Tx,
  requester: Requester,
  { row: { id, ...row }, operations, replicas }: Extract<DatabaseChange, { kind: "cancel-operations" }>,
): Promise<void> {
  const spoke = "federationId" in row ? await lockSpoke(tx, id) : null;
  const before = spoke ?? await lockFederation(tx, id);
  if (isBeingRemoved(before)) return;
  const live: Job[] = [];
  for (const operation of operations) live.push(...[await requestJobCancellation(tx, operation) ?? []].flat());
  const cancelled = await cancelRunningJobs(tx, live);
  if (cancelled.length === 0) return;
  const after = spoke
    ? await updateSpokeRow(tx, id, determineSpokeState(spoke, replicas))
    : await updateFederation(tx, id, determineHubState(before));
  const ids = idsOf(after), reason = "the database was restored to an earlier time";
  await recordChange(tx, requester, {
    audit: createCancellationAuditEntries(cancelled, ids, reason),
    events: cancelled.map((job) => ({ ...ids, state: after.state, operation: toStreamOperation(job) })),
  });
}
