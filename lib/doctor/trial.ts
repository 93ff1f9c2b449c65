/**
 * Tests admission, image pulls and network policies in a temporary namespace. Deletes the namespace at the end, even
 * after a cancellation. If a run is killed, a later run deletes its namespace.
 */
import { randomBytes } from "node:crypto";
import { isNamespaceTerminating } from "#lib/drivers/cluster/guard.ts";
import {
  type Cluster,
  type ClusterCall,
  ClusterError,
  type ClusterNamespace,
  type KubeObject,
  toObjectRef,
} from "#lib/drivers/cluster/cluster.ts";
import type { ReadResult } from "#lib/doctor/finding.ts";
import { createReadTimeout, type TimedRead, toReadFailure } from "#lib/doctor/timed-read.ts";
import {
  buildTrialObjects,
  buildTrialPodSelector,
  TRIAL_LABEL,
  type TrialObjects,
  type TrialPlan,
} from "#lib/doctor/trial-objects.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { MINUTE, SECOND, sleep } from "#lib/base/time.ts";

/** The result of a dry run with an object that the cluster should reject. */
export type DryRunResult = { readonly accepted: true } | { readonly refused: string; readonly code: string };
/** Whether a pod with the given image started. `problem` is the reason if it did not start, and null if it did. */
export type PodStart = { readonly image: string; readonly problem: string | null; readonly hint?: string | undefined };

export interface TrialFacts {
  readonly namespace: string;
  readonly namespaceCreated: ReadResult<true>;
  /** The result for a privileged Pod. Null if the blueprint does not enforce the pod security standard `restricted`. */
  readonly podSecurity: ReadResult<DryRunResult> | null;
  readonly quota: ReadResult<DryRunResult>;
  readonly limitRange: ReadResult<DryRunResult>;
  readonly podStarts: readonly ReadResult<PodStart>[];
  /** The probe Job's log before and after a NetworkPolicy blocked one of the two test databases. */
  readonly network: ReadResult<{ readonly before: readonly string[]; readonly after: readonly string[] }>;
  readonly namespaceDeleted: ReadResult<true>;
}

export interface TrialOptions {
  readonly signal: AbortSignal;
  readonly timedRead: TimedRead;
  /** The time limit for each Kubernetes API call, in milliseconds. */
  readonly callTimeout: number;
  /** How long to wait for pods to start, and for the namespace to be deleted, in milliseconds. */
  readonly podTimeout: number;
  readonly report: (sentence: string) => void;
}

/** How long to wait for pods to start, including image pulls, in milliseconds. */
export const POD_START_TIMEOUT = 3 * MINUTE;
/** Returns the prefix of trial namespaces' names. Namespaces without this prefix are never deleted. */
const namespacePrefix = (release: string) => `wheelwright-doctor-${release}-`;
/** The number of dry runs, one per second, that must accept an object before it counts as accepted. */
const DRY_RUN_ATTEMPTS = 4;
/** The age at which a trial namespace counts as left behind by a killed run, in milliseconds. */
const ORPHAN_AGE = 15 * MINUTE;

export async function runTrial(cluster: Cluster, plan: TrialPlan, options: TrialOptions): Promise<TrialFacts> {
  const namespace = `${namespacePrefix(plan.release)}${randomBytes(5).toString("hex")}`;
  const objects = buildTrialObjects(plan, namespace);
  let facts: Omit<TrialFacts, "namespace" | "namespaceDeleted"> | undefined;
  let namespaceDeleted: ReadResult<true> = { value: true };
  try {
    options.report(`Testing cluster ${cluster.name} in namespace ${namespace}`);
    const created = await options.timedRead((signal) => cluster.createNamespace(objects.namespace, { signal }));
    facts = "value" in created
      ? {
        namespaceCreated: { value: true } as const,
        ...await runAllTests(cluster.space(namespace, created.value.uid), objects, options),
      }
      : failAllTests(created);
  } finally {
    if (options.signal.aborted) options.report(`Removing namespace ${namespace}; this may take a moment`);
    namespaceDeleted = await deleteTrialNamespace(cluster, namespace, options);
    if (options.signal.aborted) {
      options.report(
        "value" in namespaceDeleted
          ? `Removed namespace ${namespace}`
          : `Namespace ${namespace} may still exist (${namespaceDeleted.error}). Run: kubectl delete namespace ${namespace}`,
      );
    }
  }
  return { namespace, ...facts, namespaceDeleted };
}

function failAllTests(
  why: Extract<ReadResult<never>, { readonly error: string }>,
): Omit<TrialFacts, "namespace" | "namespaceDeleted"> {
  return { namespaceCreated: why, podSecurity: why, quota: why, limitRange: why, podStarts: [why], network: why };
}

async function runAllTests(space: ClusterNamespace, objects: TrialObjects, options: TrialOptions) {
  const prepared = await options.timedRead((signal) => space.apply([objects.quota, objects.limitRange], { signal }));
  if (!("value" in prepared)) return failAllTests(prepared);
  const secrets = await options.timedRead(async (signal) => {
    for (const secret of objects.secrets) await space.create(secret, { signal });
  });
  if (!("value" in secrets)) return failAllTests(secrets);
  const [refusals, moodle, { database, network }] = await Promise.all([
    testAdmission(space, objects, options),
    testImage(firstImage(objects.moodleJob), options, () => runJob(space, objects.moodleJob, options)),
    testNetwork(space, objects, options),
  ]);
  return { ...refusals, podStarts: [database, moodle], network };
}

async function testAdmission(space: ClusterNamespace, objects: TrialObjects, { timedRead }: TrialOptions) {
  const podSecurity = objects.enforcesRestricted
    ? await timedRead((signal) => dryRunUntilRefused(space, objects.unsafePod, { signal }))
    : null;
  const quotaReady = await timedRead((signal) =>
    space.ready([toObjectRef(objects.quota)], { signal, timeout: 8 * SECOND })
  );
  const quota = "value" in quotaReady
    ? await timedRead((signal) => dryRunUntilRefused(space, objects.claim, { signal }))
    : quotaReady;
  const limitRange = await timedRead((signal) => dryRunUntilRefused(space, objects.largeClaim, { signal }));
  return { podSecurity, quota, limitRange };
}

/**
 * Repeats a dry run with an object until the cluster rejects the object, because each API server learns about a new
 * quota separately. Throws if the account lacks the permission.
 */
async function dryRunUntilRefused(
  space: ClusterNamespace,
  object: KubeObject,
  call: ClusterCall,
): Promise<DryRunResult> {
  for (let attempts = 1; attempts <= DRY_RUN_ATTEMPTS; attempts++) {
    if (attempts > 1) await sleep(SECOND, call.signal);
    try {
      await space.dryRun([object], call);
    } catch (error) {
      if (!(error instanceof ClusterError) || error.status !== 403 || isPermissionDenied(error)) throw error;
      return { refused: error.message, code: error.code };
    }
  }
  return { accepted: true };
}

function isPermissionDenied({ status, message }: ClusterError): boolean {
  return status === 403 && /User "[^"]*" cannot /.test(message);
}

async function testNetwork(space: ClusterNamespace, objects: TrialObjects, options: TrialOptions) {
  const { signal, podTimeout: timeout } = options;
  const [image] = objects.servers.map(firstImage);
  const database = await testImage(image!, options, async () => {
    await space.apply(objects.servers, { signal });
    await space.ready(objects.servers.map(toObjectRef), { signal, timeout });
  });
  if (!("value" in database) || database.value.problem !== null) {
    return { database, network: { error: "the test pods did not start" } };
  }
  try {
    const [open, closed] = await Promise.all(
      objects.servers.map((server) => readPodAddress(space, server, { signal })),
    );
    const addresses = { open: open!, closed: closed! };
    const before = await runJob(space, objects.probeJob("open", addresses), options);
    await space.apply([objects.blockingPolicy], { signal });
    const after = await runJob(space, objects.probeJob("closed", addresses), options);
    return { database, network: { value: { before, after } } };
  } catch (error) {
    signal.throwIfAborted();
    return { database, network: toReadFailure(error) };
  }
}

async function testImage(
  image: string,
  { signal }: TrialOptions,
  run: () => Promise<unknown>,
): Promise<ReadResult<PodStart>> {
  try {
    await run();
    return { value: { image, problem: null } };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ClusterError) || error.transient || isPermissionDenied(error)) return toReadFailure(error);
    return { value: { image, problem: error.message, hint: error.hint } };
  }
}

async function runJob(
  space: ClusterNamespace,
  job: KubeObject,
  { signal, podTimeout }: TrialOptions,
): Promise<readonly string[]> {
  const { succeeded, reason, message, log } = await space.run(job, { signal, timeout: podTimeout });
  if (succeeded) return log;
  const lastLine = log.at(-1) ?? message ?? reason ?? "no log output";
  throw new ClusterError(reason ?? "Failed", `the Job failed: ${lastLine}`, { transient: false });
}

async function readPodAddress(space: ClusterNamespace, server: KubeObject, call: ClusterCall): Promise<string> {
  const pods = await space.list({ apiVersion: "v1", kind: "Pod" }, buildTrialPodSelector(server), call);
  const address = pods.map((pod) => pod["status"]?.podIP).find((each) => typeof each === "string");
  if (address === undefined) throw new Error(`pod ${server.metadata.name} has no IP address`);
  return address;
}

/** Deletes the trial's namespace, if it exists. Never throws. */
async function deleteTrialNamespace(
  cluster: Cluster,
  namespace: string,
  { callTimeout, podTimeout }: TrialOptions,
): Promise<ReadResult<true>> {
  const signal = new AbortController().signal;
  try {
    const existing = await runCancellable(
      [signal],
      createReadTimeout(callTimeout),
      (signal) => cluster.findNamespace(namespace, { signal }),
    );
    if (existing) await cluster.space(namespace, existing.metadata.uid!).remove({ signal, timeout: podTimeout });
    return { value: true };
  } catch (error) {
    return toReadFailure(error);
  }
}

/** Deletes trial namespaces that killed runs of this installation left behind. Returns their names. */
export async function deleteOldTrialNamespaces(
  cluster: Cluster,
  release: string,
  call: ClusterCall,
): Promise<readonly string[]> {
  const namespaces = await cluster.listAll({ apiVersion: "v1", kind: "Namespace" }, `${TRIAL_LABEL}=true`, call);
  const now = Date.now() + (await cluster.about()).aheadMs;
  const old = namespaces.filter((each) =>
    each.metadata.name.startsWith(namespacePrefix(release)) && !isNamespaceTerminating(each) &&
    now - Date.parse(each.metadata.creationTimestamp ?? "") > ORPHAN_AGE
  );
  for (const { metadata } of old) {
    await cluster.space(metadata.name, metadata.uid!).remove({ ...call, timeout: 8 * SECOND });
  }
  return old.map(({ metadata }) => metadata.name);
}

function firstImage(object: KubeObject): string {
  return object["spec"].template.spec.containers[0].image;
}
