/** Enqueues the operation `configure` if a change of a spoke's own values changes its site. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { readSpokeActionFacts } from "#lib/domains/spokes/actions.ts";
import { readSharedInputs } from "#lib/domains/spokes/desired.ts";
import { enqueueConfigureJob } from "#lib/domains/spokes/patch.ts";
import { isUnbuilt, isUntouched } from "#lib/domains/spokes/patch-plan.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { listLiveOperations } from "#lib/jobs/store.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { listChangedSections, listOutdatedSections } from "#lib/moodle/policy-values.ts";
import { requireActionAllowed } from "#lib/operations/check-action.ts";

/**
 * Returns the spoke, and the new job if one is needed: an installation and a queued operation will include the change.
 * Throws a `conflict` fault (`spoke_state`) if the spoke's state does not allow the operation.
 */
export async function enqueueNeededConfigure(
  app: App,
  tx: Tx,
  actor: Actor,
  spoke: SpokeRow,
): Promise<[SpokeRow, Job | undefined]> {
  const live = await listLiveOperations(tx, spoke.id);
  const isComing = live.some((job) => job.kind === "configure" && isUntouched(job));
  if (isUnbuilt(spoke, live) || isComing || !await needsOperation(app, tx, spoke)) return [spoke, undefined];
  const accepted = requireActionAllowed("configure", await readSpokeActionFacts(tx, spoke));
  return await enqueueConfigureJob(tx, actor, spoke, accepted);
}

/** Whether the site must change, because its values differ or because the hub's newest version never reached it. */
async function needsOperation(app: App, tx: Tx, spoke: SpokeRow): Promise<boolean> {
  const { shared } = spoke.blueprintInputs as SpokeInputs;
  const desired = await readSharedInputs(tx, app.catalog, spoke, shared);
  const hub = await tx.selectFrom("federations").select(["policy", "mode"]).where("id", "=", spoke.federationId)
    .executeTakeFirstOrThrow();
  return listChangedSections(shared, desired).length > 0 ||
    listOutdatedSections(hub, spoke, shared).length > 0;
}
