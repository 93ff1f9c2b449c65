/** Asks a spoke to change: the request is judged, written down and queued here; lib/work does it. */
import { onSpoke } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Asker } from "#lib/audit/asker.ts";
import { type Actor, requireOperator } from "#lib/domains/auth/access.ts";
import { spokeInputs } from "#lib/catalog/inputs.ts";
import { recordOperation } from "#lib/changes/record.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { streamOperation } from "#lib/jobs/operation.ts";
import { findHalfRestored } from "#lib/jobs/restores.ts";
import { lastFailure, liveOperations } from "#lib/jobs/store.ts";
import { spokeMissingFault } from "#lib/domains/spokes/access.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { ResizeParameters } from "#lib/operations/resize.ts";
import { operationOn } from "#lib/domains/spokes/operation.ts";
import { showSpoke } from "#lib/domains/spokes/show.ts";
import { type Acceptance, checkAction, rulesOf, type SpokeFacts } from "#lib/operations/check-action.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import { lockSpoke, moveSpoke, setBlueprintInputs, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokeAction, SpokeRecord } from "#lib/domains/spokes/views.ts";

/**
 * Throws Fault conflict `spoke_state` when neither the spoke's state nor what is queued for it allows the action, and what
 * the operation's own wish deserves.
 */
export async function requestAction(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  input: SpokeAction,
): Promise<SpokeRecord> {
  const parameters = parseAction(app, actor, input);
  const row = await app.db.transact((tx) => acceptAction(app, tx, actor, spoke.id, parameters));
  return await showSpoke(app.db.rows, actor, row);
}

/** An action and what it is to lead to, as far as that can be said without the spoke. */
interface ActionRequest {
  readonly action: SpokeActionName;
  /** The payload of its job. */
  readonly parameters: object;
}

/** Throws Fault forbidden for what operators alone may ask, and invalid for what nobody can. */
export function parseAction(app: App, actor: Actor, input: SpokeAction): ActionRequest {
  const { action } = input, { forOperators, parsePayload: parameters } = rulesOf(action);
  if (forOperators) requireOperator(actor);
  return { action, parameters: parameters?.(app.catalog, input) ?? {} };
}

/** Throws what the operation demands of the spoke; `size` is the one that it has, or has been asked to take. */
export function requireEffect(
  { catalog }: Pick<App, "catalog">,
  { lmsVersion: version, blueprintInputs: inputs }: Pick<SpokeRow, "lmsVersion" | "blueprintInputs">,
  { size }: { readonly size: string },
  { action, parameters }: ActionRequest,
): void {
  rulesOf(action).requireEffect?.(catalog, { version, inputs, size }, parameters);
}

/** What an action is judged by: the spoke as it will be once all that it has been asked is done. */
interface ActionFacts extends SpokeFacts {
  readonly size: string;
  /** The upgrade that made it fail, if one did. */
  readonly failure: Job | null;
}

/** As things stand in this transaction, or for this reader. */
export async function readFacts(rows: Rows, spoke: SpokeRow): Promise<ActionFacts> {
  const live = await liveOperations(rows, spoke.id);
  const failure = spoke.state === "failed" ? await lastFailure(rows, spoke.id, "upgrade") : null;
  const resize = live.findLast(({ kind }) => kind === "resize");
  const maintenance = live.findLast(({ kind }) => kind === "maintenance-on" || kind === "maintenance-off");
  return {
    state: spoke.state,
    wasReady: spoke.readyAt !== null,
    size: resize ? (resize.payload as ResizeParameters).size : spoke.size,
    maintenance: maintenance ? maintenance.kind === "maintenance-on" : spoke.maintenance,
    live: live.map(({ kind }) => kind),
    failedUpgrade: failure !== null,
    halfRestored: spoke.state === "failed" && await findHalfRestored(rows, spoke.id) !== null,
    failure,
  };
}

/**
 * Returns the spoke as it is from now on: in the operation's own state if nothing is ahead of it, else in the state that
 * it was in. The row is locked first, so of two callers the second judges what the first has made of it.
 */
export async function acceptAction(
  app: App,
  tx: Tx,
  requester: Asker,
  id: string,
  { action, parameters }: ActionRequest,
): Promise<SpokeRow> {
  const before = await lockSpoke(tx, id);
  if (before.state === "removed") throw spokeMissingFault();
  const facts = await readFacts(tx, before);
  const { kind, state } = checkAction(action, facts);
  requireEffect(app, before, facts, { action, parameters });
  if (kind === "provision") await refreshInputs(app, tx, before);
  const [after] = await enqueueAction(
    tx,
    requester,
    before,
    { kind, state },
    action,
    payloadOf(facts, { action, parameters }),
  );
  return after;
}

/** The spoke as it is from now on, and the operation that was asked of it. */
export async function enqueueAction(
  tx: Tx,
  requester: Asker,
  before: SpokeRow,
  { kind, state }: Pick<Acceptance, "kind" | "state">,
  action: string,
  payload: object,
): Promise<[SpokeRow, Job]> {
  const after = state === before.state ? before : await moveSpoke(tx, before.id, state);
  const about = { federationId: after.federationId, spokeId: after.id };
  const job = await recordOperation(tx, requester, operationOn(after, kind, payload), (job) => ({
    audit: [{
      kind: "spoke_actioned",
      ...onSpoke(after),
      metadata: { action, ...payload, slug: after.slug, operationId: job.id },
    }],
    // What waits behind another operation, or changes no state, is told by its start.
    events: state === before.state ? [] : [{ ...about, state, operation: streamOperation(job) }],
  }));
  return [after, job];
}

/** A retry asks for what failed once more. */
export function payloadOf({ failure }: ActionFacts, { action, parameters }: ActionRequest): object {
  return action === "retry" ? failure?.payload ?? {} : parameters;
}

/**
 * What a spoke is made from is resolved anew for a retry: the catalogue or the blueprint may be what was mended. What
 * they do not offer any more is tried as it was asked for. What is made from a backup goes by that.
 */
async function refreshInputs({ catalog, config, blueprint, log }: App, tx: Tx, spoke: SpokeRow): Promise<void> {
  if (spoke.fromBackup !== null) return;
  let inputs;
  try {
    inputs = spokeInputs(catalog, config, spoke);
  } catch (error) {
    return log.warn("The catalog no longer offers what a spoke requested", { spoke: spoke.id, error });
  }
  const { origin } = spoke.blueprintInputs as SpokeInputs; // what was begun from a template goes by it
  await setBlueprintInputs(tx, spoke.id, { ...inputs, ...(origin && { origin }) }, blueprint.revision);
}
