/** Waits until objects are ready or deleted. Throws as soon as it is clear that an object can never become ready. */
import {
  addErrorDetails,
  type ClusterCall,
  ClusterError,
  type ClusterWaitOptions,
  type FailureEvidence,
  type KubeObject,
  type ObjectRef,
} from "#lib/drivers/cluster/cluster.ts";
import { diagnoseObject } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import { collectEvidence } from "#lib/drivers/cluster/evidence.ts";
import { readLog, UNREADABLE_LOG_PREFIX } from "#lib/drivers/cluster/logs.ts";
import type { Diagnosis, WaitClock } from "#lib/drivers/cluster/diagnosis/diagnosis.ts";
import { type WaitCheckResult, waitForState } from "#lib/drivers/cluster/wait.ts";
import { findUnreadyReason } from "#lib/drivers/cluster/diagnosis/readiness.ts";
import { capitalize, getDisplayName } from "#lib/drivers/cluster/diagnosis/display-names.ts";
import type { WatchQuery } from "#lib/drivers/cluster/client/watch.ts";
import { redactSecrets } from "#lib/base/redact.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";
import { listOrders, type NamespaceContext, readNamespaceObjects } from "#lib/drivers/cluster/namespace-objects.ts";

/** The time limit for collecting events and a log after a failure, in milliseconds. */
const EVIDENCE_TIMEOUT = 15 * SECOND;

/** The maximum number of characters that are quoted from a log line. */
const MAX_QUOTED_LENGTH = 300;

/** The maximum number of sentences in a progress message. If there are more, it ends with `and 2 more`, for example. */
const MAX_SENTENCES = 3;

export async function waitUntilReady(
  context: NamespaceContext,
  refs: readonly ObjectRef[],
  waiting: ClusterWaitOptions,
): Promise<void> {
  if (refs.length === 0) return;
  const since = context.api.now();
  const what = refs.map((ref) => `${ref.kind} ${ref.name}`).join(", ");
  const check = async (call: ClusterCall, isFirst: boolean): Promise<WaitCheckResult<true>> => {
    await context.guard.write(call);
    const found = await Promise.all(refs.map((ref) => context.objects.get(ref, call)));
    if (found.every((object) => object && findUnreadyReason(object) === undefined)) return { done: true };
    if (isFirst) return {};
    const { pods, events, watches } = await readNamespaceObjects(context, call);
    const orders = refs.some(({ kind }) => kind === "Certificate") ? await listOrders(context, call) : [];
    const clock: WaitClock = { now: context.api.now(), since, patience: context.patience };
    const diagnoses = found.map((object, index) =>
      object ? diagnoseObject(object, pods, events, clock, orders) : notCreated(refs[index]!)
    );
    const described = await Promise.all(diagnoses.map((diagnosis) => withLastLogLine(context, diagnosis, call)));
    return { ...summarize(described), watches: [...watches, ...await buildWatchQueries(context, refs, found, call)] };
  };
  await attachEvidence(
    context,
    waiting,
    () => waitForState({ ...context, what: `Waiting for ${what}`, check }, waiting),
  );
}

/** Waits until deleted objects are gone, and reports which finalizers delay their removal. */
export async function waitUntilGone(
  context: NamespaceContext,
  refs: readonly ObjectRef[],
  waiting: ClusterWaitOptions,
): Promise<void> {
  if (refs.length === 0) return;
  const check = async (call: ClusterCall): Promise<WaitCheckResult<undefined>> => {
    await context.guard.read(call);
    const found = await Promise.all(refs.map((ref) => context.objects.get(ref, call)));
    const left = found.filter((object) => object !== null).map(({ kind, metadata: { name, finalizers = [] } }) =>
      `${kind} ${name}${finalizers.length > 0 ? ` (held by ${finalizers.join(", ")})` : ""}`
    );
    if (left.length === 0) return { done: undefined };
    return {
      sentence: `Not deleted yet: ${left.join(", ")}`,
      watches: await buildWatchQueries(context, refs, found, call),
    };
  };
  const what = `Removing ${refs.map(({ kind, name }) => `${kind} ${name}`).join(", ")}`;
  await waitForState({ ...context, what, check }, waiting);
}

/** Returns one watch query per kind. A query for several objects has no version, because their versions differ. */
export async function buildWatchQueries(
  { objects }: NamespaceContext,
  refs: readonly ObjectRef[],
  found: readonly (KubeObject | null)[],
  call: ClusterCall,
): Promise<WatchQuery[]> {
  const watches = new Map<string, WatchQuery>();
  for (const [index, ref] of refs.entries()) {
    const watch = await objects.watchSince(ref, found[index] ?? null, call);
    watches.set(watch.path, watches.has(watch.path) ? { path: watch.path } : watch);
  }
  return [...watches.values()];
}

export function createDiagnosisError(diagnosis: Diagnosis & { is: "impossible" }): ClusterError {
  const { code, message, blame, hint } = diagnosis;
  return new ClusterError(code, message, { transient: false, blame, hint });
}

/** Calls `run`. If `run` fails permanently or times out, adds events and a log to the error. */
export async function attachEvidence<T>(
  context: NamespaceContext,
  call: ClusterCall,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ClusterError) || error.evidence || call.signal.aborted) throw error;
    if (error.transient && error.code !== "deadline") throw error;
    throw addErrorDetails(error, { evidence: await evidenceInTime(context, call) });
  }
}

async function evidenceInTime(context: NamespaceContext, call: ClusterCall): Promise<FailureEvidence> {
  const timeoutError = () => new Error("timed out while collecting events and logs");
  try {
    return await runCancellable(
      [call.signal],
      { ms: EVIDENCE_TIMEOUT, createError: timeoutError },
      (signal) => collectEvidence(context, { ...call, signal }),
    );
  } catch {
    call.signal.throwIfAborted();
    return { log: ["(timed out while reading events and logs)"], events: [] };
  }
}

/** If the diagnosis names a container whose startup probe fails, adds the last line of that container's log. */
async function withLastLogLine(
  { api, namespace }: NamespaceContext,
  diagnosis: Diagnosis,
  call: ClusterCall,
): Promise<Diagnosis> {
  if (diagnosis.is !== "waiting" || !diagnosis.log) return diagnosis;
  const lines = await readLog(api, { namespace, ...diagnosis.log }, call);
  const last = lines.findLast((line) => /[A-Za-z]{3}/.test(line) && !line.startsWith(UNREADABLE_LOG_PREFIX));
  if (last === undefined) return diagnosis;
  const words = redactSecrets(last.trim().replace(/[.\s]+$/, "")).slice(0, MAX_QUOTED_LENGTH);
  return { ...diagnosis, sentence: `${diagnosis.sentence}. Last log line: ${words}` };
}

function notCreated(ref: ObjectRef): Diagnosis {
  return { is: "waiting", sentence: `${capitalize(getDisplayName(ref.kind, ref.name))} is not created yet` };
}

function summarize(verdicts: readonly Diagnosis[]): Exclude<WaitCheckResult<never>, { done: never }> | { done: true } {
  const sentences: string[] = [];
  let again: number | undefined;
  for (const diagnosis of verdicts) {
    if (diagnosis.is === "impossible") throw createDiagnosisError(diagnosis);
    if (diagnosis.is === "ready") continue;
    sentences.push(diagnosis.sentence);
    if (diagnosis.again !== undefined) again = Math.min(again ?? Infinity, diagnosis.again);
  }
  if (sentences.length === 0) return { done: true };
  const rest = sentences.length > MAX_SENTENCES ? `; and ${sentences.length - MAX_SENTENCES} more` : "";
  const sentence = sentences.slice(0, MAX_SENTENCES).join("; ") + rest;
  return { sentence, again };
}
