/**
 * Changes a spoke's name, brand, administrator, sign-in, email setting and domain, or previews such a change. This module updates
 * the row; the operation `configure` then updates the site. A new domain is reserved until the site uses the domain.
 * Suspended spokes cannot be patched, because a suspended site cannot be updated.
 */
import { buildSpokeSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { spokeMissingFault } from "#lib/domains/spokes/access.ts";
import { requireVerifiedDomain } from "#lib/domains/spokes/domain-verification.ts";
import { getServiceDomains } from "#lib/domains/spokes/domains.ts";
import { FORMER_DOMAIN_DAYS, lockDomains } from "#lib/domains/spokes/names.ts";
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
import type { ActionPreview, SpokePatch, SpokeRecord } from "#lib/domains/spokes/views.ts";
import { type SpokeFieldChanges, toDesiredInputs, withDesiredSettings } from "#lib/domains/spokes/desired.ts";
import * as v from "valibot";
import { UNAVAILABLE_COST } from "#lib/domains/billing/views.ts";
import { applyCurrentSettings } from "#lib/catalog/inputs.ts";
import { buildAddressChanges, configure } from "#lib/operations/configure.ts";
import { dryRunChanges } from "#lib/domains/spokes/cluster-preview.ts";
import type { ObjectChange } from "#lib/operations/change.ts";

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

/** Previews a patch. Throws a real patch's faults, and an `unavailable` fault if the cluster does not respond. */
export async function previewSpokePatch(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  patch: SpokePatch,
  signal: AbortSignal,
): Promise<ActionPreview> {
  await verifyPatchDomain(app, actor, spoke, patch, signal);
  const { desired, changes, execution: by } = await planSpokePatch(app.db.rows, app, actor, spoke, patch);
  const needsOperation = by !== "nothing" && by !== "install", moves = needsOperation && changes.domain !== undefined;
  const plannedChanges = needsOperation && spoke.namespaceUid !== null ? await findObjectChanges(app, desired) : [];
  const { changes: objectChanges, refusals } = await dryRunChanges(app, actor, spoke, plannedChanges, signal);
  return {
    dryRun: true,
    action: "configure",
    spokeId: spoke.id,
    state: spoke.state,
    becomes: typeof by === "object" ? by.becomes : spoke.state,
    downtime: needsOperation && (moves || changes.mail !== undefined), // Moodle restarts to read the new mail settings
    steps: needsOperation ? Object.values(configure.plan.steps).map(([label]) => label) : [],
    changes: objectChanges,
    notes: [
      ...describeChanges(changes),
      ...(moves ? [`${spoke.domain} redirects to the new domain's front page for ${FORMER_DOMAIN_DAYS} days`] : []),
      ...(by === "install" ? ["The site will be installed with these settings"] : []),
      ...refusals,
    ],
    price: UNAVAILABLE_COST,
  };
}

async function findObjectChanges(app: App, desired: SpokeRow): Promise<ObjectChange[]> {
  const before = applyCurrentSettings(app, v.parse(SpokeInputs, desired.blueprintInputs));
  const changes = buildAddressChanges(app.blueprint, before, await toDesiredInputs(app, desired, before));
  return Object.values(changes).flat();
}

const FIELD_LABELS: Readonly<Record<string, string>> = {
  displayName: "The site's full name",
  brand: "The site's brand",
  adminEmail: "The email address of the site's administrator",
  domain: "The site's domain",
  mail: "The site's outgoing mail",
  identity: "The site's use of the hub's sign-in",
  content: "The site's use of the hub's courses",
  contentMode: "How the site gets new versions of the hub's courses",
};

function describeChanges(changes: SpokeFieldChanges): string[] {
  return Object.entries(changes).map(([field, { from, to }]) =>
    `${FIELD_LABELS[field]} changes from ${describeValue(from)} to ${describeValue(to)}`
  );
}

function describeValue(value: string | boolean | null): string {
  return typeof value === "boolean" ? value ? "on" : "off" : value ?? "none";
}
