/**
 * What a site runs on, started and stopped: its Deployment, its StatefulSet, its scheduled tasks. Each object is changed
 * under the fence of the run; actions, upgrades and removals share these.
 */
import {
  ClusterError,
  type KubeObject,
  type PatchOperation,
  type Ref,
  refOf,
  type Space,
  withErrorDetails,
} from "#lib/drivers/cluster/cluster.ts";
import { redact } from "#lib/base/redact.ts";
import { lastWords, readLogCause, readLogWait, WAIT_HINT } from "#lib/moodle/log-causes.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { patchFenced, putFenced } from "#lib/workers/fenced.ts";
import { type Patch, type Put, setField } from "#lib/operations/change.ts";
import { CRON, DATABASE, MOODLE } from "#lib/moodle/names.ts";
import { finalError, JOB, lookUntil, type SpokeSite, waitingFor } from "#lib/workers/site.ts";

const CRON_PODS = "op=cron";
const CRON_GRACE = 10 * MINUTE; // for a scheduled task that is under way
/** Failures whose reason is only in the log. */
const IN_LOG: ReadonlySet<string> = new Set(["CrashLoopBackOff", "ProgressDeadlineExceeded"]);

export async function change(
  { space }: SpokeSite,
  run: Run,
  ref: Ref,
  make: (object: KubeObject) => readonly PatchOperation[],
): Promise<void> {
  await patchFenced(space, { ref, hold: run.job, change: make }, run);
}

/** Performs what an operation says that it changes, each object under the fence of the run. */
export async function perform(
  { space }: Pick<SpokeSite, "space">,
  run: Run,
  changes: readonly (Patch | Put)[],
): Promise<void> {
  for (const change of changes) {
    if ("put" in change) await putFenced(space, change.applied ?? change.put, run.job, run);
    else await patchFenced(space, { ref: change.ref, hold: run.job, change: change.patch }, run);
  }
}

export async function scale(site: SpokeSite, run: Run, ref: Ref, replicas: 0 | 1): Promise<void> {
  await perform(site, run, [setField(ref, "/spec/replicas", replicas)]);
}

export async function untilReady({ space }: Pick<SpokeSite, "space">, run: Run, ref: Ref): Promise<void> {
  if (ref === DATABASE) await replaceStuckDatabase(space, run);
  await sayingWhy(() => space.ready([ref], waitingFor(run)));
}

/** Adds to the error what the container's log says of the reason, which the cluster does not know. */
async function sayingWhy(wait: () => Promise<void>): Promise<void> {
  try {
    await wait();
  } catch (error) {
    if (!(error instanceof ClusterError) || !IN_LOG.has(error.code)) throw error;
    const log = error.evidence?.log ?? [], cause = readLogCause(log), last = lastWords(log);
    const waited = readLogWait(log);
    if (waited !== undefined) {
      throw withErrorDetails(error, { message: `${error.message}. Its log ends: ${redact(waited)}`, hint: WAIT_HINT });
    }
    if (!cause && last !== undefined) {
      throw withErrorDetails(error, { message: `${error.message}. Its log ends: ${redact(last)}` });
    }
    if (!cause) throw error;
    const { code, why, line, blame, hint } = cause;
    throw withErrorDetails(error, { code, message: `${error.message}, because ${why}: ${redact(line)}`, blame, hint });
  }
}

/** Until it is counted for the first time, a quota refuses whatever it limits. */
export async function untilCounted(
  { space }: Pick<SpokeSite, "space">,
  run: Run,
  limits: readonly KubeObject[],
): Promise<void> {
  await space.ready(limits.filter(({ kind }) => kind === "ResourceQuota").map(refOf), waitingFor(run));
}

/** What was asked before may have failed, and left it suspended: then nothing could be seen to come up. */
export async function demandRunning(space: Space, run: Run, deed: string, action: string): Promise<void> {
  const parts = await Promise.all([DATABASE, MOODLE].map((ref) => space.get(ref, run)));
  if (parts.every((part) => part?.["spec"]?.replicas !== 0)) return;
  throw finalError(
    "Suspended",
    `The site is suspended, and can ${deed} only while it runs`,
    `Resume it, then ${action}.`,
    "user",
  );
}

/** No scheduled task begins any more, and none is under way. */
export async function pauseCron(
  site: SpokeSite,
  run: Run,
  changes = [setField(CRON, "/spec/suspend", true)],
): Promise<void> {
  await perform(site, run, changes);
  await endCron(site.space, run);
}

export async function resumeCron(site: SpokeSite, run: Run): Promise<void> {
  await perform(site, run, [setField(CRON, "/spec/suspend", false)]);
}

/** As the spoke is to have it: a task that begins while a site is in maintenance fails. */
export async function restoreCron(site: SpokeSite, run: Run): Promise<void> {
  await perform(site, run, [setField(CRON, "/spec/suspend", site.spoke.maintenance)]);
}

/** No half-made site is shown, and none of its scheduled tasks run. */
export async function takeDown(
  site: SpokeSite,
  run: Run,
): Promise<{ readonly state: "failed"; readonly health: "unknown" }> {
  await scale(site, run, MOODLE, 0);
  await pauseCron(site, run);
  return { state: "failed", health: "unknown" };
}

/**
 * Gives scheduled tasks that are under way time to end; then ends their Jobs, so that one that hangs cannot keep a site
 * from stopping.
 */
async function endCron(space: Space, run: Run): Promise<void> {
  try {
    return await space.noPods(CRON_PODS, waitingFor(run, CRON_GRACE));
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== "deadline") throw error;
  }
  for (const job of await space.list(JOB, "", run)) {
    // Of a task that was asked for, it is no controller: see actions/tasks.ts.
    const owners = job.metadata.ownerReferences ?? [];
    if (!owners.some(({ kind, name }) => kind === CRON.kind && name === CRON.name)) continue;
    await space.delete({ ...JOB, name: job.metadata.name }, job.metadata.uid!, run);
  }
  await space.noPods(CRON_PODS, waitingFor(run));
}

const POD = { apiVersion: "v1", kind: "Pod" };
const TEMPLATE = "controller-revision-hash"; // Kubernetes' own label

/**
 * Deletes a pod of the database that is not ready and is of an earlier template: the StatefulSet waits for it to become
 * ready before it makes one by another template, so what was wrong with the one keeps the next from healing it. One that is
 * ready is left to its turn.
 */
async function replaceStuckDatabase(space: Space, run: Run): Promise<void> {
  let template: unknown;
  await lookUntil(run, async () => {
    const set = await space.get(DATABASE, run);
    const { observedGeneration = 0, updateRevision } = set?.["status"] ?? {};
    template = updateRevision;
    return observedGeneration < (set?.metadata.generation ?? 0)
      ? "The cluster has not begun with the change yet"
      : null;
  });
  for (const pod of await space.list(POD, "role=db", run)) {
    const { name, uid, labels, ownerReferences, deletionTimestamp } = pod.metadata;
    const own = ownerReferences?.some(({ kind, name: owner }) => kind === DATABASE.kind && owner === DATABASE.name);
    const conditions: { type: string; status: string }[] = pod["status"]?.conditions ?? [];
    const ready = conditions.some(({ type, status }) => type === "Ready" && status === "True");
    if (!own || deletionTimestamp || ready || template === undefined || labels?.[TEMPLATE] === template) continue;
    run.showProgress("The database did not come up as it was, and is started anew");
    await space.delete({ ...POD, name }, uid!, run);
  }
}
