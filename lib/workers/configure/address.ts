/**
 * Moves a site to another domain, and moves it back if the operation fails. Also changes the outgoing mail settings.
 * The old host is removed from the site's own Ingress before another Ingress redirects this host, because ingress
 * controllers reject a host that two Ingresses use.
 */
import * as v from "valibot";
import { mergeIngressRules } from "#lib/moodle/configure.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { findMailSettings } from "#lib/moodle/values.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { ObjectPut, ObjectRemoval } from "#lib/operations/change.ts";
import { buildAddressChanges } from "#lib/operations/configure.ts";
import { SECOND } from "#lib/base/time.ts";
import { restartSite } from "#lib/steps/spoke-action.ts";
import { deleteWithFence, patchWithFence } from "#lib/steps/fenced-objects.ts";
import { waitForIngresses } from "#lib/workers/install/ingress.ts";
import { applySiteObjects } from "#lib/steps/site-objects.ts";
import { waitForWorkload } from "#lib/steps/workloads.ts";
import { MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { buildClusterWaitOptions, type OperationRun, type SpokeSite } from "#lib/steps/site.ts";

export type ConfigureRun = OperationRun<"configure">;

const RESTART_WAIT = 5 * SECOND; // maximum wait for Moodle's pod after the old settings were restored

/** Returns the site's new settings. Until the operation has computed these, returns the current settings. */
export function getInputsAfterChange({ inputs }: SpokeSite, run: ConfigureRun): SpokeInputs {
  return v.parse(SpokeInputs, { ...inputs, ...run.job.progress.after });
}

export function changesDomain(before: SpokeInputs, after: SpokeInputs): boolean {
  return before.host !== after.host;
}

/** Returns whether Moodle's pods must restart to apply the new settings. */
function needsRestart({ blueprint, inputs }: SpokeSite, after: SpokeInputs): boolean {
  return buildAddressChanges(blueprint, inputs, after).app.length > 0;
}

/** Wraps a step so that it runs only if Moodle's pods must restart. */
export function runIfPodsRestart(work: (site: SpokeSite, run: ConfigureRun) => Promise<void>): typeof work {
  return async (site, run) => {
    if (needsRestart(site, getInputsAfterChange(site, run))) await work(site, run);
  };
}

/** Wraps a step so that it runs only if the site's domain changes. */
export function runIfDomainChanges(work: (site: SpokeSite, run: ConfigureRun) => Promise<void>): typeof work {
  return async (site, run) => {
    if (changesDomain(site.inputs, getInputsAfterChange(site, run))) await work(site, run);
  };
}

export async function serveNewDomain(site: SpokeSite, run: ConfigureRun): Promise<void> {
  const { blueprint, space, inputs } = site, after = getInputsAfterChange(site, run);
  await removeRedirects(site, run, buildAddressChanges(blueprint, inputs, after).ingress);
  if (!changesDomain(inputs, after)) return;
  const own = (of: SpokeInputs) => blueprint.spokeObjects({ ...of, formerHosts: [] }, "ingress");
  await applySiteObjects(space, run, mergeIngressRules(own(inputs), own(after)));
  await waitForIngresses(site, run, own(after), after.host);
}

/** Applies the new settings and restarts Moodle's pods, which read the settings when they start. */
export async function restartWithNewSettings(site: SpokeSite, run: ConfigureRun): Promise<void> {
  await run.saveProgress({ moved: true });
  await applyPodSettings(site, run, site.inputs, getInputsAfterChange(site, run));
  await restartSite(site, run);
  await waitForWorkload(site, run, MOODLE_DEPLOYMENT_REF);
}

async function applyPodSettings(
  { app, blueprint, space }: SpokeSite,
  run: ConfigureRun,
  from: SpokeInputs,
  to: SpokeInputs,
): Promise<void> {
  const mail = (findMailSettings(from) === null) === (findMailSettings(to) === null)
    ? []
    : blueprint.mailSecret(to, app.config.relay?.secret ?? null);
  await applySiteObjects(space, run, [
    ...mail,
    ...buildAddressChanges(blueprint, from, to).app.map((change) => change.put),
  ]);
}

export async function applyRedirects(site: SpokeSite, run: ConfigureRun): Promise<void> {
  await putIngresses(
    site,
    run,
    buildAddressChanges(site.blueprint, site.inputs, getInputsAfterChange(site, run)).redirect,
  );
}

/**
 * Restores the site's previous settings and domain if the operation has changed them. Returns whether this succeeded.
 * If the cluster does not respond, the site stays reachable under both domains.
 */
export async function restorePreviousDomain(site: SpokeSite, run: ConfigureRun): Promise<boolean> {
  try {
    const { blueprint, space, inputs } = site, after = getInputsAfterChange(site, run);
    if (!needsRestart(site, after)) return true;
    if (changesDomain(inputs, after)) {
      const { ingress, redirect } = buildAddressChanges(blueprint, after, inputs);
      await removeRedirects(site, run, ingress);
      await putIngresses(site, run, redirect);
    }
    if (!run.job.progress.moved) return true;
    await applyPodSettings(site, run, after, inputs);
    await restartSite(site, run, new Date(run.job.startedAt!.getTime() + 1)); // must differ from the first restart
    await space.ready([MOODLE_DEPLOYMENT_REF], buildClusterWaitOptions(run, RESTART_WAIT)).catch(ignoreClusterError);
    return true;
  } catch (error) {
    run.log.warn("Cannot restore the previous domain of a site", { error });
    return false;
  }
}

/** Ignores a ClusterError: Moodle's pod may still start later, and the next periodic check examines the site anyway. */
function ignoreClusterError(error: unknown): void {
  if (!(error instanceof ClusterError)) throw error;
}

async function removeRedirects(
  { space }: SpokeSite,
  run: ConfigureRun,
  changes: readonly ObjectRemoval[],
): Promise<void> {
  for (const { ref } of changes) {
    if (await space.get(ref, run)) await deleteWithFence(space, ref, run);
  }
}

/** Applies the Ingresses, and records this job's fence (claim number) in them: an older run then cannot delete them. */
async function putIngresses({ space }: SpokeSite, run: ConfigureRun, changes: readonly ObjectPut[]): Promise<void> {
  await applySiteObjects(space, run, changes.map((change) => change.put));
  for (const { ref } of changes) await patchWithFence(space, ref, run, () => []);
}
