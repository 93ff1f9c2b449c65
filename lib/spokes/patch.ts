/**
 * Changes what a spoke is called, how it looks and whom its site answers to. The rows change here; what of it the site must
 * take is done by the operation `configure`, behind whatever the spoke is busy with.
 *
 * An installation that nobody has begun is simply made with the new words. A suspended spoke is refused: its site could not
 * be asked to take them, and a name in the record that nobody finds in the site would stand there for months.
 */
import type { App } from "#lib/app.ts";
import type { Asker } from "#lib/audit/asker.ts";
import type { Actor } from "#lib/auth/access.ts";
import type { SpokeInputs } from "#lib/blueprint/inputs.ts";
import { record } from "#lib/changes/record.ts";
import type { Rows, Tx } from "#lib/db/database.ts";
import { refuseUnlisted } from "#lib/federations/choices.ts";
import type { Job } from "#lib/jobs/job.ts";
import { streamOperation } from "#lib/jobs/operation.ts";
import { liveOperations } from "#lib/jobs/store.ts";
import { missingSpoke } from "#lib/spokes/access.ts";
import { readFacts } from "#lib/spokes/actions.ts";
import { operationOn } from "#lib/spokes/operation.ts";
import { showSpoke } from "#lib/spokes/show.ts";
import { type Acceptance, judgeAction } from "#lib/spokes/state.ts";
import { lockSpoke, moveSpoke, setInForce, type SpokeRow, updateWish } from "#lib/spokes/store.ts";
import type { SpokePatch, SpokeRecord } from "#lib/spokes/views.ts";
import { type Changes, lackOf, wishedInputs } from "#lib/spokes/wish.ts";

/** Throws Fault conflict `spoke_state` where the spoke cannot be changed now, and invalid `not_offered`. */
export async function patchSpoke(app: App, actor: Actor, spoke: SpokeRow, patch: SpokePatch): Promise<SpokeRecord> {
  const row = await app.db.transact((tx) => writePatch(tx, app, actor, spoke.id, patch));
  return await showSpoke(app.db.rows, actor, row);
}

/** What a patch comes to, as things stand in this transaction or for this reader. */
export interface Plan {
  /** The row with the patch in it. */
  readonly wish: SpokeRow;
  readonly changes: Changes;
  /**
   * What brings the site to it: `nothing` where nothing is to be done or somebody is at it, the install that is to come or the
   * operation that waits already, or a new operation.
   */
  readonly by: "nothing" | "install" | "waiting" | Acceptance;
}

export async function planPatch(rows: Rows, { catalog }: App, before: SpokeRow, patch: SpokePatch): Promise<Plan> {
  const changes = changesOf(before, patch);
  // Only what changes is checked: a record sent back as it was is fine, whatever the catalogue lists by now.
  refuseUnlisted(catalog, { brand: changes.brand?.to ?? undefined });
  const wish: SpokeRow = {
    ...before,
    display_name: patch.displayName ?? before.display_name,
    brand: patch.brand ?? before.brand,
    admin_email: patch.adminEmail ?? before.admin_email,
  };
  const lack = lackOf(wish, wish.blueprint_inputs), live = await liveOperations(rows, before.id);
  const changed = Object.keys(changes).length > 0;
  const isAtIt = live.some(({ kind }) => kind === "configure");
  if (!changed && (isAtIt || Object.keys(lack).length === 0)) return { wish, changes, by: "nothing" };
  if (isUnbuilt(before, live)) return { wish, changes, by: "install" };
  if (live.some((job) => job.kind === "configure" && isUntouched(job))) return { wish, changes, by: "waiting" };
  const by = judgeAction("configure", await readFacts(rows, before));
  // Asked once more for what came to nothing: what is told is what the site lacks.
  return { wish, changes: changed ? changes : lack, by };
}

async function writePatch(tx: Tx, app: App, asker: Asker, id: string, patch: SpokePatch): Promise<SpokeRow> {
  const before = await lockSpoke(tx, id);
  if (before.state === "removed") throw missingSpoke();
  const { wish, changes, by } = await planPatch(tx, app, before, patch);
  if (by === "nothing") return before;
  let after = await updateWish(tx, wish);
  if (by === "install") await setInForce(tx, id, wishedInputs(app.catalog, wish, wish.blueprint_inputs as SpokeInputs));
  const about = { federationId: after.federation_id, spokeId: id };
  let job: Job | undefined;
  if (typeof by === "object") {
    if (by.state !== after.state) after = await moveSpoke(tx, id, by.state);
    [job] = await record(tx, asker, { jobs: [operationOn(after, "configure")] });
  }
  await record(tx, asker, {
    audit: [{
      kind: "spoke_updated",
      objectType: "spoke",
      objectId: id,
      ...about,
      metadata: { slug: after.slug, changed: changes, ...(job && { operationId: job.id }) },
    }],
    // What waits behind another operation is told by its start.
    events: [{
      ...about,
      state: after.state,
      ...(job && after.state !== before.state && { operation: streamOperation(job) }),
    }],
  });
  return after;
}

function changesOf(before: SpokeRow, { displayName, brand, adminEmail }: SpokePatch): Changes {
  const pairs = {
    displayName: { from: before.display_name, to: displayName ?? before.display_name },
    brand: { from: before.brand, to: brand ?? before.brand },
    adminEmail: { from: before.admin_email, to: adminEmail ?? before.admin_email },
  };
  return Object.fromEntries(Object.entries(pairs).filter(([, { from, to }]) => from !== to));
}

/** Whether an install is still to read what it makes: one that waits for its turn, or the retry of one that failed. */
function isUnbuilt({ state, ready_at }: SpokeRow, live: readonly Job[]): boolean {
  if (state === "failed") return ready_at === null;
  return state === "provisioning" && live.every(isUntouched);
}

function isUntouched({ startedAt }: Job): boolean {
  return startedAt === null;
}
