/** Requests actions on spokes: checks an action, records the request and enqueues the job for lib/workers. */
import { buildSpokeSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { readHubTier } from "#lib/domains/federations/store.ts";
import { type Actor, requireOperator } from "#lib/domains/auth/access.ts";
import type { SiteAddons } from "#lib/catalog/addons.ts";
import { createSpokeInputs } from "#lib/catalog/inputs.ts";
import { toTierInputs } from "#lib/catalog/tier.ts";
import type { TierInputs } from "#lib/moodle/tier-inputs.ts";
import { recordOperation } from "#lib/changes/record.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { hasDeclaredData } from "#lib/jobs/data.ts";
import type { Job, TurnRule } from "#lib/jobs/job.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { findUnfinishedRestore } from "#lib/jobs/restores.ts";
import { findLastFailedOperation, listLiveOperations } from "#lib/jobs/store.ts";
import { readSiteAddons } from "#lib/domains/spokes/addons.ts";
import { spokeMissingFault } from "#lib/domains/spokes/access.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import { showSpoke } from "#lib/domains/spokes/show.ts";
import {
  type AcceptedAction,
  type ActionCheckInput,
  getOperationRules,
  requireActionAllowed,
} from "#lib/operations/check-action.ts";
import { parseActionParameters } from "#lib/operations/parameters.ts";
import { OPERATIONS, type SpokeActionName } from "#lib/operations/table.ts";
import { lockSpoke, setBlueprintInputs, setSpokeState, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { lockHubBounds, requireAllowedSize, requireWithinBounds } from "#lib/domains/spokes/tier-limits.ts";
import { resolveVersionAlias, type SpokeAction, type SpokeRecord } from "#lib/domains/spokes/views.ts";

/** Requests an action on a spoke. Throws a `conflict` fault (`spoke_state`), or a fault about an invalid parameter. */
export async function requestSpokeAction(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  input: SpokeAction,
): Promise<SpokeRecord> {
  const parameters = parseSpokeAction(app, actor, input);
  const row = await app.db.transact((tx) => checkAndEnqueueAction(app, tx, actor, spoke.id, parameters));
  return await showSpoke(app.db.rows, actor, row);
}

export interface ActionRequest {
  readonly action: SpokeActionName;
  /** The job's payload, built from the action's parameters. */
  readonly parameters: object;
  /** If set, at most so many of a cluster's operations with a limit run at the same time. */
  readonly turnLimit?: number;
}

/** Parses an action. Throws a fault: `forbidden` for an action that only operators may request, or `invalid`. */
export function parseSpokeAction(app: App, actor: Actor, input: SpokeAction): ActionRequest {
  const { action } = input;
  if (getOperationRules(action).forOperators) requireOperator(actor);
  return { action, parameters: parseActionParameters(app.catalog, action, resolveVersionAlias(input)) };
}

/** Throws a fault if the action would change nothing. `size` is the spoke's size after all queued operations. */
export function requireActionEffect(
  { catalog }: Pick<App, "catalog">,
  { lmsVersion: version, blueprintInputs: inputs }: Pick<SpokeRow, "lmsVersion" | "blueprintInputs">,
  { size, siteAddons }: Pick<ActionFacts, "size" | "siteAddons">,
  { action, parameters }: ActionRequest,
): void {
  getOperationRules(action).requireEffect?.(catalog, { version, inputs, size, siteAddons }, parameters);
}

/** Returns the values that the tier of the spoke's hub sets now. */
export async function readTierInputs(
  { db, catalog }: Pick<App, "db" | "catalog">,
  { federationId }: Pick<SpokeRow, "federationId">,
): Promise<TierInputs | undefined> {
  return toTierInputs(catalog.tierOf(await readHubTier(db.rows, federationId)));
}

/** Throws a `conflict` fault (`tier_size` or `tier_bound`) if the tier of the spoke's hub does not allow the action. */
export async function requireTierAllows(
  { catalog }: Pick<App, "catalog">,
  rows: RowQueries,
  { id, federationId }: Pick<SpokeRow, "id" | "federationId">,
  { action, parameters }: ActionRequest,
): Promise<void> {
  if (action !== "resize" || catalog.tiers.length === 0) return;
  const { size } = parameters as { readonly size: string };
  const hub = { id: federationId, tier: await readHubTier(rows, federationId) };
  requireAllowedSize(catalog, hub.tier, size);
  await requireWithinBounds(rows, catalog, hub, { disks: catalog.resourcesOf(size).disks, resized: id });
}

/** A spoke's expected state after all queued operations. Actions are checked against this state. */
interface ActionFacts extends ActionCheckInput {
  readonly size: string;
  readonly siteAddons: SiteAddons;
  /** The failed upgrade that caused the spoke's state `failed`. Null in all other cases. */
  readonly failure: Job | null;
}

/** Reads the state against which an action is checked: the spoke's expected state after all queued operations. */
export async function readSpokeActionFacts(rows: RowQueries, spoke: SpokeRow): Promise<ActionFacts> {
  const live = await listLiveOperations(rows, spoke.id);
  const failure = spoke.state === "failed" ? await findLastFailedOperation(rows, spoke.id, "upgrade") : null;
  const resize = live.findLast(({ kind }) => kind === "resize");
  const maintenance = live.findLast(({ kind }) => kind === "maintenance-on" || kind === "maintenance-off");
  return {
    state: spoke.state,
    wasReady: spoke.readyAt !== null,
    size: resize && hasDeclaredData(OPERATIONS.resize.kind, resize) ? resize.payload.size : spoke.size,
    siteAddons: await readSiteAddons(rows, spoke.id),
    maintenance: maintenance ? maintenance.kind === "maintenance-on" : spoke.maintenance,
    live: live.map(({ kind }) => kind),
    failedUpgrade: failure !== null,
    halfRestored: spoke.state === "failed" && await findUnfinishedRestore(rows, spoke.id) !== null,
    failure,
  };
}

/** Checks and enqueues an action. Returns the updated spoke. */
export async function checkAndEnqueueAction(
  app: App,
  tx: Tx,
  requester: Requester,
  id: string,
  request: ActionRequest,
): Promise<SpokeRow> {
  const [spoke] = await enqueueCheckedAction(app, tx, requester, id, request);
  return spoke;
}

/**
 * Checks and enqueues an action. Locks the spoke's row first. Changes its state only if no operation is queued. Returns
 * the updated spoke and the new job.
 */
export async function enqueueCheckedAction(
  app: App,
  tx: Tx,
  requester: Requester,
  id: string,
  { action, parameters, turnLimit }: ActionRequest,
): Promise<[SpokeRow, Job]> {
  if (action === "resize") await lockBoundsOfSpoke(tx, app, id);
  const before = await lockSpoke(tx, id);
  if (before.state === "removed") throw spokeMissingFault();
  const facts = await readSpokeActionFacts(tx, before);
  const { kind, state } = requireActionAllowed(action, facts);
  requireActionEffect(app, before, facts, { action, parameters });
  await requireTierAllows(app, tx, before, { action, parameters });
  if (kind === "provision") await refreshInputs(app, tx, before);
  const payload = getActionPayload(facts, { action, parameters });
  const turn = turnLimit === undefined ? undefined : { cluster: before.cluster, limit: turnLimit };
  return await enqueueSpokeAction(tx, requester, before, { kind, state }, action, payload, turn);
}

async function lockBoundsOfSpoke(tx: Tx, { catalog }: App, id: string): Promise<void> {
  if (catalog.tiers.length === 0) return;
  const hub = await tx.selectFrom("spokes").innerJoin("federations", "federations.id", "federationId")
    .select(["federations.id", "tier"]).where("spokes.id", "=", id).executeTakeFirst();
  if (hub) await lockHubBounds(tx, catalog, hub);
}

/** Enqueues an action's operation. Returns the updated spoke and the new job. */
export async function enqueueSpokeAction(
  tx: Tx,
  requester: Requester,
  before: SpokeRow,
  { kind, state }: Pick<AcceptedAction, "kind" | "state">,
  action: string,
  payload: object,
  turn?: TurnRule,
): Promise<[SpokeRow, Job]> {
  const after = state === before.state ? before : await setSpokeState(tx, before.id, state);
  const about = { federationId: after.federationId, spokeId: after.id };
  const job = await recordOperation(tx, requester, buildSpokeJob(after, kind, payload, turn), (job) => ({
    audit: [{
      kind: "spoke_actioned",
      ...buildSpokeSubject(after),
      metadata: { action, ...payload, slug: after.slug, operationId: job.id },
    }],
    // Sends an event only if the spoke's state changes. Otherwise, an event is sent when the operation starts.
    events: state === before.state ? [] : [{ ...about, state, operation: toStreamOperation(job) }],
  }));
  return [after, job];
}

/** Returns the payload for an action's job. A retry uses the payload of the failed job. */
export function getActionPayload({ failure }: ActionFacts, { action, parameters }: ActionRequest): object {
  return action === "retry" ? failure?.payload ?? {} : parameters;
}

/**
 * Recomputes a spoke's blueprint inputs (manifest values) for a retry, because the catalog or blueprint may have been
 * fixed. Keeps the old inputs if the catalog no longer offers a value, or if the inputs came from a backup.
 */
async function refreshInputs({ catalog, config, blueprint, log }: App, tx: Tx, spoke: SpokeRow): Promise<void> {
  if (spoke.fromBackup !== null) return;
  let inputs;
  const hubTier = await readHubTier(tx, spoke.federationId);
  try {
    inputs = createSpokeInputs(catalog, config, { ...spoke, hubTier });
  } catch (error) {
    return log.warn("The catalog no longer offers a value that a spoke uses", { spoke: spoke.id, error });
  }
  const { origin } = spoke.blueprintInputs as SpokeInputs; // an install that started from a template continues
  await setBlueprintInputs(tx, spoke.id, { ...inputs, ...(origin && { origin }) }, blueprint.revision);
}
