/**
 * Creates and removes sandboxes: temporary sites that belong to no spoke, each in its own namespace. Each job has at
 * most one sandbox. The job's kind must be persistent, so that the job ends only after `removeSandbox` has finished.
 * The inputs of a sandbox come from `buildSandboxInputs` (lib/moodle/sandbox.ts).
 */
import { Refusal } from "#lib/base/refusals.ts";
import type { App } from "#lib/app.ts";
import type { SpokeInstallStep } from "#lib/moodle/blueprint-files.ts";
import { buildDenyAllPolicy, type SandboxInputs } from "#lib/moodle/sandbox.ts";
import { MANAGED_BY_LABEL, SANDBOX_LABEL } from "#lib/drivers/cluster/guard.ts";
import { type Cluster, ClusterError, type ClusterNamespace, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { ProgressOf } from "#lib/operations/plan.ts";
import type { SANDBOX } from "#lib/operations/progress.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { settleAll } from "#lib/base/cancellation.ts";
import { createWithFence } from "#lib/steps/fenced-objects.ts";
import { recordVolumes, setReclaimPolicyToDelete, waitForObjectDeletion } from "#lib/steps/remaining-objects.ts";
import { waitForQuota } from "#lib/steps/workloads.ts";
import { buildClusterWaitOptions } from "#lib/steps/site.ts";
import { deleteSourceSnapshotContents, type VolumeContext } from "#lib/recovery/volumes/pvcs.ts";

export interface Sandbox extends VolumeContext {
  readonly cluster: Cluster;
  readonly inputs: SandboxInputs;
  /** The sandbox's namespace. Reading this property throws a `NotFound` ClusterError until `createSandbox` has run. */
  readonly space: ClusterNamespace;
}

type SandboxRun = JobRun<ProgressOf<typeof SANDBOX>>;

/** Returns the job's sandbox. The job's progress records whether its namespace was created. */
export async function openSandbox(app: App, cluster: string, inputs: SandboxInputs, run: SandboxRun): Promise<Sandbox> {
  const opened = await app.clusters.open(cluster), { namespace } = inputs;
  let space: ClusterNamespace | undefined;
  return {
    blueprint: app.blueprint,
    cluster: opened,
    inputs,
    get space() {
      const uid = run.job.progress.sandbox?.uid ?? null;
      if (uid !== null) return space ??= opened.space(namespace, uid);
      throw new ClusterError("NotFound", `The namespace ${namespace} was never created`, { transient: false });
    },
  };
}

/** Creates the sandbox's namespace with its quota, limits, network policies and Secrets. Safe to call again. */
export async function createSandbox(sandbox: Sandbox, run: SandboxRun): Promise<void> {
  await createSandboxNamespace(sandbox, run);
  const { blueprint, inputs, space } = sandbox;
  await createAll(sandbox, run, [buildDenyAllPolicy(inputs)]);
  await waitForQuota(sandbox, run, await applySandboxObjects(sandbox, run, "policies"));
  await settleAll([
    ...blueprint.newSecrets(inputs).map((secret) => space.create(secret, run)),
    createAll(sandbox, run, blueprint.mailSecret(inputs, null)),
    applySandboxObjects(sandbox, run, "secrets"),
  ]);
}

export async function applySandboxObjects(
  sandbox: Sandbox,
  run: JobRun,
  step: SpokeInstallStep,
): Promise<KubeObject[]> {
  return await createAll(sandbox, run, sandbox.blueprint.spokeObjects(sandbox.inputs, step));
}

async function createAll({ space }: Sandbox, run: JobRun, objects: readonly KubeObject[]): Promise<KubeObject[]> {
  return await settleAll(objects.map((object) => createWithFence(space, object, run.job, run)));
}

/**
 * Creates the sandbox's namespace. If an earlier attempt created the namespace but crashed before storing its UID,
 * finds it by its labels.
 */
async function createSandboxNamespace({ blueprint, cluster, inputs }: Sandbox, run: SandboxRun): Promise<void> {
  const [manifest] = blueprint.spokeObjects(inputs, "namespace");
  if (run.job.progress.sandbox?.uid) return await requireRecordedCluster(cluster, run);
  if (run.job.progress.sandbox) await requireRecordedCluster(cluster, run);
  else await run.saveProgress({ sandbox: { cluster: await cluster.identity(run), uid: null } });
  const { uid } = await cluster.createNamespace(manifest!, run);
  await run.saveProgress({ sandbox: { ...run.job.progress.sandbox!, uid } });
}

/**
 * Deletes the sandbox if it was created, and waits until all of its objects are gone. Throws a transient
 * ClusterError if an object still exists, or a Refusal if the sandbox was created in another cluster.
 */
export async function removeSandbox({ cluster, inputs }: Sandbox, run: SandboxRun): Promise<void> {
  const record = run.job.progress.sandbox, { namespace, sandbox, origin } = inputs;
  if (!record) return;
  await requireRecordedCluster(cluster, run);
  const uid = record.uid ?? await findOwnNamespace(cluster, run, inputs);
  if (uid !== null) {
    await recordVolumes(cluster, run, namespace);
    await setReclaimPolicyToDelete(cluster, run);
    await cluster.space(namespace, uid).remove(buildClusterWaitOptions(run));
  }
  if (origin) await deleteSourceSnapshotContents(cluster, run, { namespace, adoptionId: origin.adoptionId });
  await waitForObjectDeletion({ cluster, holding: { namespace, sandbox: sandbox.id } }, run);
  await requireRecordedCluster(cluster, run);
}

async function findOwnNamespace(
  cluster: Cluster,
  run: JobRun,
  { namespace, sandbox }: SandboxInputs,
): Promise<string | null> {
  const existing = await cluster.findNamespace(namespace, run);
  const labels = existing?.metadata.labels ?? {};
  const isOwn = labels[MANAGED_BY_LABEL] === "wheelwright" && labels[SANDBOX_LABEL] === sandbox.id;
  return existing && isOwn ? existing.metadata.uid! : null;
}

async function requireRecordedCluster(cluster: Cluster, run: SandboxRun): Promise<void> {
  const expected = run.job.progress.sandbox!.cluster;
  if (expected === null || expected === await cluster.identity(run)) return;
  throw new Refusal(
    "another_cluster",
    `The cluster ${cluster.name} is not the one in which the sandbox was created`,
    "Point the kubeconfig to the cluster that contains the sandbox. The sandbox is then deleted automatically.",
  );
}
