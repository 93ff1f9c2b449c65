/** Previews an action on a spoke, with the checks of the real action and a dry run in the cluster. Writes nothing. */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { type Cost, UNAVAILABLE_COST } from "#lib/domains/billing/views.ts";
import { previewCostOrReason } from "#lib/domains/billing/preview.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { applyCurrentSettings } from "#lib/catalog/inputs.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import { requireActionAllowed } from "#lib/operations/check-action.ts";
import type { OperationDeclaration, SpokeOperationSubject } from "#lib/operations/operation.ts";
import { SPOKE_OPERATIONS } from "#lib/operations/table.ts";
import {
  getActionPayload,
  parseSpokeAction,
  readSpokeActionFacts,
  readTierInputs,
  requireActionEffect,
  requireTierAllows,
} from "#lib/domains/spokes/actions.ts";
import { dryRunChanges } from "#lib/domains/spokes/cluster-preview.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { ActionPreview, SpokeAction } from "#lib/domains/spokes/views.ts";

/** Previews an action. Throws the action's faults, and an `unavailable` fault if the cluster does not respond. */
export async function previewSpokeAction(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  input: SpokeAction,
  signal: AbortSignal,
): Promise<ActionPreview> {
  const request = parseSpokeAction(app, actor, input);
  const facts = await readSpokeActionFacts(app.db.rows, spoke);
  const { kind, becomes } = requireActionAllowed(request.action, facts);
  requireActionEffect(app, spoke, facts, request);
  await requireTierAllows(app, app.db.rows, spoke, request);
  const operation: OperationDeclaration<string, string> = SPOKE_OPERATIONS[kind];
  const subject = subjectOf(app, spoke, {
    tier: await readTierInputs(app, spoke),
    ...facts,
    payload: getActionPayload(facts, request),
  });
  // Skips the dry run if the spoke has no namespace, because then there are no objects to change.
  const plannedChanges = spoke.namespaceUid === null ? {} : operation.changes?.(subject) ?? {};
  const [{ changes, refusals }, price] = await Promise.all([
    dryRunChanges(app, actor, spoke, Object.values(plannedChanges).flatMap((each) => each ?? []), signal),
    // Hides the price from spoke admins, because only hub admins may see the hub's costs.
    canManageHub(actor, spoke.federationId)
      ? previewPrice(app, spoke, operation, { size: facts.size, ...subject.payload }, signal)
      : UNAVAILABLE_COST,
  ]);
  return {
    dryRun: true,
    action: request.action,
    spokeId: spoke.id,
    state: spoke.state,
    becomes,
    downtime: causesDowntime(operation, changes),
    steps: Object.values(operation.plan.steps).map(([label]) => label),
    changes,
    notes: [...operation.describe?.(subject) ?? [], ...refusals],
    price,
  };
}

type SubjectParameters = Pick<SpokeOperationSubject, "tier" | "maintenance" | "siteAddons" | "payload">;

/** Describes a spoke for the preview. Parses blueprint inputs only when needed, because a new spoke may have none. */
function subjectOf(
  { blueprint, catalog, config }: App,
  spoke: SpokeRow,
  { tier, maintenance, siteAddons, payload }: SubjectParameters,
): SpokeOperationSubject {
  return {
    ...{ blueprint, catalog, tier, maintenance, siteAddons, payload },
    get inputs() {
      return applyCurrentSettings({ catalog, config }, v.parse(SpokeInputs, spoke.blueprintInputs));
    },
  };
}

function causesDowntime(
  { downtime = false }: OperationDeclaration<string, string>,
  changes: ActionPreview["changes"],
): boolean {
  return typeof downtime === "boolean" ? downtime : changes.some(downtime);
}

async function previewPrice(
  app: App,
  spoke: SpokeRow,
  { affectsPrice: priced, transition: passage }: OperationDeclaration<string, string>,
  { size }: { readonly size: string },
  signal: AbortSignal,
): Promise<Cost> {
  if (!priced || !passage) return UNAVAILABLE_COST;
  const change = { federationId: spoke.federationId, before: spoke, after: { size, state: passage.to } };
  return await previewCostOrReason(app, change, signal);
}
