/**
 * What an action would come to: judged as the real thing, asked of the cluster by its own dry run, and nothing is
 * written.
 */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { type Cost, NO_COST } from "#lib/domains/billing/cost.ts";
import { previewCostIfTold } from "#lib/domains/billing/preview.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { withMail } from "#lib/catalog/inputs.ts";
import { runsHub } from "#lib/domains/federations/viewer.ts";
import { judgeAction } from "#lib/operations/judge.ts";
import type { Declaration, SpokeSubject } from "#lib/operations/operation.ts";
import { SPOKE_OPERATIONS } from "#lib/operations/table.ts";
import { demandProgress, payloadOf, readFacts, readRequest } from "#lib/domains/spokes/actions.ts";
import { askCluster } from "#lib/domains/spokes/ask-cluster.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { ActionPreview, SpokeAction } from "#lib/domains/spokes/views.ts";

/** Throws the Faults that the action itself would, and unavailable when the cluster cannot be asked. */
export async function previewAction(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  asked: SpokeAction,
  signal: AbortSignal,
): Promise<ActionPreview> {
  const request = readRequest(app, actor, asked);
  const facts = await readFacts(app.db.rows, spoke);
  const { kind, becomes } = judgeAction(request.action, facts);
  demandProgress(app, spoke, facts, request);
  const operation: Declaration<string, string> = SPOKE_OPERATIONS[kind];
  const subject = subjectOf(app, spoke, { maintenance: facts.maintenance, payload: payloadOf(facts, request) });
  // Before the namespace is made, nothing stands there that could change.
  const wanted = spoke.namespaceUid === null ? {} : operation.changes?.(subject) ?? {};
  const [{ changes, refusals }, price] = await Promise.all([
    askCluster(app, actor, spoke, Object.values(wanted).flatMap((each) => each ?? []), signal),
    // What the hub pays is nothing to admins of single spokes.
    runsHub(actor, spoke.federationId)
      ? askPrice(app, spoke, operation, { size: facts.size, ...subject.payload }, signal)
      : NO_COST,
  ]);
  return {
    dryRun: true,
    action: request.action,
    spokeId: spoke.id,
    state: spoke.state,
    becomes,
    downtime: takesAway(operation, changes),
    steps: Object.values(operation.plan.steps).map(([label]) => label),
    changes,
    notes: [...operation.says?.(subject) ?? [], ...refusals],
    price,
  };
}

/** What the spoke is made from is read only where it is wanted: a row whose site was never made may have none. */
function subjectOf(
  { blueprint, catalog, config }: App,
  spoke: SpokeRow,
  wish: Pick<SpokeSubject, "maintenance" | "payload">,
): SpokeSubject {
  return {
    ...{ blueprint, catalog, ...wish },
    get inputs() {
      return withMail(config, v.parse(SpokeInputs, spoke.blueprintInputs));
    },
  };
}

function takesAway({ downtime = false }: Declaration<string, string>, changes: ActionPreview["changes"]): boolean {
  return typeof downtime === "boolean" ? downtime : changes.some(downtime);
}

async function askPrice(
  app: App,
  spoke: SpokeRow,
  { priced, passage }: Declaration<string, string>,
  { size }: { readonly size: string },
  signal: AbortSignal,
): Promise<Cost> {
  if (!priced || !passage) return NO_COST;
  const change = { federationId: spoke.federationId, before: spoke, after: { size, state: passage.to } };
  return await previewCostIfTold(app, change, signal);
}
