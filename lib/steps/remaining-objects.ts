/**
 * Waits until all Kubernetes objects of a removed spoke or hub are gone. Two kinds can remain after the namespace was
 * deleted: volumes, which are in no namespace, and, if the deletion was forced, objects with finalizers. The snapshot
 * contents of retained backups are kept on purpose.
 */
import { FEDERATION_LABEL, MANAGED_BY_LABEL, SANDBOX_LABEL, SPOKE_LABEL } from "#lib/drivers/cluster/guard.ts";
import { type Cluster, ClusterError, type KubeObject, type PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import { formatKubeTimestamp } from "#lib/drivers/cluster/diagnosis/display-names.ts";
import type { ProgressOf } from "#lib/operations/plan.ts";
import type { RECORDED_VOLUMES } from "#lib/operations/progress.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { MINUTE, SECOND, sleep } from "#lib/base/time.ts";
import { addNotes, type NamespaceRecord } from "#lib/steps/site.ts";

/** Kinds of objects to find by label in the whole cluster, because they cost money or are reachable from outside. */
export const KINDS_SEARCHED_BY_LABEL = [
  { apiVersion: "v1", kind: "Namespace" },
  { apiVersion: "v1", kind: "Pod" },
  { apiVersion: "v1", kind: "PersistentVolumeClaim" },
  { apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
] as const;

/**
 * Kinds of objects to search in the deleted namespace. Secrets are excluded, because the permission to list them could
 * not be limited to deleted namespaces.
 */
export const KINDS_SEARCHED_BY_NAMESPACE = [
  ...["Pod", "PersistentVolumeClaim", "Service", "ConfigMap", "LimitRange", "ResourceQuota"]
    .map((kind) => ({ apiVersion: "v1", kind })),
  ...["Deployment", "ReplicaSet", "StatefulSet"].map((kind) => ({ apiVersion: "apps/v1", kind })),
  ...["Job", "CronJob"].map((kind) => ({ apiVersion: "batch/v1", kind })),
  ...["Ingress", "NetworkPolicy"].map((kind) => ({ apiVersion: "networking.k8s.io/v1", kind })),
  { apiVersion: "cert-manager.io/v1", kind: "Certificate" },
  { apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshot" },
] as const;

const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
const VOLUME = { apiVersion: "v1", kind: "PersistentVolume" };
/** The longest wait per attempt, in milliseconds. Kubernetes deletes volumes a few seconds after their PVCs. */
const ATTEMPT_TIMEOUT = MINUTE;
const MAX_PAUSE = 10 * SECOND;

/** The spoke, hub or sandbox (temporary namespace) that owned the removed objects. */
type RemovedOwner = NamespaceRecord | { readonly namespace: string; readonly sandbox: string };

type RemovalRun = JobRun<ProgressOf<typeof RECORDED_VOLUMES>>;

/** Saves which volumes the PVCs use, because this cannot be determined after the PVCs are deleted. */
export async function recordVolumes(cluster: Cluster, run: RemovalRun, namespace: string): Promise<void> {
  if (run.job.progress.volumes !== undefined) return;
  const claims = await cluster.listUnder(CLAIM, namespace, run);
  const volumes = claims.filter((claim) => claim["spec"]?.volumeName).map((claim) => ({
    claim: claim.metadata.name,
    claimUid: claim.metadata.uid!,
    volume: String(claim["spec"].volumeName),
  }));
  await run.saveProgress({ volumes });
}

/**
 * Sets the volumes' reclaim policy to `Delete`, so that they are deleted together with their PVCs. Skips volumes that
 * Wheelwright may not patch; these are reported at the end of the removal.
 */
export async function setReclaimPolicyToDelete(cluster: Cluster, run: RemovalRun): Promise<void> {
  for (const { claimUid, volume: name } of run.job.progress.volumes ?? []) {
    const ref = { ...VOLUME, name }, found = await readVolume(cluster, run, name, []);
    if (found?.["spec"]?.claimRef?.uid !== claimUid || found["spec"].persistentVolumeReclaimPolicy === "Delete") {
      continue;
    }
    const changes: PatchOperation[] = [
      { op: "test", path: "/spec/claimRef/uid", value: claimUid },
      { op: "replace", path: "/spec/persistentVolumeReclaimPolicy", value: "Delete" },
    ];
    await cluster.patchGlobal(ref, changes, run).catch((error) => {
      if (!(error instanceof ClusterError) || error.status !== 403) throw error;
    });
  }
}

const UNKNOWN_ORIGIN_HINT =
  "The object has a spoke or hub label, but Wheelwright did not create it: delete it, or remove the label.";
const FORCE_DELETED_HINT =
  "The object remains after a forced deletion of its namespace. Delete it; the removal then continues automatically.";

interface RemainingObject {
  readonly sentence: string;
  readonly hint: string;
}

/**
 * Waits until all objects of the removed spoke, hub or sandbox are gone. Throws a transient ClusterError if an object
 * still exists after a minute; the next attempt then continues to wait.
 */
export async function waitForObjectDeletion(
  { cluster, holding }: { readonly cluster: Cluster; readonly holding: RemovedOwner },
  run: RemovalRun,
): Promise<void> {
  const end = performance.now() + Math.min(ATTEMPT_TIMEOUT, run.timeLeft());
  for (let pause = SECOND / 4;; pause = Math.min(2 * pause, MAX_PAUSE)) {
    const notes: string[] = [];
    const remaining = await findLabelled(cluster, run, holding) ??
      await findInDeletedNamespace(cluster, run, holding, notes) ??
      await findVolume(cluster, run, notes);
    if (remaining === null) return await addNotes(run, notes);
    if (performance.now() + pause > end) {
      throw new ClusterError("Remaining", remaining.sentence, {
        transient: true,
        blame: "operator",
        hint: remaining.hint,
      });
    }
    run.showProgress(remaining.sentence);
    await sleep(pause, run.signal);
  }
}

async function findLabelled(cluster: Cluster, run: JobRun, holding: RemovedOwner): Promise<RemainingObject | null> {
  const selector = selectorOf(holding);
  for (const kind of KINDS_SEARCHED_BY_LABEL) {
    const [remaining] = await cluster.listAll(kind, `${MANAGED_BY_LABEL}=wheelwright,${selector}`, run);
    if (remaining) return describe(remaining, UNKNOWN_ORIGIN_HINT);
  }
  return null;
}

function selectorOf(holding: RemovedOwner): string {
  if ("sandbox" in holding) return `${SANDBOX_LABEL}=${holding.sandbox}`;
  const { federationId, spokeId } = holding;
  return spokeId === null ? `${FEDERATION_LABEL}=${federationId},!${SPOKE_LABEL}` : `${SPOKE_LABEL}=${spokeId}`;
}

/** Finds an object that remains in a force-deleted namespace. Returns null if the namespace still exists. */
async function findInDeletedNamespace(
  cluster: Cluster,
  run: JobRun,
  { namespace }: RemovedOwner,
  notes: string[],
): Promise<RemainingObject | null> {
  if (await cluster.findNamespace(namespace, run)) return null;
  const unlistedKinds: string[] = [];
  for (const kind of KINDS_SEARCHED_BY_NAMESPACE) {
    try {
      const [remaining] = await cluster.listUnder(kind, namespace, run);
      if (remaining) return describe(remaining, FORCE_DELETED_HINT);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (error.status === 403) unlistedKinds.push(kind.kind);
      else if (error.status !== 404) throw error; // a 404 means that the cluster's API does not have this kind
    }
  }
  if (unlistedKinds.length > 0) {
    notes.push(`Cannot check whether objects of these kinds remain: ${unlistedKinds.join(", ")} (no permission)`);
  }
  return null;
}

/** Finds a volume that is not deleted yet. Ignores volumes whose reclaim policy is not `Delete`. */
async function findVolume(cluster: Cluster, run: RemovalRun, notes: string[]): Promise<RemainingObject | null> {
  for (const { claim, claimUid, volume } of run.job.progress.volumes ?? []) {
    const found = await readVolume(cluster, run, volume, notes);
    if (found === null || found["spec"]?.claimRef?.uid !== claimUid) continue;
    if (found["spec"]?.persistentVolumeReclaimPolicy !== "Delete") {
      notes.push(`The volume ${volume} of the PVC ${claim} is kept, because its reclaim policy is not Delete`);
      continue;
    }
    const { phase, message } = found["status"] ?? {};
    const state = phase ? `, ${phase}${message ? `: ${message}` : ""}` : "";
    const blockers = describeFinalizers(found);
    return {
      sentence: `The volume ${volume} of the PVC ${claim} still exists${state}${blockers}`,
      hint: "Check the storage driver, which must delete this volume. The removal then continues automatically.",
    };
  }
  return null;
}

async function readVolume(
  cluster: Cluster,
  run: JobRun,
  name: string,
  notes: string[],
): Promise<KubeObject | null> {
  try {
    return await cluster.find({ ...VOLUME, name }, run);
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
    notes.push(`Cannot check whether the volume ${name} is deleted (no permission)`);
    return null;
  }
}

function describe(remaining: KubeObject, hint: string): RemainingObject {
  const { name, namespace, deletionTimestamp } = remaining.metadata;
  const since = deletionTimestamp ? `, being deleted since ${formatKubeTimestamp(deletionTimestamp)}` : "";
  return {
    sentence: `${remaining.kind} ${name}${namespace ? ` in namespace ${namespace}` : ""} still exists${since}${
      describeFinalizers(remaining)
    }`,
    hint: deletionTimestamp
      ? "Repair the controller that removes this finalizer. The removal then continues automatically."
      : hint,
  };
}

function describeFinalizers({ metadata: { deletionTimestamp, finalizers } }: KubeObject): string {
  return deletionTimestamp && finalizers?.length ? `, held by the finalizer ${finalizers.join(", ")}` : "";
}
