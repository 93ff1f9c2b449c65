/** Requests actions on spokes: checks each action, records it and enqueues its job, which lib/workers runs. */
import { spokeSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { type Actor, requireOperator } from "#lib/domains/auth/access.ts";
import { spokeInputs } from "#lib/catalog/inputs.ts";
import { recordOperation } from "#lib/changes/record.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { findUnfinishedRestore } from "#lib/jobs/restores.ts";
import { findLastFailure, listLiveOperations } from "#lib/jobs/store.ts";
import { spokeMissingFault } from "#lib/domains/spokes/access.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { ResizeParameters } from "#lib/operations/resize.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import { showSpoke } from "#lib/domains/spokes/show.ts";
import { type AcceptedAction, checkAction, operationRules, type SpokeFacts } from "#lib/operations/check-action.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import { lockSpoke, setBlueprintInputs, setSpokeState, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokeAction, SpokeRecord } from "#lib/domains/spokes/views.ts";

/** Requests an action. Throws a `conflict` fault (`spoke_state`) if the spoke's state does not allow it, or another fault if a parameter is invalid. */
export async function requestSpokeAction(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  input: SpokeAction,
): Promise<SpokeRecord> {
  const parameters = parseSpokeAction(app, actor, input);
  const row = await app.db.transact((tx) => acceptSpokeAction(app, tx, actor, spoke.id, parameters));
  return await showSpoke(app.db.rows, actor, row);
}

interface ActionRequest {
  readonly action: SpokeActionName;
  /** The job's payload, built from the action's parameters. */
  readonly parameters: object;
}

/** Parses an action. Throws a `forbidden` fault if only operators may request it, or `invalid` for bad parameters. */
export function parseSpokeAction(app: App, actor: Actor, input: SpokeAction): ActionRequest {
  const { action } = input, { forOperators, parsePayload: parameters } = operationRules(action);
  if (forOperators) requireOperator(actor);
  return { action, parameters: parameters?.(app.catalog, input) ?? {} };
}

/** Throws if the operation would change nothing. `size` is the spoke's size after its queued operations. */
export function requireActionEffect(
  { catalog }: Pick<App, "catalog">,
  { lmsVersion: version, blueprintInputs: inputs }: Pick<SpokeRow, "lmsVersion" | "blueprintInputs">,
  { size }: { readonly size: string },
  { action, parameters }: ActionRequest,
): void {
  operationRules(action).requireEffect?.(catalog, { version, inputs, size }, parameters);
}

/** The state that the spoke will have after all its queued operations. Actions are checked against it. */
interface ActionFacts extends SpokeFacts {
  readonly size: string;
  /** The failed upgrade after which the spoke's state is `failed`. Null if there is none. */
  readonly failure: Job | null;
}

/** Reads what an action on the spoke is checked against. */
export async function readSpokeActionFacts(rows: Rows, spoke: SpokeRow): Promise<ActionFacts> {
  const live = await listLiveOperations(rows, spoke.id);
  const failure = spoke.state === "failed" ? await findLastFailure(rows, spoke.id, "upgrade") : null;
  const resize = live.findLast(({ kind }) => kind === "resize");
  const maintenance = live.findLast(({ kind }) => kind === "maintenance-on" || kind === "maintenance-off");
  return {
    state: spoke.state,
    wasReady: spoke.readyAt !== null,
    size: resize ? (resize.payload as ResizeParameters).size : spoke.size,
    maintenance: maintenance ? maintenance.kind === "maintenance-on" : spoke.maintenance,
    live: live.map(({ kind }) => kind),
    failedUpgrade: failure !== null,
    halfRestored: spoke.state === "failed" && await findUnfinishedRestore(rows, spoke.id) !== null,
    failure,
  };
}

/** Checks and enqueues an action. Locks the spoke's row first. Its state changes only if no operation is queued. */
export async function acceptSpokeAction(
  app: App,
  tx: Tx,
  requester: Requester,
  id: string,
  { action, parameters }: ActionRequest,
): Promise<SpokeRow> {
  const before = await lockSpoke(tx, id);
  if (before.state === "removed") throw spokeMissingFault();
  const facts = await readSpokeActionFacts(tx, before);
  const { kind, state } = checkAction(action, facts);
  requireActionEffect(app, before, facts, { action, parameters });
  if (kind === "provision") await refreshInputs(app, tx, before);
  const [after] = await enqueueSpokeAction(
    tx,
    requester,
    before,
    { kind, state },
    action,
    actionPayloadOf(facts, { action, parameters }),
  );
  return after;
}

/** Enqueues an action's operation. Returns the updated spoke and the new job. */
export async function enqueueSpokeAction(
  tx: Tx,
  requester: Requester,
  before: SpokeRow,
  { kind, state }: Pick<AcceptedAction, "kind" | "state">,
  action: string,
  payload: object,
): Promise<[SpokeRow, Job]> {
  const after = state === before.state ? before : await setSpokeState(tx, before.id, state);
  const about = { federationId: after.federationId, spokeId: after.id };
  const job = await recordOperation(tx, requester, buildSpokeJob(after, kind, payload), (job) => ({
    audit: [{
      kind: "spoke_actioned",
      ...spokeSubject(after),
      metadata: { action, ...payload, slug: after.slug, operationId: job.id },
    }],
    // Sends no event yet if the state stays the same. The operation is then announced when it starts.
    events: state === before.state ? [] : [{ ...about, state, operation: toStreamOperation(job) }],
  }));
  return [after, job];
}

/** Returns the payload for the job. A retry uses the payload of the job that failed. */
export function actionPayloadOf({ failure }: ActionFacts, { action, parameters }: ActionRequest): object {
  return action === "retry" ? failure?.payload ?? {} : parameters;
}

/**
 * Computes the inputs again for a retry, because the catalog or blueprint may have been fixed. Keeps values that the
 * catalog no longer has, and inputs that came from a backup.
 */
async function refreshInputs({ catalog, config, blueprint, log }: App, tx: Tx, spoke: SpokeRow): Promise<void> {
  if (spoke.fromBackup !== null) return;
  let inputs;
  try {
    inputs = spokeInputs(catalog, config, spoke);
  } catch (error) {
    return log.warn("The catalog no longer offers what a spoke requested", { spoke: spoke.id, error });
  }
  const { origin } = spoke.blueprintInputs as SpokeInputs; // an install that has started from a template continues with it
  await setBlueprintInputs(tx, spoke.id, { ...inputs, ...(origin && { origin }) }, blueprint.revision);
}
