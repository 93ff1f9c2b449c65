/** Previews an action on many spokes without asking the clusters: what is possible, how long it takes, what it costs. */
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { previewCostOrReason } from "#lib/domains/billing/preview.ts";
import { type Cost, UNAVAILABLE_COST } from "#lib/domains/billing/views.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import { readMedianDuration } from "#lib/jobs/durations.ts";
import { getOperationRules, requireActionAllowed } from "#lib/operations/check-action.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { SpokeState } from "#lib/model/states.ts";
import {
  type ActionRequest,
  parseSpokeAction,
  readSpokeActionFacts,
  requireActionEffect,
  requireTierAllows,
} from "#lib/domains/spokes/actions.ts";
import { selectSpokes } from "#lib/domains/spokes/select.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { type BulkAction, type BulkPreview, MAX_BULK_SPOKES, type SpokeAction } from "#lib/domains/spokes/views.ts";

/** An action, or the removal of spokes. */
export type BulkRequest = ActionRequest | { readonly action: "destroy"; readonly parameters: object };

/** Parses the action. Throws a fault: `forbidden` for an action that only operators may request, or `invalid`. */
export function parseBulkAction(app: App, actor: Actor, input: BulkAction): BulkRequest {
  const { ids: _, filter: __, expected: ___, ...action } = input;
  return action.action === "destroy"
    ? { action: action.action, parameters: {} }
    : parseSpokeAction(app, actor, action as SpokeAction);
}

/** A selected spoke. `becomes` is null if the spoke cannot run the action; `reason` then says why. */
interface CheckedSpoke {
  readonly spoke: SpokeRow;
  readonly becomes: SpokeState | null;
  readonly reason: string | null;
}

export interface CheckedSelection {
  readonly request: BulkRequest;
  /** Identifies the spokes and which of them can run the action. */
  readonly selection: string;
  readonly spokes: readonly CheckedSpoke[];
}

/** Selects the spokes and checks the action on each. Throws an `impossible` fault if too many spokes are selected. */
export async function checkSelection(app: App, actor: Actor, input: BulkAction): Promise<CheckedSelection> {
  const { rows } = app.db, request = parseBulkAction(app, actor, input), { ids, filter } = input;
  if (ids === undefined && filter === undefined) {
    const fields = { ids: "must be given, or filter" };
    throw new Fault("invalid", "invalid_input", `ids ${fields.ids}`, { fields });
  }
  const selected = await selectSpokes(app, rows, actor, { ...filter, ids }, MAX_BULK_SPOKES);
  if (selected.length > MAX_BULK_SPOKES) {
    const message = `The filter matches more than ${MAX_BULK_SPOKES} spokes; select fewer, or use a rollout`;
    throw new Fault("impossible", "selection_too_large", message);
  }
  const spokes = [];
  for (const spoke of selected) spokes.push(await checkSpoke(app, rows, actor, spoke, request));
  return { request, spokes, selection: await digestSelection(request, spokes) };
}

/** Throws a `conflict` fault if the selection is not the one that the caller has seen in the preview. */
export function requireExpectedSelection({ selection }: CheckedSelection, expected: string | undefined): void {
  if (expected === undefined) {
    const fields = { expected: "must be the selection of a preview (dryRun=true)" };
    throw new Fault("invalid", "invalid_input", `expected ${fields.expected}`, { fields });
  }
  if (selection !== expected) {
    const message = "The selected spokes have changed since the preview, so nothing was started; see the new preview";
    throw new Fault("conflict", "selection_changed", message);
  }
}

/** Previews an action on many spokes. Writes nothing. */
export async function previewBulkAction(
  app: App,
  actor: Actor,
  input: BulkAction,
  signal: AbortSignal,
): Promise<BulkPreview> {
  const { request: { action, parameters }, selection, spokes } = await checkSelection(app, actor, input);
  const possible = spokes.filter(({ becomes }) => becomes !== null).map(({ spoke }) => spoke);
  const kind = action === "destroy" ? OPERATIONS.remove.name : action;
  const { downtime = false } = action === "destroy" ? OPERATIONS.remove : getOperationRules(action);
  const becomes = spokes.find((each) => each.becomes !== null)?.becomes ?? null;
  const [usualSeconds, price] = await Promise.all([
    readMedianDuration(app.db.rows, kind),
    previewPrice(app, actor, { action, parameters } as BulkRequest, possible, becomes, signal),
  ]);
  return {
    dryRun: true,
    action,
    parameters: { ...parameters },
    selection,
    possible: possible.length,
    refused: spokes.length - possible.length,
    usualSeconds,
    downtimes: typeof downtime === "boolean" ? (downtime ? possible.length : 0) : null,
    price,
    spokes: spokes.map(({ spoke: { id, federationId, slug, domain, state }, becomes, reason }) => ({
      ...{ spokeId: id, federationId, slug, domain, state, becomes, reason },
    })),
  };
}

async function checkSpoke(
  app: App,
  rows: RowQueries,
  actor: Actor,
  spoke: SpokeRow,
  request: BulkRequest,
): Promise<CheckedSpoke> {
  try {
    if (request.action === "destroy") {
      requireRemovalRight(actor, spoke);
      return { spoke, becomes: "removed", reason: null };
    }
    const facts = await readSpokeActionFacts(rows, spoke);
    const { becomes } = requireActionAllowed(request.action, facts);
    requireActionEffect(app, spoke, facts, request as ActionRequest);
    await requireTierAllows(app, rows, spoke, request as ActionRequest);
    return { spoke, becomes, reason: null };
  } catch (error) {
    if (!(error instanceof Fault) || !["conflict", "impossible", "forbidden"].includes(error.kind)) throw error;
    return { spoke, becomes: null, reason: error.message };
  }
}

/** Throws a `forbidden` fault unless the actor may remove the spoke. */
export function requireRemovalRight(actor: Actor, { federationId }: Pick<SpokeRow, "federationId">): void {
  if (canManageHub(actor, federationId)) return;
  throw new Fault("forbidden", "federation_admin_only", "Only operators and admins of the hub can remove a spoke");
}

async function digestSelection(request: BulkRequest, spokes: readonly CheckedSpoke[]): Promise<string> {
  const lines = spokes.map(({ spoke, becomes }) => `${spoke.id} ${becomes}`).sort();
  const bytes = new TextEncoder().encode(JSON.stringify([request, lines]));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 32);
}

/** The maximum number of requests to the payment provider for one preview. */
const MAX_PRICE_REQUESTS = 20;

/** Adds up the price of all spokes. Asks the payment provider once for each kind of change in each hub. */
async function previewPrice(
  app: App,
  actor: Actor,
  { action, parameters }: BulkRequest,
  spokes: readonly SpokeRow[],
  becomes: SpokeState | null,
  signal: AbortSignal,
): Promise<Cost> {
  const isPriced = action !== "destroy" && getOperationRules(action).affectsPrice;
  if (!isPriced || becomes === null || spokes.some(({ federationId }) => !canManageHub(actor, federationId))) {
    return UNAVAILABLE_COST;
  }
  const groups = Map.groupBy(spokes, ({ federationId, size, state }) => [federationId, size, state].join());
  if (groups.size > MAX_PRICE_REQUESTS) {
    return { available: false, reason: "The spokes are in too many hubs to add up their prices" };
  }
  const costs = await Promise.all([...groups.values()].map(async (group) => {
    const [spoke] = group as [SpokeRow], size = (parameters as { size?: string }).size ?? spoke.size;
    const change = { federationId: spoke.federationId, before: spoke, after: { size, state: becomes } };
    return [await previewCostOrReason(app, change, signal), group.length] as const;
  }));
  return addCosts(costs);
}

function addCosts(costs: readonly (readonly [cost: Cost, count: number])[]): Cost {
  let sum: Extract<Cost, { available: true }> | undefined;
  for (const [cost, count] of costs) {
    if (!cost.available) return cost;
    if (sum && sum.currency !== cost.currency) {
      return { available: false, reason: "The prices have several currencies" };
    }
    const total: Pick<typeof cost, "recurringMonthly" | "dueNow"> = sum ?? { recurringMonthly: 0, dueNow: 0 };
    sum = {
      ...cost,
      size: sum && sum.size !== cost.size ? `${sum.size}, ${cost.size}` : cost.size,
      recurringMonthly: total.recurringMonthly + count * cost.recurringMonthly,
      dueNow: total.dueNow + count * cost.dueNow,
    };
  }
  return sum ?? UNAVAILABLE_COST;
}
