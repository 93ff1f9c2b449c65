/** Records the changes of a rollout: the audit event, the events in the streams of its hubs, and the email. */
import type { AuditEntry } from "#lib/audit/store.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { RolloutRow } from "#lib/domains/rollouts/store.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import { describeRolloutAction, type RolloutSpokeState } from "#lib/model/rollout.ts";

type RolloutAuditKind = Extract<AuditEntry["kind"], `rollout_${string}`>;

interface RolloutChangeDetails {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly jobs?: readonly NewJob[];
}

/**
 * Records a change of a rollout whose row has been updated. Must be the last call in the transaction. The audit event
 * belongs to the rollout's hub, or to the service if the spokes are in several hubs.
 */
export async function recordRolloutChange(
  tx: Tx,
  requester: Requester,
  { id, state, action, parameters, federationIds }: RolloutRow,
  kind: RolloutAuditKind,
  { metadata = {}, jobs = [] }: RolloutChangeDetails = {},
): Promise<void> {
  await recordChange(tx, requester, {
    audit: [{
      kind,
      objectType: "rollout",
      objectId: id,
      federationId: federationIds.length === 1 ? federationIds[0]! : null,
      metadata: { action, ...parameters, ...metadata },
    }],
    events: federationIds.map((federationId) => ({ federationId, rolloutId: id, state })),
    jobs,
  });
}

/** Creates the email about a rollout that paused itself or is complete. It is for the user who requested the rollout. */
export async function createRolloutMails(
  rows: RowQueries,
  { id, state, action, parameters, reason, requestedBy }: RolloutRow,
  spokes: readonly { readonly state: RolloutSpokeState }[],
): Promise<NewJob[]> {
  const user = await rows.selectFrom("users").select(["email", "displayName as name"]).where("id", "=", requestedBy)
    .where("disabledAt", "is", null).where("emailVerifiedAt", "is not", null).executeTakeFirst();
  if (!user) return [];
  const count = (state: RolloutSpokeState) => spokes.filter((spoke) => spoke.state === state).length;
  const about = {
    id,
    action: describeRolloutAction(action, parameters),
    done: count("succeeded"),
    failed: count("failed"),
    changed: spokes.length - count("skipped"),
  };
  return [createMailJob(
    state === "paused"
      ? { template: "rollout-paused", to: user, about: { ...about, reason: reason ?? "" } }
      : { template: "rollout-completed", to: user, about },
  )];
}
