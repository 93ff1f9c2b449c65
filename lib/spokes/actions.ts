/** Asks a spoke to change: the request is judged, written down and queued here; lib/work does it. */
import type { App } from "#lib/app.ts";
import type { Asker } from "#lib/audit/asker.ts";
import type { Actor } from "#lib/auth/access.ts";
import { spokeInputs } from "#lib/catalog/inputs.ts";
import { record } from "#lib/changes/record.ts";
import type { Tx } from "#lib/db/database.ts";
import { liveOperations } from "#lib/jobs/store.ts";
import { streamOperation } from "#lib/jobs/operation.ts";
import { missingSpoke } from "#lib/spokes/access.ts";
import { operationOn } from "#lib/spokes/operation.ts";
import { requestOfRow } from "#lib/spokes/request.ts";
import { showSpoke } from "#lib/spokes/show.ts";
import { judgeAction, type SpokeActionName } from "#lib/spokes/state.ts";
import { lockSpoke, moveSpoke, setInputs, type SpokeRow } from "#lib/spokes/store.ts";
import type { SpokeAction, SpokeRecord } from "#lib/spokes/views.ts";

/** Throws Fault conflict `spoke_state` when neither the spoke's state nor what is queued for it allows the action. */
export async function requestAction(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  { action }: SpokeAction,
): Promise<SpokeRecord> {
  const row = await app.db.transact((tx) => acceptAction(app, tx, actor, spoke.id, action));
  return await showSpoke(app.db.rows, actor, row);
}

/**
 * Returns the spoke as it is from now on: in the operation's own state if nothing is ahead of it, else in the state that
 * it was in. The row is locked first, so of two callers the second judges what the first has made of it.
 */
export async function acceptAction(
  app: App,
  tx: Tx,
  asker: Asker,
  id: string,
  action: SpokeActionName,
): Promise<SpokeRow> {
  const before = await lockSpoke(tx, id);
  if (before.state === "removed") throw missingSpoke();
  const live = await liveOperations(tx, id);
  const facts = { state: before.state, wasReady: before.ready_at !== null, live: live.map((job) => job.kind) };
  const { kind, state } = judgeAction(action, facts);
  if (action === "retry") await renewInputs(app, tx, before);
  const after = state === before.state ? before : await moveSpoke(tx, id, state);
  const [job] = await record(tx, asker, { jobs: [operationOn(after, kind)] });
  const about = { federationId: after.federation_id, spokeId: id };
  await record(tx, asker, {
    audit: [{
      kind: "spoke_actioned",
      objectType: "spoke",
      objectId: id,
      ...about,
      metadata: { action, slug: after.slug, operationId: job!.id },
    }],
    // What waits behind another operation changes nothing yet; its start will be told.
    events: state === before.state ? [] : [{ ...about, state, operation: streamOperation(job!) }],
  });
  return after;
}

/**
 * What a spoke is made from is resolved anew for a retry: the catalogue or the blueprint may be what was mended. What
 * they do not offer any more is tried as it was asked for.
 */
async function renewInputs({ catalog, config, blueprint, log }: App, tx: Tx, spoke: SpokeRow): Promise<void> {
  let inputs;
  try {
    inputs = spokeInputs(catalog, config, requestOfRow(spoke));
  } catch (error) {
    return log.warn("The catalogue does not offer any more what a spoke was asked for", { spoke: spoke.id, error });
  }
  await setInputs(tx, spoke.id, inputs, blueprint.revision);
}
