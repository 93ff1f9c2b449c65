/** Previews changes to Kubernetes objects through dry runs. Writes nothing. */
import type { App } from "#lib/app.ts";
import { adaptManifestToExistingObject } from "#lib/moodle/expected-objects.ts";
import { type Cluster, ClusterError, type ClusterNamespace, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { diffObjects } from "#lib/drivers/cluster/diff.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { redactClusterMessage } from "#lib/domains/spokes/cluster-message.ts";
import type { ObjectChange, ObjectPatch, ObjectPut, PvcGrowth } from "#lib/operations/change.ts";
import { withManifestLabels } from "#lib/domains/spokes/check-drift.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { ActionPreview } from "#lib/domains/spokes/views.ts";

/** HTTP status codes for changes that the cluster refuses. The preview lists these refusals instead of failing. */
const REFUSAL_STATUSES: readonly number[] = [400, 403, 404, 409, 422];

const STORAGE_CLASS = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };

interface PreviewResult {
  readonly changes: ActionPreview["changes"];
  /** A message for each change that the cluster would refuse. */
  readonly refusals: readonly string[];
}

type PreviewTarget = Pick<Cluster, "find"> & { readonly space: ClusterNamespace };

/** Previews changes to a spoke's objects. Throws an `unavailable` fault if the cluster does not respond. */
export async function dryRunChanges(
  app: App,
  actor: Pick<Actor, "role">,
  spoke: SpokeRow,
  plannedChanges: readonly ObjectChange[],
  signal: AbortSignal,
): Promise<PreviewResult> {
  if (plannedChanges.length === 0 || spoke.namespaceUid === null) return { changes: [], refusals: [] };
  try {
    const cluster = await app.clusters.open(spoke.cluster);
    const target = { find: cluster.find, space: cluster.space(spoke.namespace, spoke.namespaceUid) };
    const results = await Promise.all(plannedChanges.map((change) => previewChange(target, actor, change, signal)));
    return {
      changes: results.flatMap(({ changes }) => changes),
      refusals: results.flatMap(({ refusals }) => refusals),
    };
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    app.log.info("The cluster could not preview a change to a spoke", { spoke: spoke.id, reason: error.message });
    const message = `Cannot preview the change in the cluster: ${redactClusterMessage(actor, error)}`;
    throw new Fault("unavailable", "cluster_unavailable", message, { cause: error });
  }
}

async function previewChange(
  target: PreviewTarget,
  actor: Pick<Actor, "role">,
  change: ObjectChange,
  signal: AbortSignal,
): Promise<PreviewResult> {
  const { ref } = change, object = `${ref.kind}/${ref.name}`;
  const before = await target.space.get(ref, { signal }); // also checks that Wheelwright's namespace exists
  if ("remove" in change) {
    const found = before ? diffObjects(null, before) : [];
    return { changes: found.map(({ to }) => ({ object, field: "", from: to, to: null })), refusals: [] };
  }
  if ("missingReason" in change && !(before && "put" in change)) {
    return { changes: [], refusals: [`${object}: ${change.missingReason}`] };
  }
  // Reports that the object is missing. Only a change with `put` could create it.
  if (!before && !("put" in change)) {
    return { changes: [], refusals: [`${object}: This object no longer exists in the cluster`] };
  }
  try {
    const after = await predictObject(target, before, change, signal);
    const found = after ? diffObjects(before, after) : [];
    return { changes: found.map(({ path, from, to }) => ({ object, field: path, from, to })), refusals: [] };
  } catch (error) {
    if (!(error instanceof ClusterError) || error.transient) throw error;
    if (error.status !== 0 && !REFUSAL_STATUSES.includes(error.status)) throw error;
    const reason = redactClusterMessage(actor, error);
    return { changes: [], refusals: [`The cluster would refuse to change ${object}: ${reason}`] };
  }
}

/** Returns the predicted object after the change, or null if nothing would change. */
async function predictObject(
  { space, find }: PreviewTarget,
  before: KubeObject | null,
  change: ObjectPatch | ObjectPut | PvcGrowth,
  signal: AbortSignal,
): Promise<KubeObject | null> {
  if ("patch" in change) return await space.dryRunPatch(change.ref, change.patch(before!), { signal });
  if ("put" in change) {
    if (before && change.comparison === "presence") return null;
    if (change.skipDryRun) {
      return before ? { ...withManifestLabels(before, change.put), spec: change.put["spec"] } : change.put;
    }
    const [object] =
      (await space.dryRun([before ? adaptManifestToExistingObject(change.put, before) : change.put], { signal }))
        .objects;
    return object!;
  }
  const spec = before?.["spec"], { requests } = spec?.resources ?? {};
  if (!(parseQuantity(String(requests?.storage)) < parseQuantity(change.grow))) return null;
  const name = String(spec.storageClassName ?? "");
  const found = name === "" ? null : await find({ ...STORAGE_CLASS, name }, { signal });
  if (found?.["allowVolumeExpansion"] === true) {
    const resources = { ...spec.resources, requests: { ...requests, storage: change.grow } };
    return { ...before!, spec: { ...spec, resources } };
  }
  const message = `it cannot grow to ${change.grow}: its storage class does not allow volume expansion`;
  throw new ClusterError("Forbidden", message, { transient: false, status: 403 });
}
