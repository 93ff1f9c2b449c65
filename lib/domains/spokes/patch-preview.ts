/** Previews a change of a spoke's settings, with the real checks and a dry run in the cluster. Writes nothing. */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { UNAVAILABLE_COST } from "#lib/domains/billing/cost.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { applyMailSettings } from "#lib/catalog/inputs.ts";
import { buildAddressChanges, configure } from "#lib/operations/configure.ts";
import { dryRunChanges } from "#lib/domains/spokes/cluster-preview.ts";
import type { ObjectChange } from "#lib/operations/change.ts";
import { FORMER_DOMAIN_DAYS } from "#lib/domains/spokes/names.ts";
import { verifyPatchDomain } from "#lib/domains/spokes/patch.ts";
import { planSpokePatch } from "#lib/domains/spokes/patch-plan.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { ActionPreview, SpokePatch } from "#lib/domains/spokes/views.ts";
import { type SpokeFieldChanges, toDesiredInputs } from "#lib/domains/spokes/desired.ts";

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
  const before = applyMailSettings(app.config, v.parse(SpokeInputs, desired.blueprintInputs));
  const changes = buildAddressChanges(app.blueprint, before, await toDesiredInputs(app, desired, before));
  return Object.values(changes).flat();
}

const FIELD_LABELS: Readonly<Record<string, string>> = {
  displayName: "The site's full name",
  brand: "The site's brand",
  adminEmail: "The email address of the site's administrator",
  domain: "The site's domain",
  mail: "The site's outgoing mail",
};

function describeChanges(changes: SpokeFieldChanges): string[] {
  return Object.entries(changes).map(([field, { from, to }]) =>
    `${FIELD_LABELS[field]} changes from ${from ?? "none"} to ${to}`
  );
}
