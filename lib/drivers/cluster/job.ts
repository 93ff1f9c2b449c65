/**
 * Waits until a Job has finished, and returns its result and log. A failing Job's pods may still be running when
 * its condition FailureTarget appears, so the wait continues until the condition Failed. If the wait times out in
 * between, the Job counts as failed.
 */
import {
  type ContainerTermination,
  createdAt,
  findStatusCondition,
  getContainerStates,
  parseKubeTimestamp,
} from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import {
  addErrorDetails,
  type ClusterCall,
  ClusterError,
  type JobResult,
  type JobWaitOptions,
  type KubeObject,
} from "#lib/drivers/cluster/cluster.ts";
import { diagnoseObject, findJobFailure } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import { followLogs, type LogFollower, readLog } from "#lib/drivers/cluster/logs.ts";
import { isTrueCondition } from "#lib/drivers/cluster/diagnosis/readiness.ts";
import { attachEvidence, createDiagnosisError } from "#lib/drivers/cluster/ready.ts";
import { type NamespaceContext, POD_KIND, readNamespaceObjects } from "#lib/drivers/cluster/namespace-objects.ts";
import { type WaitCheckResult, waitForState } from "#lib/drivers/cluster/wait.ts";
import { SECOND } from "#lib/base/time.ts";

const JOB = { apiVersion: "batch/v1", kind: "Job" };
/** The age of a Job, in milliseconds, after which its last log line is shown as progress. */
const LOG_EXCERPT_AFTER = 10 * SECOND;
/** How long log streams may stay open after the Job has ended, in milliseconds. */
const LOG_TIMEOUT = 3 * SECOND;

/** The observed state of a Job that is being followed. `pods` also contains pods that no longer exist. */
interface JobRun {
  readonly context: NamespaceContext;
  readonly name: string;
  job: KubeObject | undefined;
  readonly pods: Map<string, KubeObject>;
  readonly logs: LogFollower;
  /** The last progress message that was derived from a line of the Job's log. */
  lastSentence: string | undefined;
}

/** `created` is the Job if it was read a moment ago. It then need not be read before the first watch. */
export async function followJob(
  context: NamespaceContext,
  name: string,
  waiting: JobWaitOptions,
  created?: KubeObject,
): Promise<JobResult> {
  const listen = waiting.listen && (() => reportLines(jobRun, waiting, waiting.listen!()));
  const logs = followLogs(context.api, context.namespace, waiting.signal, listen);
  const jobRun: JobRun = { context, name, job: undefined, pods: new Map(), logs, lastSentence: undefined };
  try {
    await attachEvidence(context, waiting, () => waitForEnd(jobRun, waiting, created));
  } catch (error) {
    await logs.close(0);
    if (error instanceof ClusterError && error.evidence?.log.length === 0) {
      const last = logs.followed().findLast(({ lines }) => lines.length > 0);
      throw addErrorDetails(error, { evidence: { ...error.evidence, log: last?.lines ?? [] } });
    }
    throw error;
  }
  await logs.close(LOG_TIMEOUT);
  return await resultOf(jobRun, waiting);
}

function reportLines(jobRun: JobRun, { onProgress }: JobWaitOptions, onLine: (line: string) => string | null) {
  return (line: string): void => {
    const sentence = onLine(line);
    if (sentence === null) return;
    jobRun.lastSentence = sentence;
    onProgress?.(sentence);
  };
}

async function waitForEnd(jobRun: JobRun, waiting: JobWaitOptions, created?: KubeObject): Promise<void> {
  const { context, name, logs } = jobRun;
  const since = context.api.now();
  const check = async (call: ClusterCall, isFirst: boolean): Promise<WaitCheckResult<true>> => {
    await context.guard.write(call);
    const job = isFirst && created ? created : await context.objects.get({ ...JOB, name }, call);
    if (!job) throw jobMissingError(name, jobRun.job !== undefined);
    const complete = isTrueCondition(findStatusCondition(job, "Complete")); // a complete Job does not need events or watches
    if (isFirst && !complete) return {};
    const { pods, events, watches: namespaceWatches } = complete
      ? { pods: await context.objects.list(POD_KIND, "", call), events: [], watches: [] }
      : await readNamespaceObjects(context, call);
    const own = pods.filter((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === job.metadata.uid));
    for (const pod of own) jobRun.pods.set(pod.metadata.uid ?? pod.metadata.name, pod);
    jobRun.job = job;
    if (!complete || waiting.listen) logs.update(own); // a listener also receives logs of containers that have ended
    if (complete) return { done: true };

    const watches = [...namespaceWatches, await context.objects.watchSince(JOB, job, call)];
    const failure = findJobFailure(job, [...jobRun.pods.values()]);
    if (failure) {
      const ended = isTrueCondition(findStatusCondition(job, "Failed")) && !((job["status"]?.terminating ?? 0) > 0);
      return ended ? { done: true } : { sentence: `The Job ${name} is failing: ${failure.message}`, watches };
    }
    const diagnosis = diagnoseObject(job, pods, events, { now: context.api.now(), since, patience: context.patience });
    if (diagnosis.is === "impossible") throw createDiagnosisError(diagnosis);
    if (diagnosis.is === "ready") return { done: true };
    if (jobRun.lastSentence !== undefined) return { sentence: jobRun.lastSentence, again: diagnosis.again, watches };
    const line = context.api.now() - createdAt(job) > LOG_EXCERPT_AFTER
      ? logs.followed().at(-1)?.lines.findLast(hasWords)
      : undefined;
    const { sentence, again } = diagnosis;
    return { sentence: line === undefined ? sentence : `${sentence}; last log line: ${line.trim()}`, again, watches };
  };
  try {
    await waitForState({ ...context, what: `Job ${name}`, check }, waiting);
  } catch (error) {
    const failing = jobRun.job && findJobFailure(jobRun.job, [...jobRun.pods.values()]);
    if (!(failing && error instanceof ClusterError && error.code === "deadline")) throw error;
  }
}

async function resultOf(jobRun: JobRun, call: ClusterCall): Promise<JobResult> {
  const { context, name } = jobRun, pods = [...jobRun.pods.values()], followed = jobRun.logs.followed();
  const failure = findJobFailure(jobRun.job!, pods);
  const end = lastEnd(pods, failure !== undefined);
  const streamed = followed.findLast((log) => end && log.pod === end.pod && log.container === end.container) ??
    followed.findLast(({ lines }) => lines.length > 0);
  // Reads the log again if a container has ended, because a followed log may lack the last lines.
  const read = end ? await readLog(context.api, { namespace: context.namespace, ...end }, call) : [];
  const isLogComplete = end !== undefined && !isUnreadableLog(read);
  const log = read.length > 0 && (isLogComplete || !streamed?.lines.length) ? read : streamed?.lines ?? [];
  return {
    succeeded: failure === undefined,
    name,
    uid: jobRun.job!.metadata.uid!,
    reason: failure?.code ?? null,
    message: failure?.message ?? null,
    exitCode: failure ? (failure.terminated ?? end?.terminated)?.exitCode ?? null : 0,
    log,
    isLogComplete,
  };
}

interface ContainerEnd {
  readonly pod: string;
  readonly container: string;
  readonly terminated: ContainerTermination;
}

/** Returns the container that ended last. If the Job failed, ignores containers that succeeded. */
function lastEnd(pods: readonly KubeObject[], failed: boolean): ContainerEnd | undefined {
  const ends = pods.flatMap((pod) =>
    getContainerStates(pod).flatMap(({ name, state }) =>
      state?.terminated ? [{ pod: pod.metadata.name, container: name, terminated: state.terminated }] : []
    )
  );
  const relevant = ends.filter(({ terminated }) => !failed || terminated.exitCode !== 0);
  return relevant.toSorted((a, b) =>
    (parseKubeTimestamp(a.terminated.finishedAt) ?? 0) - (parseKubeTimestamp(b.terminated.finishedAt) ?? 0)
  )
    .at(-1);
}

/** Whether the line contains a word, rather than only dashes or numbers. */
function hasWords(line: string): boolean {
  return /[A-Za-z]{3}/.test(line);
}

function isUnreadableLog(lines: readonly string[]): boolean {
  return lines.length === 1 && lines[0]!.startsWith("(the log of ");
}

function jobMissingError(name: string, wasThere: boolean): ClusterError {
  const message = wasThere
    ? `The Job ${name} was deleted while Wheelwright waited for it`
    : `jobs.batch "${name}" not found`;
  return new ClusterError("NotFound", message, { transient: false, status: 404 });
}
