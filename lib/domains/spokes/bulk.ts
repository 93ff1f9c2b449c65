/** Asks many spokes to change at once. Each is its own transaction: one that refuses holds nobody else up. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { acceptAction, readRequest } from "#lib/domains/spokes/actions.ts";
import { showSpokes } from "#lib/domains/spokes/show.ts";
import { findVisible, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { BulkAction, BulkOutcome } from "#lib/domains/spokes/views.ts";

/** What one spoke refuses, while others may not: as it would be answered if that one had been asked alone. */
const REFUSALS = {
  conflict: { statusCode: 409, error: "Conflict" },
  impossible: { statusCode: 422, error: "Unprocessable Content" },
} as const;

/**
 * One outcome for each distinct id that the caller sees, in the order given; the others are skipped in silence. What
 * a spoke's state forbids is that outcome's error.
 */
export async function requestActions(app: App, actor: Actor, asked: BulkAction): Promise<BulkOutcome[]> {
  const { ids } = asked;
  const wish = readRequest(app, actor, asked);
  const visible = new Set((await findVisible(app.db.rows, actor, ids)).map((row) => row.id));
  const accepted = new Map<string, SpokeRow>();
  const refused = new Map<string, Fault>();
  for (const id of new Set(ids)) {
    if (!visible.has(id)) continue;
    try {
      accepted.set(id, await app.db.transact((tx) => acceptAction(app, tx, actor, id, wish)));
    } catch (error) {
      // One that was removed since it was found is not visible any more; anything else concerns the whole request.
      if (error instanceof Fault && Object.hasOwn(REFUSALS, error.kind)) refused.set(id, error);
      else if (!(error instanceof Fault) || error.kind !== "missing") throw error;
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

function errorOf({ kind, code, message }: Fault): NonNullable<BulkOutcome["error"]> {
  const { statusCode, error } = REFUSALS[kind as keyof typeof REFUSALS];
  return { statusCode, code, message, error };
}
