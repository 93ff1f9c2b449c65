/**
 * Waits until nothing of a removed spoke or hub remains in the cluster.
 * Deleting a namespace normally deletes its objects. If someone force-deletes it, objects with finalizers remain in a
 * namespace that answers 404. Volumes are cluster-scoped and are deleted after their PVCs. Objects with our labels may
 * also exist in other namespaces. Retained snapshot contents stay on purpose, and the step that takes the snapshots
 * reports them.
 */
import { FEDERATION_LABEL, MANAGED_BY_LABEL, SANDBOX_LABEL, SPOKE_LABEL } from "#lib/drivers/cluster/guard.ts";
import { type Cluster, ClusterError, type KubeObject, type PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import { formatMinute } from "#lib/drivers/cluster/diagnosis/display-names.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { MINUTE, SECOND, sleep } from "#lib/base/time.ts";
import { addNotes, type NamespaceRecord } from "#lib/workers/site.ts";

/** Kinds to search by label in the whole cluster, because they use capacity or are reachable from outside. */
export const KINDS_BY_LABEL = [
  { apiVersion: "v1", kind: "Namespace" },
  { apiVersion: "v1", kind: "Pod" },
  { apiVersion: "v1", kind: "PersistentVolumeClaim" },
  { apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
] as const;

/**
 * Kinds to search in the deleted namespace. Secrets are not included: the permission to list them in a deleted
 * namespace would cover all Secrets of the cluster.
 */
export const KINDS_IN_NAMESPACE = [
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
/** Milliseconds to wait in one attempt. A volume is deleted seconds after its PVC. */
const PATIENCE = MINUTE;
const LONGEST_PAUSE = 10 * SECOND;

/** The owner of the removed objects: a spoke, hub or sandbox. */
type Held = NamespaceRecord | { readonly namespace: string; readonly sandbox: string };

/** A volume and its PVC. The UID identifies the PVC, because manually created volumes reuse names. */
interface Volume {
  readonly claim: string;
  readonly claimUid: string;
  readonly volume: string;
}

/** Records the volumes before their PVCs are deleted. Afterwards nothing shows which volumes belonged to them. */
export async function recordVolumes(cluster: Cluster, run: Run, namespace: string): Promise<void> {
  if (run.job.progress.volumes !== undefined) return;
  const claims = await cluster.listUnder(CLAIM, namespace, run);
  const volumes: Volume[] = claims.filter((claim) => claim["spec"]?.volumeName).map((claim) => ({
    claim: claim.metadata.name,
    claimUid: claim.metadata.uid!,
    volume: String(claim["spec"].volumeName),
  }));
  await run.saveProgress({ volumes });
}

/**
 * Changes the reclaim policy of the volumes, so that they are deleted with their PVCs. A volume that may not be changed
 * stays and is reported at the end.
 */
export async function releaseVolumes(cluster: Cluster, run: Run): Promise<void> {
  for (const { claimUid, volume: name } of volumesOf(run)) {
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

function volumesOf(run: Run): readonly Volume[] {
  return run.job.progress.volumes ?? [];
}

const STRAY =
  "It carries this spoke's or hub's label, and Wheelwright has not made it: delete it, or take the label off.";
const FORCED =
  "Its namespace was taken away by force, without waiting for it: delete it by hand; the removal goes on by itself.";

interface Leftover {
  readonly sentence: string;
  readonly hint: string;
}

/**
 * Waits, then throws a transient ClusterError while something remains. The operation continues when everything is gone.
 */
export async function requireNothingLeft(
  { cluster, holding }: { readonly cluster: Cluster; readonly holding: Held },
  run: Run,
): Promise<void> {
  const end = performance.now() + Math.min(PATIENCE, run.timeLeft());
  for (let pause = SECOND / 4;; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const notes: string[] = [];
    const left = await findLabelled(cluster, run, holding) ?? await findForced(cluster, run, holding, notes) ??
      await findVolume(cluster, run, notes);
    if (left === null) return await addNotes(run, notes);
    if (performance.now() + pause > end) {
      throw new ClusterError("Remaining", left.sentence, { transient: true, blame: "operator", hint: left.hint });
    }
    run.showProgress(left.sentence);
    await sleep(pause, run.signal);
  }
}

async function findLabelled(cluster: Cluster, run: Run, holding: Held): Promise<Leftover | null> {
  const whose = selectorOf(holding);
  for (const kind of KINDS_BY_LABEL) {
    const [left] = await cluster.listAll(kind, `${MANAGED_BY_LABEL}=wheelwright,${whose}`, run);
    if (left) return describe(left, STRAY);
  }
  return null;
}

function selectorOf(holding: Held): string {
  if ("sandbox" in holding) return `${SANDBOX_LABEL}=${holding.sandbox}`;
  const { federationId, spokeId } = holding;
  return spokeId === null ? `${FEDERATION_LABEL}=${federationId},!${SPOKE_LABEL}` : `${SPOKE_LABEL}=${spokeId}`;
}

/** Searches a force-deleted namespace. If someone has created the namespace again, its objects belong to them. */
async function findForced(
  cluster: Cluster,
  run: Run,
  { namespace }: Held,
  notes: string[],
): Promise<Leftover | null> {
  if (await cluster.findNamespace(namespace, run)) return null;
  const unseen: string[] = [];
  for (const kind of KINDS_IN_NAMESPACE) {
    try {
      const [left] = await cluster.listUnder(kind, namespace, run);
      if (left) return describe(left, FORCED);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (error.status === 403) unseen.push(kind.kind);
      else if (error.status !== 404) throw error; // a 404 means that the cluster does not serve this kind
    }
  }
  if (unseen.length > 0) notes.push(`Could not see whether any of these is left: ${unseen.join(", ")}: no permission`);
  return null;
}

/**
 * Returns a volume that is being deleted. A volume with another reclaim policy stays, as the cluster's operator chose.
 */
async function findVolume(cluster: Cluster, run: Run, notes: string[]): Promise<Leftover | null> {
  for (const { claim, claimUid, volume } of volumesOf(run)) {
    const found = await readVolume(cluster, run, volume, notes);
    if (found === null || found["spec"]?.claimRef?.uid !== claimUid) continue;
    if (found["spec"]?.persistentVolumeReclaimPolicy !== "Delete") {
      notes.push(`The volume ${volume} of the claim ${claim} stays: its reclaim policy is not Delete`);
      continue;
    }
    const { phase, message } = found["status"] ?? {};
    const state = phase ? `, ${phase}${message ? `: ${message}` : ""}` : "";
    const held = heldBy(found);
    return {
      sentence: `The volume ${volume} of the claim ${claim} is still there${state}${held}`,
      hint: "See to the storage driver, which deletes it; the removal goes on by itself.",
    };
  }
  return null;
}

async function readVolume(
  cluster: Cluster,
  run: Run,
  name: string,
  notes: string[],
): Promise<KubeObject | null> {
  try {
    return await cluster.find({ ...VOLUME, name }, run);
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
    notes.push(`Could not see whether the volume ${name} is gone: no permission`);
    return null;
  }
}

function describe(left: KubeObject, hint: string): Leftover {
  const { name, namespace, deletionTimestamp } = left.metadata;
  const since = deletionTimestamp ? `; it has been going since ${formatMinute(deletionTimestamp)}` : "";
  return {
    sentence: `${left.kind} ${name}${namespace ? ` in namespace ${namespace}` : ""} is still there${since}${
      heldBy(left)
    }`,
    hint: deletionTimestamp
      ? "Repair the controller that takes this finalizer away; the removal goes on by itself."
      : hint,
  };
}

function heldBy({ metadata: { deletionTimestamp, finalizers } }: KubeObject): string {
  return deletionTimestamp && finalizers?.length ? `, held by the finalizer ${finalizers.join(", ")}` : "";
}
