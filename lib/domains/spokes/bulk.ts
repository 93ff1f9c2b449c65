/** Requests the same action on many spokes, in a separate transaction for each spoke. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { type ActionRequest, checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import {
  type BulkRequest,
  checkSelection,
  parseBulkAction,
  requireExpectedSelection,
  requireRemovalRight,
} from "#lib/domains/spokes/bulk-preview.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import { showSpokes } from "#lib/domains/spokes/show.ts";
import { findVisibleSpokes, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { getOperationRules } from "#lib/operations/check-action.ts";
import type { BulkAction, BulkOutcome } from "#lib/domains/spokes/views.ts";

/** Faults that concern a single spoke, with the HTTP status that the endpoint for one spoke would return. */
const SPOKE_FAULTS = {
  forbidden: { statusCode: 403, error: "Forbidden" },
  conflict: { statusCode: 409, error: "Conflict" },
  impossible: { statusCode: 422, error: "Unprocessable Content" },
  unavailable: { statusCode: 503, error: "Service Unavailable" },
  timeout: { statusCode: 504, error: "Gateway Timeout" },
} as const;

/** The share of the request's time limit that is for actions. The remaining time is for building the response. */
const TIME_SHARE = 0.6;

/**
 * Requests an action on many spokes. Returns one outcome per visible spoke, in the order of the IDs. If time runs out,
 * the remaining spokes are reported as refused, and the caller can retry. A selection by a filter, and each removal,
 * must be confirmed with the `selection` of a preview.
 */
export async function requestBulkAction(app: App, actor: Actor, input: BulkAction): Promise<BulkOutcome[]> {
  const request = parseBulkAction(app, actor, input);
  const isConfirmed = !input.ids || input.filter !== undefined || request.action === "destroy" ||
    input.expected !== undefined;
  const checked = isConfirmed ? await checkSelection(app, actor, input) : null;
  if (checked) requireExpectedSelection(checked, input.expected);
  const visible = new Map(
    (checked?.spokes.map(({ spoke }) => spoke) ?? await findVisibleSpokes(app.db.rows, actor, input.ids!))
      .map((row) => [row.id, row]),
  );
  const limited = findLimitedSpokes([...visible.values()], request, app.config.clusterDisruptions);
  const ids = input.ids ?? [...visible.keys()];
  const accepted = new Map<string, SpokeRow>();
  const refused = new Map<string, Fault>();
  const deadline = performance.now() + app.config.requestTimeoutMs * TIME_SHARE;
  let stopFault: Fault | undefined;
  for (const id of new Set(ids)) {
    const spoke = visible.get(id);
    if (!spoke) continue;
    if (performance.now() > deadline) {
      stopFault ??= new Fault("timeout", "too_slow", "The request took too long; send the action again for this spoke");
    }
    if (stopFault) {
      refused.set(id, stopFault);
      continue;
    }
    try {
      const { clusterDisruptions: turnLimit } = app.config;
      const limitedRequest = limited.has(id) ? { ...request, turnLimit } : request;
      accepted.set(id, await app.db.transact((tx) => enqueue(app, tx, actor, spoke, limitedRequest)));
    } catch (error) {
      // Skips spokes that were just removed. A fault that does not concern a single spoke ends the whole request.
      if (!(error instanceof Fault)) throw error;
      if (error.kind === "missing") continue;
      if (error.code === "access_changed") throw accepted.size > 0 ? accessChangedFault(accepted.size) : error;
      const isDown = error.kind === "unavailable";
      if (!Object.hasOwn(SPOKE_FAULTS, error.kind) || isDown && accepted.size === 0) throw error;
      refused.set(id, error);
      if (isDown) stopFault = error;
    }
  }
  const records = new Map(
    (await showSpokes(app.db.rows, actor, [...accepted.values()])).map((record) => [record.id, record]),
  );
  return [...new Set(ids)].flatMap((id): BulkOutcome[] => {
    const spoke = records.get(id), fault = refused.get(id);
    if (spoke) return [{ id, accepted: true, spoke }];
    return fault ? [{ id, accepted: false, error: errorOf(fault) }] : [];
  });
}

/** Returns the spokes whose operations need a turn: the action would disrupt more sites of their cluster than the limit. */
function findLimitedSpokes(rows: readonly SpokeRow[], { action }: BulkRequest, limit: number): ReadonlySet<string> {
  if (action === "destroy" || !getOperationRules(action).downtime) return new Set();
  const counts = new Map<string, number>();
  for (const { cluster } of rows) counts.set(cluster, (counts.get(cluster) ?? 0) + 1);
  return new Set(rows.filter(({ cluster }) => counts.get(cluster)! > limit).map(({ id }) => id));
}

async function enqueue(app: App, tx: Tx, actor: Actor, spoke: SpokeRow, request: BulkRequest): Promise<SpokeRow> {
  if (request.action !== "destroy") {
    return await checkAndEnqueueAction(app, tx, actor, spoke.id, request as ActionRequest);
  }
  requireRemovalRight(actor, spoke);
  return await enqueueSpokeRemoval(tx, actor, spoke.id);
}

/** Creates the fault for a caller whose permissions changed after some spokes had accepted the action. */
function accessChangedFault(input: number): Fault {
  const some = input === 1 ? "one of the spokes" : `${input} of the spokes`;
  const message = `Your permissions changed during this request: ${some} accepted the action; the others are unchanged`;
  return new Fault("forbidden", "access_changed", message);
}

function errorOf({ kind, code, message }: Fault): NonNullable<BulkOutcome["error"]> {
  const { statusCode, error } = SPOKE_FAULTS[kind as keyof typeof SPOKE_FAULTS];
  return { statusCode, code, message, error };
}
