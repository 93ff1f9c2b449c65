/**
 * Starts and stops the Kubernetes objects that run a site: its Deployment, StatefulSet and CronJob. If a newer run has
 * changed an object, a replica that lost its job can no longer change it.
 */
import { findStatusCondition } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import { isTrueCondition } from "#lib/drivers/cluster/diagnosis/readiness.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import {
  addErrorDetails,
  ClusterError,
  type ClusterNamespace,
  type KubeObject,
  type ObjectRef,
  type PatchOperation,
  toObjectRef,
} from "#lib/drivers/cluster/cluster.ts";
import { redactSecrets } from "#lib/base/redact.ts";
import {
  findFailureCause,
  findLikelyErrorLine,
  findServiceWaitLine,
  SERVICE_WAIT_HINT,
} from "#lib/moodle/log-causes.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { createOrApplyWithFence, patchWithFence } from "#lib/steps/fenced-objects.ts";
import { buildFieldPatch, type ObjectPatch, type ObjectPut } from "#lib/operations/change.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_CRONJOB_REF, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { buildClusterWaitOptions, KUBERNETES_JOB_KIND, pollUntil, type SpokeSite, waitUntil } from "#lib/steps/site.ts";

const CRON_PODS = "op=cron";
const CRON_GRACE = 10 * MINUTE; // how long to wait for a running scheduled task, in milliseconds
/** Error codes of container failures whose cause is shown only in the container's log. */
const CODES_EXPLAINED_BY_LOG: ReadonlySet<string> = new Set(["CrashLoopBackOff", "ProgressDeadlineExceeded"]);

export async function patchSiteObject(
  { space }: SpokeSite,
  run: JobRun,
  ref: ObjectRef,
  createPatch: (object: KubeObject) => readonly PatchOperation[],
): Promise<void> {
  await patchWithFence(space, ref, run, createPatch);
}

/** Makes an operation's changes in order. Throws FenceLostError if a newer run has already changed an object. */
export async function patchSiteObjects(
  { space }: Pick<SpokeSite, "space">,
  run: JobRun,
  changes: readonly (ObjectPatch | ObjectPut)[],
): Promise<void> {
  for (const change of changes) {
    if ("put" in change) await createOrApplyWithFence(space, change.applied ?? change.put, run.job, run);
    else await patchWithFence(space, change.ref, run, change.patch);
  }
}

export async function scaleSite(site: SpokeSite, run: JobRun, ref: ObjectRef, replicas: 0 | 1): Promise<void> {
  await patchSiteObjects(site, run, [buildFieldPatch(ref, "/spec/replicas", replicas)]);
}

export async function waitForWorkload({ space }: Pick<SpokeSite, "space">, run: JobRun, ref: ObjectRef): Promise<void> {
  if (ref === DATABASE_STATEFULSET_REF) await replaceStuckDatabase(space, run);
  await withLogCause(() => space.ready([ref], buildClusterWaitOptions(run)));
}

/** Runs `wait`. If it fails, adds the cause to the error, as found in the container's log. */
async function withLogCause(wait: () => Promise<void>): Promise<void> {
  try {
    await wait();
  } catch (error) {
    if (!(error instanceof ClusterError) || !CODES_EXPLAINED_BY_LOG.has(error.code)) throw error;
    const log = error.evidence?.log ?? [], cause = findFailureCause(log), last = findLikelyErrorLine(log);
    const waited = findServiceWaitLine(log);
    if (waited !== undefined) {
      throw addErrorDetails(error, {
        message: `${error.message}. Last log line: ${redactSecrets(waited)}`,
        hint: SERVICE_WAIT_HINT,
      });
    }
    if (!cause && last !== undefined) {
      throw addErrorDetails(error, { message: `${error.message}. Last log line: ${redactSecrets(last)}` });
    }
    if (!cause) throw error;
    const { code, reason: why, line, blame, hint } = cause;
    throw addErrorDetails(error, {
      code,
      message: `${error.message}, because ${why}: ${redactSecrets(line)}`,
      blame,
      hint,
    });
  }
}

/** Waits until the resource quotas are active, because the API server rejects new objects before that. */
export async function waitForQuota(
  { space }: Pick<SpokeSite, "space">,
  run: JobRun,
  limits: readonly KubeObject[],
): Promise<void> {
  await space.ready(
    limits.filter(({ kind }) => kind === "ResourceQuota").map(toObjectRef),
    buildClusterWaitOptions(run),
  );
}

/** Waits until the status of the resource quotas shows the new limits: Kubernetes enforces the limits in the status. */
export async function waitForQuotaUpdate({ space }: SpokeSite, run: JobRun, refs: readonly ObjectRef[]): Promise<void> {
  await waitUntil(run, async () => {
    const quotas = await Promise.all(refs.map((ref) => space.get(ref, run)));
    const behind = quotas.find((quota) =>
      Object.entries<string>(quota?.["spec"]?.hard ?? {}).some(([name, hard]) =>
        !isSame(hard, quota!["status"]?.hard?.[name])
      )
    );
    return behind ? `The status of the quota ${behind.metadata.name} does not show the new limits yet` : null;
  });
}

function isSame(one: string, other: string | undefined): boolean {
  return other !== undefined && parseQuantity(one) === parseQuantity(other);
}

/** Throws if the site is suspended, for example after a failed resume: its pods would not start. */
export async function requireRunningSite(
  space: ClusterNamespace,
  run: JobRun,
  restriction: string,
  action: string,
): Promise<void> {
  const parts = await Promise.all([DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF].map((ref) => space.get(ref, run)));
  if (parts.every((part) => part?.["spec"]?.replicas !== 0)) return;
  throw new Refusal(
    "Suspended",
    `The site is suspended, and can ${restriction} only while it runs`,
    `Resume the site, then ${action}.`,
    "user",
  );
}

/** Pauses the CronJob and waits until no scheduled tasks are running. */
export async function pauseCron(
  site: SpokeSite,
  run: JobRun,
  changes = [buildFieldPatch(MOODLE_CRONJOB_REF, "/spec/suspend", true)],
): Promise<void> {
  await patchSiteObjects(site, run, changes);
  await endCron(site.space, run);
}

export async function resumeCron(site: SpokeSite, run: JobRun): Promise<void> {
  await patchSiteObjects(site, run, [buildFieldPatch(MOODLE_CRONJOB_REF, "/spec/suspend", false)]);
}

/** Resumes the CronJob, unless the site is in maintenance mode, in which scheduled tasks would fail. */
export async function resumeCronUnlessMaintenance(site: SpokeSite, run: JobRun): Promise<void> {
  await patchSiteObjects(site, run, [buildFieldPatch(MOODLE_CRONJOB_REF, "/spec/suspend", site.spoke.maintenance)]);
}

/** Stops a partly upgraded or restored site, so that it neither serves users nor runs scheduled tasks. */
export async function stopIncompleteSite(
  site: SpokeSite,
  run: JobRun,
): Promise<{ readonly state: "failed"; readonly health: "unknown" }> {
  await scaleSite(site, run, MOODLE_DEPLOYMENT_REF, 0);
  await pauseCron(site, run);
  return { state: "failed", health: "unknown" };
}

/**
 * Waits until running scheduled tasks have ended. Deletes tasks that do not end in time, so that the operation can
 * continue.
 */
async function endCron(space: ClusterNamespace, run: JobRun): Promise<void> {
  try {
    return await space.noPods(CRON_PODS, buildClusterWaitOptions(run, CRON_GRACE));
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== "deadline") throw error;
  }
  for (const job of await space.list(KUBERNETES_JOB_KIND, "", run)) {
    // Includes manually started tasks, which the CronJob owns but does not control (see actions/tasks.ts).
    const owners = job.metadata.ownerReferences ?? [];
    if (!owners.some(({ kind, name }) => kind === MOODLE_CRONJOB_REF.kind && name === MOODLE_CRONJOB_REF.name)) {
      continue;
    }
    await space.delete({ ...KUBERNETES_JOB_KIND, name: job.metadata.name }, job.metadata.uid!, run);
  }
  await space.noPods(CRON_PODS, buildClusterWaitOptions(run));
}

const POD = { apiVersion: "v1", kind: "Pod" };
const REVISION_LABEL = "controller-revision-hash"; // set by Kubernetes

/**
 * Deletes a database pod that is not ready and was created from an older pod template. Otherwise, the StatefulSet would
 * wait for this pod forever. A ready pod is replaced as usual.
 */
async function replaceStuckDatabase(space: ClusterNamespace, run: JobRun): Promise<void> {
  let template: unknown;
  await pollUntil(run, async () => {
    const set = await space.get(DATABASE_STATEFULSET_REF, run);
    const { observedGeneration = 0, updateRevision } = set?.["status"] ?? {};
    template = updateRevision;
    return observedGeneration < (set?.metadata.generation ?? 0) ? "The cluster has not started the change yet" : null;
  });
  for (const pod of await space.list(POD, "role=db", run)) {
    const { name, uid, labels, ownerReferences, deletionTimestamp } = pod.metadata;
    const own = ownerReferences?.some(({ kind, name: owner }) =>
      kind === DATABASE_STATEFULSET_REF.kind && owner === DATABASE_STATEFULSET_REF.name
    );
    const ready = isTrueCondition(findStatusCondition(pod, "Ready"));
    if (!own || deletionTimestamp || ready || template === undefined || labels?.[REVISION_LABEL] === template) continue;
    run.showProgress("Replacing the database's pod, which did not become ready");
    await space.delete({ ...POD, name }, uid!, run);
  }
}
