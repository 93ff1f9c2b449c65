/**
 * Updates the spoke's row after a `configure` operation. If it succeeded, the blueprint inputs in the row get the new
 * settings. If it failed, they get only the settings that were applied, and keep the old domain.
 */
import { type ConfigurableSpokeInputs, pickSiteDetails } from "#lib/moodle/configure.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { markBackupFailed } from "#lib/domains/backups/store.ts";
import type { Job, JobOf } from "#lib/jobs/job.ts";
import { withAddonsOf } from "#lib/moodle/addons.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { listLiveOperations } from "#lib/jobs/store.ts";
import { clearRequestedDomain, releaseFormerDomains, switchDomain } from "#lib/domains/spokes/names.ts";
import { setAppliedInputs, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { createActionOutcomes, isBeingRemoved } from "#lib/steps/outcomes.ts";

export const configureOutcomes = createActionOutcomes(OPERATIONS.configure, {
  async succeeded(tx, job, before) {
    const after = withoutUnfinishedAddons(job, before);
    return { metadata: isBeingRemoved(before) ? {} : await saveAppliedSettings(tx, before, after) };
  },
  async stopped(tx, job, before, report) {
    await markBackupFailed(tx, job.id, report?.message ?? "The operation was cancelled"); // unless the backup was complete
    if (report === null) return {};
    const { requestedDomain } = before, { after, observed } = job.progress;
    if (!isBeingRemoved(before)) {
      const { shared: had } = before.blueprintInputs as SpokeInputs;
      if (after && job.finishedSteps.includes("seed")) {
        await setAppliedInputs(tx, before.id, {
          ...before.blueprintInputs,
          ...pickSiteDetails(withoutUnfinishedAddons(job, before)),
        });
      } else if (after && job.finishedSteps.includes("addons")) {
        await setAppliedInputs(tx, before.id, { ...before.blueprintInputs, shared: withAddonsOf(had, after.shared) });
      }
      if (!await hasLaterConfigure(tx, job)) await clearRequestedDomain(tx, before.id);
    }
    const moving = after !== undefined && after.host !== before.domain;
    const message = !moving
      ? report.message
      : observed?.isBack
      ? `${report.message}; the site keeps the domain ${before.domain}`
      : `${report.message}; the site may use ${after.host} until you request the change again or reapply the blueprint`;
    const domain = requestedDomain !== null && { domain: { from: before.domain, to: requestedDomain } };
    return { change: () => ({ stateReason: message }), metadata: { message, ...domain } };
  },
});

/** Returns the new settings, with the add-ons that the site has if the operation has not changed them. */
function withoutUnfinishedAddons(
  { finishedSteps, progress }: Pick<JobOf<typeof OPERATIONS.configure.kind>, "finishedSteps" | "progress">,
  { blueprintInputs }: SpokeRow,
): ConfigurableSpokeInputs {
  const after = progress.after!;
  if (finishedSteps.includes("addons")) return after;
  const shared = withAddonsOf(after.shared, (blueprintInputs as SpokeInputs).shared);
  return { ...after, ...(shared && { shared }) };
}

async function saveAppliedSettings(tx: Tx, before: SpokeRow, after: ConfigurableSpokeInputs): Promise<object> {
  await setAppliedInputs(tx, before.id, { ...before.blueprintInputs, ...after });
  const formerHosts = after.formerHosts ?? [], moves = after.host !== before.domain;
  const freed = await releaseFormerDomains(tx, before.id, [...formerHosts.map(({ host }) => host), after.host]);
  if (moves) await switchDomain(tx, before, after.host);
  return {
    ...(moves && { domain: { from: before.domain, to: after.host } }),
    ...(freed.length > 0 && { freedDomains: freed }),
  };
}

/** Returns whether another `configure` operation is queued, which will apply the spoke's current settings. */
async function hasLaterConfigure(tx: Tx, { id, spokeId }: Job): Promise<boolean> {
  return (await listLiveOperations(tx, spokeId!)).some((other) => other.kind === "configure" && other.id !== id);
}
