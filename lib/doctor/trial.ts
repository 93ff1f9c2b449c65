/**
 * Tests in a cluster what its existing objects cannot show: admission, image pulls and network policies.
 * The trial uses one namespace with a unique name, and always deletes it, even when cancelled. Only a killed process
 * can leave it behind. The next run then removes it.
 */
import { randomBytes } from "node:crypto";
import { isTerminating } from "#lib/drivers/cluster/guard.ts";
import {
  type Call,
  type Cluster,
  ClusterError,
  type KubeObject,
  refOf,
  type Space,
} from "#lib/drivers/cluster/cluster.ts";
import type { ReadResult } from "#lib/doctor/finding.ts";
import { type TimedRead, timeoutAfter, unreadable } from "#lib/doctor/timed-read.ts";
import { DOCTOR_LABEL, type TrialObjects, trialObjects, type TrialPlan, trialPods } from "#lib/doctor/trial-objects.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { MINUTE, SECOND, sleep } from "#lib/base/time.ts";

/** The result of a dry run that the cluster should refuse. */
export type DryRunResult = { readonly accepted: true } | { readonly refused: string; readonly code: string };
/** The start of an image. `wrong` is a problem that waiting does not solve; null if the image started. */
export type PodStart = { readonly image: string; readonly wrong: string | null; readonly hint?: string | undefined };

export interface TrialFacts {
  readonly namespace: string;
  readonly made: ReadResult<true>;
  /** Null if the blueprint does not enforce the `restricted` standard. */
  readonly security: ReadResult<DryRunResult> | null;
  readonly quota: ReadResult<DryRunResult>;
  readonly limits: ReadResult<DryRunResult>;
  readonly starts: readonly ReadResult<PodStart>[];
  /** The log of the probing pod, before and after a NetworkPolicy blocked one of the servers. */
  readonly network: ReadResult<{ readonly before: readonly string[]; readonly after: readonly string[] }>;
  readonly gone: ReadResult<true>;
}

export interface TrialOptions {
  readonly signal: AbortSignal;
  readonly timedRead: TimedRead;
  /** Milliseconds for one call. */
  readonly limit: number;
  /** Milliseconds for pods to start, and for the namespace to be removed. */
  readonly patience: number;
  /** Reports the namespace of the trial, and what happens to it after a cancellation. */
  readonly tell: (sentence: string) => void;
}

/** Milliseconds for pods to start. Images are large, and registries can be slow. */
export const TRIAL_TIMEOUT = 3 * MINUTE;
/** Returns the prefix of trial namespaces. A namespace with another name is never removed. */
const namesOf = (release: string) => `wheelwright-doctor-${release}-`;
/** The number of dry runs, one per second, after which an accepted object counts as accepted. */
const TRIES = 4;
/** Milliseconds after which a trial namespace counts as orphaned. */
const OLD = 15 * MINUTE;

export async function runTrial(cluster: Cluster, plan: TrialPlan, trying: TrialOptions): Promise<TrialFacts> {
  const namespace = `${namesOf(plan.release)}${randomBytes(5).toString("hex")}`;
  const objects = trialObjects(plan, namespace);
  let found: Omit<TrialFacts, "namespace" | "gone"> | undefined;
  let gone: ReadResult<true> = { seen: true };
  try {
    trying.tell(`Trying the cluster ${cluster.name} out in the namespace ${namespace}`);
    const made = await trying.timedRead((signal) => cluster.createNamespace(objects.namespace, { signal }));
    found = "seen" in made
      ? { made: { seen: true }, ...await tryAll(cluster.space(namespace, made.seen.uid), objects, trying) }
      : nothing(made);
  } finally {
    if (trying.signal.aborted) trying.tell(`Removing the namespace ${namespace}; this may take a moment`);
    gone = await remove(cluster, namespace, trying);
    if (trying.signal.aborted) {
      trying.tell(
        "seen" in gone
          ? `Removed the namespace ${namespace}`
          : `The namespace ${namespace} may still be there (${gone.unseen}): kubectl delete namespace ${namespace}`,
      );
    }
  }
  return { namespace, ...found, gone };
}

function nothing(why: Extract<ReadResult<never>, { readonly unseen: string }>): Omit<TrialFacts, "namespace" | "gone"> {
  return { made: why, security: why, quota: why, limits: why, starts: [why], network: why };
}

async function tryAll(space: Space, objects: TrialObjects, trying: TrialOptions) {
  const prepared = await trying.timedRead((signal) => space.apply([objects.quota, objects.range], { signal }));
  if (!("seen" in prepared)) return nothing(prepared);
  const secrets = await trying.timedRead(async (signal) => {
    for (const secret of objects.secrets) await space.create(secret, { signal });
  });
  if (!("seen" in secrets)) return nothing(secrets);
  const [refusals, moodle, { database, network }] = await Promise.all([
    tryAdmission(space, objects, trying),
    start(imageOf(objects.moodle), trying, () => runJob(space, objects.moodle, trying)),
    tryNetwork(space, objects, trying),
  ]);
  return { ...refusals, starts: [database, moodle], network };
}

async function tryAdmission(space: Space, objects: TrialObjects, { timedRead: look }: TrialOptions) {
  const security = objects.restricted ? await look((signal) => attempt(space, objects.unsafePod, { signal })) : null;
  const counted = await look((signal) => space.ready([refOf(objects.quota)], { signal, timeout: 8 * SECOND }));
  const quota = "seen" in counted ? await look((signal) => attempt(space, objects.claim, { signal })) : counted;
  const limits = await look((signal) => attempt(space, objects.largeClaim, { signal }));
  return { security, quota, limits };
}

/**
 * Dry-runs an object until the cluster refuses it. Tries an accepted object again, because each API server learns of a
 * new quota separately. Throws if the account lacks the permission.
 */
async function attempt(space: Space, object: KubeObject, call: Call): Promise<DryRunResult> {
  for (let tries = 1; tries <= TRIES; tries++) {
    if (tries > 1) await sleep(SECOND, call.signal);
    try {
      await space.dryRun([object], call);
    } catch (error) {
      if (!(error instanceof ClusterError) || error.status !== 403 || mayNot(error)) throw error;
      return { refused: error.message, code: error.code };
    }
  }
  return { accepted: true };
}

/** Returns whether the error means that the account lacks the permission. */
function mayNot({ status, message }: ClusterError): boolean {
  return status === 403 && /User "[^"]*" cannot /.test(message);
}

async function tryNetwork(space: Space, objects: TrialObjects, trying: TrialOptions) {
  const { signal, patience: timeout } = trying;
  const [image] = objects.servers.map(imageOf);
  const database = await start(image!, trying, async () => {
    await space.apply(objects.servers, { signal });
    await space.ready(objects.servers.map(refOf), { signal, timeout });
  });
  if (!("seen" in database) || database.seen.wrong !== null) {
    return { database, network: { unseen: "the pods to try it with did not start" } };
  }
  try {
    const [open, closed] = await Promise.all(objects.servers.map((server) => addressOf(space, server, { signal })));
    const addresses = { open: open!, closed: closed! };
    const before = await runJob(space, objects.knock("open", addresses), trying);
    await space.apply([objects.wall], { signal });
    const after = await runJob(space, objects.knock("closed", addresses), trying);
    return { database, network: { seen: { before, after } } };
  } catch (error) {
    signal.throwIfAborted();
    return { database, network: unreadable(error) };
  }
}

async function start(
  image: string,
  { signal }: TrialOptions,
  run: () => Promise<unknown>,
): Promise<ReadResult<PodStart>> {
  try {
    await run();
    return { seen: { image, wrong: null } };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ClusterError) || error.transient || mayNot(error)) return unreadable(error);
    return { seen: { image, wrong: error.message, hint: error.hint } };
  }
}

async function runJob(space: Space, job: KubeObject, { signal, patience }: TrialOptions): Promise<readonly string[]> {
  const { succeeded, reason, message, log } = await space.run(job, { signal, timeout: patience });
  if (succeeded) return log;
  const words = log.at(-1) ?? message ?? reason ?? "it failed without a word";
  throw new ClusterError(reason ?? "Failed", `its program failed: ${words}`, { transient: false });
}

async function addressOf(space: Space, server: KubeObject, call: Call): Promise<string> {
  const pods = await space.list({ apiVersion: "v1", kind: "Pod" }, trialPods(server), call);
  const address = pods.map((pod) => pod["status"]?.podIP).find((each) => typeof each === "string");
  if (address === undefined) throw new Error(`the pod ${server.metadata.name} has no address`);
  return address;
}

/** Removes the namespace by its unique name, because it may not be known whether it was created. Never throws. */
async function remove(
  cluster: Cluster,
  namespace: string,
  { limit, patience }: TrialOptions,
): Promise<ReadResult<true>> {
  const signal = new AbortController().signal;
  try {
    const found = await runWithin(
      [signal],
      timeoutAfter(limit),
      (signal) => cluster.findNamespace(namespace, { signal }),
    );
    if (found) await cluster.space(namespace, found.metadata.uid!).remove({ signal, timeout: patience });
    return { seen: true };
  } catch (error) {
    return unreadable(error);
  }
}

/** Deletes trial namespaces that killed runs of this release left behind. Returns their names. */
export async function deleteRemainingNamespaces(
  cluster: Cluster,
  release: string,
  call: Call,
): Promise<readonly string[]> {
  const namespaces = await cluster.listAll({ apiVersion: "v1", kind: "Namespace" }, `${DOCTOR_LABEL}=true`, call);
  const now = Date.now() + (await cluster.about()).aheadMs;
  const old = namespaces.filter((each) =>
    each.metadata.name.startsWith(namesOf(release)) && !isTerminating(each) &&
    now - Date.parse(each.metadata.creationTimestamp ?? "") > OLD
  );
  for (const { metadata } of old) {
    await cluster.space(metadata.name, metadata.uid!).remove({ ...call, timeout: 8 * SECOND });
  }
  return old.map(({ metadata }) => metadata.name);
}

function imageOf(object: KubeObject): string {
  return object["spec"].template.spec.containers[0].image;
}
