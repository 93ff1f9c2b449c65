/**
 * Moving a site to another name, and back when that fails.
 *
 * Each object is applied under the fence of the run, and an Ingress that is to go is deleted under it; a name stands in one
 * Ingress at a time, for controllers refuse the second: so the site's own gives a name up before a redirect takes it.
 */
import * as v from "valibot";
import { changedObjects, type Configured, withBothNames } from "#lib/moodle/configure.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/load.ts";
import type { SpokeStep } from "#lib/moodle/steps.ts";
import { spokeUrl, withMail } from "#lib/catalog/inputs.ts";
import { ClusterError, type Ref, refOf } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { KEPT_DAYS } from "#lib/domains/spokes/names.ts";
import { SECOND } from "#lib/base/time.ts";
import { startAnew, verify } from "#lib/work/actions/actions.ts";
import { purgeOnce } from "#lib/work/actions/tasks.ts";
import { patchFenced } from "#lib/work/fenced-patch.ts";
import { openToTheWeb } from "#lib/work/install/web.ts";
import { put } from "#lib/work/reapply/objects.ts";
import { untilReady } from "#lib/work/running.ts";
import { MOODLE } from "#lib/moodle/names.ts";
import { type SpokeSite, waiting } from "#lib/work/site.ts";

/** What pods of the site are made from, or read. */
const READ: readonly SpokeStep[] = ["secrets", "database", "app", "cron"];
const COMES_BACK = 5 * SECOND; // what is left of a last look

/** The spoke as it is to be, by what was kept of it; as it is, before that was found out. */
export function inputsAfter({ app, inputs }: SpokeSite, run: Run): SpokeInputs {
  return withMail(app.config, v.parse(SpokeInputs, { ...inputs, ...run.job.progress.after as Configured | undefined }));
}

export function isMoving(before: SpokeInputs, after: SpokeInputs): boolean {
  return before.host !== after.host;
}

/** What people must know, and what is left for them to do. */
export function movingNotes(before: SpokeInputs, after: SpokeInputs): string[] {
  return [
    `${before.host} leads to ${after.host} for ${KEPT_DAYS} days once that answers, and to its front page alone; links in the ` +
    "site's content that name it are left as they are, for Moodle's own tool that would change them (admin/tool/replace) is " +
    "experimental",
    ...(before.identity
      ? [`The hub's identity provider must take people back to ${spokeUrl(after)}/admin/oauth2callback.php`]
      : []),
  ];
}

export async function openNewAddress(site: SpokeSite, run: Run): Promise<void> {
  const { blueprint, space, inputs } = site, after = inputsAfter(site, run);
  await removeRedirects(site, run, inputs, after);
  if (!isMoving(inputs, after)) return;
  const own = (of: SpokeInputs) => blueprint.spokeObjects({ ...of, formerHosts: [] }, "ingress");
  await put(space, run, withBothNames(own(inputs), own(after)));
  await openToTheWeb(site, run, own(after), after.host);
}

export async function verifyBeforeMove(site: SpokeSite, run: Run): Promise<void> {
  if (isMoving(site.inputs, inputsAfter(site, run))) await verify(site, run);
}

/** Its pods write the new name into Moodle's configuration when they start. */
export async function moveSite(site: SpokeSite, run: Run): Promise<void> {
  const { blueprint, space, inputs } = site, after = inputsAfter(site, run);
  if (!isMoving(inputs, after)) return;
  await run.remember({ moved: true });
  await put(space, run, changedObjects(blueprint, inputs, after, READ));
  await startAnew(site, run);
  await untilReady(site, run, MOODLE);
}

export async function purgeAfterMove(site: SpokeSite, run: Run): Promise<void> {
  if (isMoving(site.inputs, inputsAfter(site, run))) await purgeOnce(site, run);
}

export async function putRedirects(site: SpokeSite, run: Run): Promise<void> {
  const after = inputsAfter(site, run);
  if (isMoving(site.inputs, after)) await putIngresses(site, run, after);
}

/**
 * Whether the site is as it was before: it is told its old name, and that leads to it. Also true where it was never to move.
 * Where the cluster cannot be asked, both names go on leading to the site, whichever it has been told.
 */
export async function putBack(site: SpokeSite, run: Run): Promise<boolean> {
  try {
    const { blueprint, space, inputs } = site, after = inputsAfter(site, run);
    if (!isMoving(inputs, after)) return true;
    await removeRedirects(site, run, after, inputs);
    await putIngresses(site, run, inputs);
    if (!run.job.progress.moved) return true;
    await put(space, run, changedObjects(blueprint, after, inputs, READ));
    await startAnew(site, run, new Date(run.job.startedAt!.getTime() + 1)); // another time than that of the move
    await space.ready([MOODLE], waiting(run, COMES_BACK)).catch(letStart);
    return true;
  } catch (error) {
    run.log.warn("Cannot put a site back under the name that it had", { error });
    return false;
  }
}

/** That it takes longer is the next look's to see. */
function letStart(error: unknown): void {
  if (!(error instanceof ClusterError)) throw error;
}

/** Of the hosts that lead to the site before and no more after. */
async function removeRedirects(
  { blueprint, space }: SpokeSite,
  run: Run,
  before: SpokeInputs,
  after: SpokeInputs,
): Promise<void> {
  const still = ingressesOf(blueprint, after);
  for (const ref of ingressesOf(blueprint, before).filter(({ name }) => still.every((each) => each.name !== name))) {
    if (!await space.get(ref, run)) continue;
    const { metadata } = await patchFenced(space, { ref, hold: run.job, change: () => [] }, run);
    await space.delete(ref, metadata.uid!, run);
  }
}

/** With our fence on those that are new, too, so that a late holder cannot take them away. */
async function putIngresses({ blueprint, space }: SpokeSite, run: Run, inputs: SpokeInputs): Promise<void> {
  await put(space, run, blueprint.spokeObjects(inputs, "ingress"));
  for (const ref of ingressesOf(blueprint, inputs)) {
    await patchFenced(space, { ref, hold: run.job, change: () => [] }, run);
  }
}

function ingressesOf(blueprint: Blueprint, inputs: SpokeInputs): Ref[] {
  return blueprint.spokeObjects(inputs, "ingress").map(refOf);
}
