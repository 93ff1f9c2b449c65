/**
 * Installs, upgrades and removes a site's add-ons: checks them next to the site, takes a backup, and then changes the site
 * in maintenance mode. Each step returns immediately if no add-on changes, so other settings cause no downtime.
 */
import { Refusal } from "#lib/base/refusals.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { readSiteAddons, updateAddons } from "#lib/domains/spokes/addons.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { type AddonsResult, listLostAddons, parseAddonsResult } from "#lib/moodle/addons.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { deleteFinishedJob, requireCompleteLog, requireJobSuccess } from "#lib/steps/site-jobs.ts";
import { addNotes, buildClusterWaitOptions, permanentError, type SpokeSite, tryInCluster } from "#lib/steps/site.ts";
import { pauseCron, resumeCronUnlessMaintenance } from "#lib/steps/workloads.ts";
import { takeBackup } from "#lib/workers/backups/snapshots.ts";
import { type ConfigureRun, getInputsAfterChange } from "#lib/workers/configure/address.ts";

const FAILURE = "The add-ons could not be changed";
const INTERRUPTED =
  "The add-ons could not be changed, and the site may stay in maintenance mode until it is configured again,";
const ADDON_PODS = ["op=addons-check", "op=addons-apply"];
/** How often a Job that was killed is started again. The next Job first repairs the site. */
const MAX_KILLED = 3;

export async function checkAddons(site: SpokeSite, run: ConfigureRun): Promise<void> {
  const after = getInputsAfterChange(site, run);
  if (!await mayChange(site, after)) return;
  const { result, changes, skipped } = await runAddonsJob(site, run, "check");
  const state = result === "checked" || result === "interrupted" ? result : "unchanged";
  await run.saveProgress({ addons: { state, skipped: [...skipped] } });
  await addNotes(run, [...skipped, ...changes]);
}

/** Returns whether the add-ons differ from what Wheelwright has installed, or may differ. */
async function mayChange({ app, spoke, inputs }: SpokeSite, { shared }: SpokeInputs): Promise<boolean> {
  if (!shared?.addons || spoke.policy?.excluded?.includes("addons")) return false;
  if (shared.addons.version !== inputs.shared?.addons?.version) return true;
  if (JSON.stringify(shared.addons.list) !== JSON.stringify(inputs.shared.addons.list)) return true;
  const { addons, isReported } = await readSiteAddons(app.db.rows, spoke.id);
  const versions = Object.fromEntries(addons.map(({ component, version }) => [component, version]));
  return listLostAddons(shared.addons.list, isReported ? versions : null).length > 0;
}

/** Takes a backup, because only a restore can undo an upgrade of Moodle's database. */
export async function backUpBeforeAddons(site: SpokeSite, run: ConfigureRun): Promise<void> {
  const { addons } = run.job.progress;
  if (addons?.state === "interrupted") {
    const note = "No new backup was taken, because an earlier operation has begun to change the add-ons";
    return await addNotes(run, [note]);
  }
  if (addons?.state !== "checked") return;
  const { id } = await takeBackup(site, run, { kind: "upgrade" });
  await run.saveProgress({ backupId: id });
}

export async function changeAddons(site: SpokeSite, run: ConfigureRun): Promise<void> {
  const { addons } = run.job.progress;
  if (!addons) return;
  let { skipped } = addons;
  if (addons.state !== "unchanged") {
    await run.saveProgress({ pausedCron: true });
    await pauseCron(site, run);
    const result = await runAddonsJob(site, run, "apply");
    skipped = [...result.skipped];
    await resumeCronUnlessMaintenance(site, run);
    await run.saveProgress({ pausedCron: false });
    await addNotes(run, skipped);
  }
  await saveResult(site, run, skipped);
}

/** Saves what the site has now. Updates the site's report, so that new add-ons do not seem to be lost until the next. */
async function saveResult({ spoke, inputs }: SpokeSite, run: ConfigureRun, skipped: readonly string[]): Promise<void> {
  const after = run.job.progress.after!, shared = after.shared!, { addons } = shared;
  const list = addons!.list.filter(({ component }) => !skipped.some((line) => line.startsWith(`${component}: `)));
  const kept = (component: string) => skipped.some((line) => line.startsWith(`${component} is not removed`));
  const removed = (inputs.shared?.addons?.list ?? []).map(({ component }) => component)
    .filter((component) => !kept(component) && !list.some((each) => each.component === component));
  await run.write((tx) => updateAddons(tx, spoke.id, list, removed));
  const all = [...addons!.skipped ?? [], ...skipped];
  const saved = { ...addons!, ...(all.length > 0 && { skipped: [...new Set(all)] }) };
  await run.saveProgress({ after: { ...after, shared: { ...shared, addons: saved } } });
}

/** Lets scheduled tasks run again after a failure, unless the site is partly upgraded. */
export async function resumeCronAfterAddons(site: SpokeSite, run: ConfigureRun): Promise<void> {
  const { pausedCron, addons } = run.job.progress;
  if (!pausedCron || addons?.state === "partly") return;
  const resume = () => resumeCronUnlessMaintenance(site, run);
  await tryInCluster(run, resume, "warn", "Cannot turn on scheduled tasks after a failed change of add-ons", {});
}

/** Runs the script. Throws if it did not succeed. The name of its Job contains the fence, so a retry runs it again. */
async function runAddonsJob(site: SpokeSite, run: ConfigureRun, mode: "check" | "apply"): Promise<AddonsResult> {
  const { blueprint, space, spoke } = site, inputs = getInputsAfterChange(site, run);
  for (const pods of ADDON_PODS) await space.noPods(pods, buildClusterWaitOptions(run));
  const parameters = { addons: inputs.shared!.addons!.list, maintenance: spoke.maintenance };
  const job = blueprint.jobObject(site.inputs, `addons-${mode}`, run.job.fence, parameters);
  const ended = await space.run(job, buildClusterWaitOptions(run));
  await requireCompleteLog(site, run, ended);
  const result = parseAddonsResult(ended.log), evidence = { log: ended.log, events: [] };
  if (ended.succeeded && result.result !== null) {
    await deleteFinishedJob(site, run, ended);
    return result;
  }
  const killed = (run.job.progress.killed ?? 0) + 1;
  if (result.result === null && killed < MAX_KILLED) {
    await run.saveProgress({ killed });
    await deleteFinishedJob(site, run, ended);
    throw new ClusterError("AddonsKilled", `${FAILURE} yet: the Job was killed`, { transient: true, evidence });
  }
  if (result.result === "locked" || result.result === "stale") {
    const retryAfterMs = result.result === "locked" ? Number(result.detail) * SECOND + SECOND : MINUTE;
    const hint = "Moodle releases the lock automatically. The operation then continues.";
    await deleteFinishedJob(site, run, ended);
    throw new ClusterError("UpgradeLocked", `${FAILURE} yet: an interrupted upgrade has locked the site`, {
      ...{ transient: true, retryAfterMs, hint },
    });
  }
  if (mode === "apply" && (result.result === null || result.result === "partly")) {
    await run.saveProgress({ addons: { state: "partly", skipped: [] } });
  }
  if (result.result === null) await requireJobSuccess(site, run, ended, mode === "apply" ? INTERRUPTED : FAILURE);
  throw describeFailure(run, result);
}

function describeFailure({ job: { progress } }: ConfigureRun, { result, detail }: AddonsResult): Error {
  if (result === "refused") {
    const hint =
      "Correct the catalog's entry, or leave the add-on out of what the hub shares. Then configure the site again.";
    return new Refusal("AddonRefused", `${FAILURE}: ${detail}. The site was not changed`, hint);
  }
  if (result === "restored") {
    const hint = "Use another version of the add-on, then configure the site again.";
    return permanentError("AddonFailed", `${FAILURE}: ${detail}. The site is as it was before`, hint);
  }
  const { backupId } = progress;
  const backup = backupId === undefined ? "an earlier backup" : `the backup ${backupId}`;
  return permanentError(
    "AddonPartlyUpgraded",
    `${FAILURE} completely: ${detail}. Moodle's database is partly upgraded, and the site stays in maintenance mode`,
    `Configure the site again to continue the upgrade, or ask an operator to restore ${backup}.`,
  );
}
