/**
 * Moving a site to another name, and back when that fails.
 *
 * Each object is applied under the fence of the run, and an Ingress that is to go is deleted under it; a name stands in one
 * Ingress at a time, for controllers refuse the second: so the site's own gives a name up before a redirect takes it.
 */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { changedObjects, type Configured, withBothNames } from "#lib/moodle/configure.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeStep } from "#lib/moodle/steps.ts";
import { spokeUrl, withMail } from "#lib/catalog/inputs.ts";
import { ClusterError, type KubeObject, type Ref, type Space } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { KEPT_DAYS } from "#lib/domains/spokes/names.ts";
import { SECOND } from "#lib/base/time.ts";
import { startAnew, verify } from "#lib/work/actions/actions.ts";
import { place } from "#lib/work/install/provision.ts";
import { patchFenced } from "#lib/work/fenced-patch.ts";
import { openToTheWeb } from "#lib/work/install/web.ts";
import { demandTask, runJob } from "#lib/work/jobs.ts";
import { put } from "#lib/work/reapply/objects.ts";
import { untilReady } from "#lib/work/running.ts";
import { MOODLE } from "#lib/operations/change.ts";
import { openSpace, type SpokeSite, waiting } from "#lib/work/site.ts";

/** What pods of the site are made from, or read. */
const READ: readonly SpokeStep[] = ["secrets", "database", "app", "cron"];
const COMES_BACK = 5 * SECOND; // what is left of a last look

interface Move extends SpokeSite {
  readonly space: Space;
  readonly after: SpokeInputs;
}

/** The spoke as it is to be, by what was kept of it; as it is, before that was found out. */
export function inputsAfter(app: App, inputs: SpokeInputs, run: Run): SpokeInputs {
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

export async function openNewAddress(app: App, run: Run): Promise<void> {
  const move = await openMove(app, run), { space, inputs, after } = move;
  await removeRedirects(app, run, move, inputs, after);
  if (!isMoving(inputs, after)) return;
  const own = (of: SpokeInputs) => app.blueprint.spokeObjects({ ...of, formerHosts: [] }, "ingress");
  await put(space, run, withBothNames(own(inputs), own(after)));
  await openToTheWeb(app, run, own(after), after.host);
}

export async function verifyBeforeMove(app: App, run: Run): Promise<void> {
  const { inputs, after } = await openMove(app, run);
  if (isMoving(inputs, after)) await verify(app, run);
}

/** Its pods write the new name into Moodle's configuration when they start. */
export async function moveSite(app: App, run: Run): Promise<void> {
  const { space, inputs, after } = await openMove(app, run);
  if (!isMoving(inputs, after)) return;
  await run.remember({ moved: true });
  await put(space, run, changedObjects(app.blueprint, inputs, after, READ));
  await startAnew(app, run);
  await untilReady(app, run, MOODLE);
}

export async function purgeCaches(app: App, run: Run): Promise<void> {
  const { inputs, after } = await openMove(app, run);
  if (!isMoving(inputs, after)) return;
  const here = await place(app, run);
  await demandTask(here, run, await runJob(here, run, "purge"), "The caches could not be purged");
}

export async function putRedirects(app: App, run: Run): Promise<void> {
  const { space, inputs, after } = await openMove(app, run);
  if (isMoving(inputs, after)) await putIngresses(app, run, space, after);
}

/**
 * Whether the site is as it was before: it is told its old name, and that leads to it. Also true where it was never to move.
 * Where the cluster cannot be asked, both names go on leading to the site, whichever it has been told.
 */
export async function putBack(app: App, run: Run): Promise<boolean> {
  try {
    const move = await openMove(app, run), { space, inputs, after } = move;
    if (!isMoving(inputs, after)) return true;
    await removeRedirects(app, run, move, after, inputs);
    await putIngresses(app, run, space, inputs);
    if (!run.job.progress.moved) return true;
    await put(space, run, changedObjects(app.blueprint, after, inputs, READ));
    await startAnew(app, run, new Date(run.job.startedAt!.getTime() + 1)); // another time than that of the move
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
  app: App,
  run: Run,
  { space }: Move,
  before: SpokeInputs,
  after: SpokeInputs,
): Promise<void> {
  const still = namesOf(app, after);
  for (const ref of namesOf(app, before).filter(({ name }) => still.every((each) => each.name !== name))) {
    if (!await space.get(ref, run)) continue;
    const { metadata } = await patchFenced(space, { ref, hold: run.job, change: () => [] }, run);
    await space.delete(ref, metadata.uid!, run);
  }
}

/** With our fence on those that are new, too, so that a late holder cannot take them away. */
async function putIngresses(app: App, run: Run, space: Space, inputs: SpokeInputs): Promise<void> {
  await put(space, run, app.blueprint.spokeObjects(inputs, "ingress"));
  for (const ref of namesOf(app, inputs)) await patchFenced(space, { ref, hold: run.job, change: () => [] }, run);
}

function namesOf(app: App, inputs: SpokeInputs): Ref[] {
  return app.blueprint.spokeObjects(inputs, "ingress").map(({ apiVersion, kind, metadata: { name } }: KubeObject) => ({
    apiVersion,
    kind,
    name,
  }));
}

async function openMove(app: App, run: Run): Promise<Move> {
  const here = await openSpace(app, run);
  return { ...here, after: inputsAfter(app, here.inputs, run) };
}
