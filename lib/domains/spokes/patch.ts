/**
 * Changes a spoke's name, brand, administrator, email setting and domain. This module updates the row; the operation
 * `configure` then updates the site. A new domain is reserved until the site uses the domain. Suspended spokes cannot
 * be patched, because a suspended site cannot be updated.
 */
import { buildSpokeSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { spokeMissingFault } from "#lib/domains/spokes/access.ts";
import { requireVerifiedDomain } from "#lib/domains/spokes/domain-verification.ts";
import { getServiceDomains } from "#lib/domains/spokes/domains.ts";
import { lockDomains } from "#lib/domains/spokes/names.ts";
import { enqueueJob } from "#lib/jobs/store.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import { planSpokePatch, requireAllowedDomain } from "#lib/domains/spokes/patch-plan.ts";
import { showSpoke } from "#lib/domains/spokes/show.ts";
import type { AcceptedAction } from "#lib/operations/check-action.ts";
import {
  lockSpoke,
  setAppliedInputs,
  setSpokeState,
  type SpokeRow,
  updateDesiredValues,
} from "#lib/domains/spokes/store.ts";
import type { SpokePatch, SpokeRecord } from "#lib/domains/spokes/views.ts";
import { withDesiredSettings } from "#lib/domains/spokes/desired.ts";

/**
 * Patches a spoke. Throws a fault: `conflict` (`spoke_state`), `invalid` (`not_offered`), `forbidden`
 * (`federation_admin_only`), or a domain fault as at creation. `signal` aborts slow DNS queries.
 */
export async function patchSpoke(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  patch: SpokePatch,
  signal?: AbortSignal,
): Promise<SpokeRecord> {
  await verifyPatchDomain(app, actor, spoke, patch, signal);
  const row = await app.db.transact((tx) => writePatch(tx, app, actor, spoke.id, patch));
  return await showSpoke(app.db.rows, actor, row);
}

/** Verifies a new domain. Skips the current and the requested domain, which are already verified. */
export async function verifyPatchDomain(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  { domain }: SpokePatch,
  signal?: AbortSignal,
): Promise<void> {
  if (domain === undefined || domain === spoke.domain || domain === spoke.requestedDomain) return;
  requireAllowedDomain(app, actor, spoke, domain);
  await requireVerifiedDomain(app, actor, { id: spoke.federationId }, [domain], signal, spoke.id);
}

async function writePatch(tx: Tx, app: App, actor: Actor, id: string, patch: SpokePatch): Promise<SpokeRow> {
  const before = await lockSpoke(tx, id);
  if (before.state === "removed") throw spokeMissingFault();
  if (patch.domain !== undefined) await lockDomains(tx, patch.domain, getServiceDomains(app.config));
  const { desired, changes, execution: by } = await planSpokePatch(tx, app, actor, before, patch);
  if (by === "nothing") return before;
  let after = await updateDesiredValues(tx, desired);
  if (by === "install") {
    const inputs = withDesiredSettings(app.catalog, desired, desired.blueprintInputs as SpokeInputs);
    await setAppliedInputs(tx, id, { ...inputs, host: desired.domain });
  }
  const about = { federationId: after.federationId, spokeId: id };
  let job: Job | undefined;
  if (typeof by === "object") [after, job] = await enqueueConfigureJob(tx, actor, after, by);
  await recordChange(tx, actor, {
    audit: [{
      kind: "spoke_updated",
      ...buildSpokeSubject(after),
      metadata: { slug: after.slug, changed: changes, ...(job && { operationId: job.id }) },
    }],
    // Omits an operation that waits for another operation. Its start is announced by a separate event.
    events: [{
      ...about,
      state: after.state,
      ...(job && after.state !== before.state && { operation: toStreamOperation(job) }),
    }],
  });
  return after;
}

/** Enqueues the operation `configure`, which updates the site. Returns the updated spoke and the new job. */
export async function enqueueConfigureJob(
  tx: Tx,
  requester: Requester,
  spoke: SpokeRow,
  { state }: AcceptedAction,
): Promise<[SpokeRow, Job]> {
  const after = state === spoke.state ? spoke : await setSpokeState(tx, spoke.id, state);
  return [after, await enqueueJob(tx, requester, buildSpokeJob(after, "configure"))];
}
