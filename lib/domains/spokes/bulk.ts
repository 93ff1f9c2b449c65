/** Asks many spokes to change at once. Each is its own transaction: one that refuses holds nobody else up. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { acceptAction, parseAction } from "#lib/domains/spokes/actions.ts";
import { showSpokes } from "#lib/domains/spokes/show.ts";
import { findVisible, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { BulkAction, BulkOutcome } from "#lib/domains/spokes/views.ts";

/** What one spoke refuses, while others may not: as it would be answered if that one had been asked alone. */
const SPOKE_FAULTS = {
  conflict: { statusCode: 409, error: "Conflict" },
  impossible: { statusCode: 422, error: "Unprocessable Content" },
  unavailable: { statusCode: 503, error: "Service Unavailable" },
  timeout: { statusCode: 504, error: "Gateway Timeout" },
} as const;

/** The part of a request's time in which spokes are asked; the rest is for the answer, which must tell of each. */
const TIME_SHARE = 0.6;

/**
 * One outcome for each distinct id that the caller sees, in the order given; the others are skipped in silence. What
 * a spoke's state forbids is that outcome's error. Once one was accepted, the caller is told of all: those that the
 * request's time or the database did not suffice for are refused, and can be asked again.
 */
export async function requestActions(app: App, actor: Actor, input: BulkAction): Promise<BulkOutcome[]> {
  const { ids } = input;
  const request = parseAction(app, actor, input);
  const visible = new Set((await findVisible(app.db.rows, actor, ids)).map((row) => row.id));
  const accepted = new Map<string, SpokeRow>();
  const refused = new Map<string, Fault>();
  const deadline = performance.now() + app.config.requestTimeoutMs * TIME_SHARE;
  let stopFault: Fault | undefined;
  for (const id of new Set(ids)) {
    if (!visible.has(id)) continue;
    if (performance.now() > deadline) {
      stopFault ??= new Fault("timeout", "too_slow", "The request ran out of time; send it again for this spoke");
    }
    if (stopFault) {
      refused.set(id, stopFault);
      continue;
    }
    try {
      accepted.set(id, await app.db.transact((tx) => acceptAction(app, tx, actor, id, request)));
    } catch (error) {
      // One that was removed since it was found is not visible any more; anything else concerns the whole request.
      if (!(error instanceof Fault)) throw error;
      if (error.kind === "missing") continue;
      if (error.code === "access_changed" && accepted.size > 0) throw accessChangedFault(accepted.size);
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

/** The caller's right was taken before all had been asked. */
function accessChangedFault(input: number): Fault {
  const some = input === 1 ? "one of the spokes" : `${input} of the spokes`;
  const message = `Your permissions changed during this request: ${some} had accepted it, and the others are unchanged`;
  return new Fault("forbidden", "access_changed", message);
}

function errorOf({ kind, code, message }: Fault): NonNullable<BulkOutcome["error"]> {
  const { statusCode, error } = SPOKE_FAULTS[kind as keyof typeof SPOKE_FAULTS];
  return { statusCode, code, message, error };
}
