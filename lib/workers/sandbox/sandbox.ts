/**
 * A sandbox in a cluster: a site of no spoke, from its namespace to the proof that nothing of it is left.
 *
 *   sandboxInputs(inputs, {id, madeAfter})         what it is made from (lib/moodle/sandbox.ts); add `origin` where it has one
 *   openSandbox(app, cluster, inputs, run)         the place; the job's progress remembers its namespace, for all its holders
 *   makeSandbox(sandbox, run)                      namespace, limits and policies, secrets: called again, it goes on
 *   putInSandbox(sandbox, run, step)               the objects of one more step of the blueprint
 *   removeSandbox(sandbox, run)                    all that any holder of the job has made of it, until it is seen gone
 *
 * It is a JobPlace and a VolumePlace: the functions of lib/work that need no spoke work in it. One job has one sandbox, named
 * after the job or after what the job makes, and the job must not end before `removeSandbox` has: its kind is persistent.
 */
import type { App } from "#lib/app.ts";
import type { SpokeStep } from "#lib/moodle/files.ts";
import { nothingAllowed, type SandboxInputs } from "#lib/moodle/sandbox.ts";
import { MANAGED_BY_LABEL, SANDBOX_LABEL } from "#lib/drivers/cluster/guard.ts";
import { type Cluster, ClusterError, type KubeObject, type Space } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { settleAll } from "#lib/base/cancellation.ts";
import { makeFenced } from "#lib/workers/fenced.ts";
import { demandNothingLeft, releaseVolumes, rememberVolumes } from "#lib/workers/removal/leftovers.ts";
import { untilCounted } from "#lib/workers/running.ts";
import { finalError, waitingFor } from "#lib/workers/site.ts";
import { dropContents, type VolumePlace } from "#lib/workers/volumes/claims.ts";

export interface Sandbox extends VolumePlace {
  readonly cluster: Cluster;
  readonly inputs: SandboxInputs;
  /** Throws a ClusterError `NotFound` before `makeSandbox`. */
  readonly space: Space;
}

/** In the job's progress, from before the namespace is made: the cluster's identity, and the namespace's uid. */
interface Memory {
  readonly cluster: string | null;
  readonly uid: string | null;
}

export async function openSandbox(app: App, cluster: string, inputs: SandboxInputs, run: Run): Promise<Sandbox> {
  const opened = await app.clusters.open(cluster), { namespace } = inputs;
  let space: Space | undefined;
  return {
    blueprint: app.blueprint,
    cluster: opened,
    inputs,
    get space() {
      const uid = memoryOf(run)?.uid ?? null;
      if (uid !== null) return space ??= opened.space(namespace, uid);
      throw new ClusterError("NotFound", `The namespace ${namespace} was never made`, { transient: false });
    },
  };
}

/** Its namespace with limits, policies and secrets, as a spoke's are made. */
export async function makeSandbox(sandbox: Sandbox, run: Run): Promise<void> {
  await makeNamespace(sandbox, run);
  const { blueprint, inputs, space } = sandbox;
  await putAll(sandbox, run, [nothingAllowed(inputs)]);
  await untilCounted(sandbox, run, await putInSandbox(sandbox, run, "policies"));
  await settleAll([
    ...blueprint.newSecrets(inputs).map((secret) => space.create(secret, run)),
    putAll(sandbox, run, blueprint.mailSecret(inputs, null)),
    putInSandbox(sandbox, run, "secrets"),
  ]);
}

export async function putInSandbox(sandbox: Sandbox, run: Run, step: SpokeStep): Promise<KubeObject[]> {
  return await putAll(sandbox, run, sandbox.blueprint.spokeObjects(sandbox.inputs, step));
}

async function putAll({ space }: Sandbox, run: Run, objects: readonly KubeObject[]): Promise<KubeObject[]> {
  return await settleAll(objects.map((object) => makeFenced(space, object, run.job, run)));
}

/** As a spoke's: who comes after a crash between creation and row recognises it by its labels. */
async function makeNamespace({ blueprint, cluster, inputs }: Sandbox, run: Run): Promise<void> {
  const [manifest] = blueprint.spokeObjects(inputs, "namespace");
  if (memoryOf(run)?.uid) return await demandSameCluster(cluster, run);
  if (!memoryOf(run)) await remember(run, { cluster: await cluster.identity(run), uid: null });
  else await demandSameCluster(cluster, run);
  const { uid } = await cluster.createNamespace(manifest!, run);
  await remember(run, { ...memoryOf(run)!, uid });
}

/**
 * Throws a transient ClusterError while something is left, and a final one where this is not the cluster that it was made in.
 * What was never begun is gone.
 */
export async function removeSandbox({ cluster, inputs }: Sandbox, run: Run): Promise<void> {
  const memory = memoryOf(run), { namespace, sandbox, origin } = inputs;
  if (!memory) return;
  await demandSameCluster(cluster, run);
  const uid = memory.uid ?? await findOwn(cluster, run, inputs);
  if (uid !== null) {
    await rememberVolumes(cluster, run, namespace);
    await releaseVolumes(cluster, run);
    await cluster.space(namespace, uid).remove(waitingFor(run));
  }
  if (origin) await dropContents(cluster, run, { namespace, turn: origin.turn });
  await demandNothingLeft({ cluster, holding: { namespace, sandbox: sandbox.id } }, run);
  await demandSameCluster(cluster, run);
}

async function findOwn(cluster: Cluster, run: Run, { namespace, sandbox }: SandboxInputs): Promise<string | null> {
  const found = await cluster.findNamespace(namespace, run);
  const labels = found?.metadata.labels ?? {};
  const own = labels[MANAGED_BY_LABEL] === "wheelwright" && labels[SANDBOX_LABEL] === sandbox.id;
  return found && own ? found.metadata.uid! : null;
}

async function demandSameCluster(cluster: Cluster, run: Run): Promise<void> {
  const made = memoryOf(run)!.cluster;
  if (made === null || made === await cluster.identity(run)) return;
  throw finalError(
    "another_cluster",
    `This is another cluster than the one that the sandbox was made in, though it goes by the name ${cluster.name}`,
    "Let the kubeconfig lead to the cluster that it was made in; it is removed there by itself then.",
  );
}

function memoryOf(run: Run): Memory | undefined {
  return run.job.progress.sandbox;
}

async function remember(run: Run, sandbox: Memory): Promise<void> {
  await run.saveProgress({ sandbox });
}
