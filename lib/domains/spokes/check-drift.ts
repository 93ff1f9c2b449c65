/** Compares a Kubernetes object with its manifest through a dry run. Writes nothing. */
import { copyObservedRevision, type ExpectedObject, formatObjectTitle } from "#lib/moodle/expected-objects.ts";
import {
  type Cluster,
  type ClusterCall,
  ClusterError,
  type ClusterNamespace,
  type KubeObject,
  toObjectRef,
} from "#lib/drivers/cluster/cluster.ts";
import { diffObjects, type FieldDifference, findManifestMismatches } from "#lib/drivers/cluster/diff.ts";
import type { DriftedObject } from "#lib/domains/spokes/drift.ts";

interface DriftTarget {
  readonly cluster: Pick<Cluster, "findNamespace">;
  readonly space: Pick<ClusterNamespace, "get" | "dryRun">;
}

/** Returns an object's drift (differences from its manifest), or null. Throws a ClusterError if the check fails. */
export async function checkObjectDrift(
  target: DriftTarget,
  expected: Pick<ExpectedObject, "object" | "comparison">,
  call: ClusterCall,
): Promise<DriftedObject | null> {
  const { object, comparison } = expected;
  const current = await find(target, object, call);
  if (!current) return { object: formatObjectTitle(object), what: "missing", fields: [] };
  if (comparison === "presence") return null;
  const found = await dryRunDifferences(target, copyObservedRevision(object, current), current, call);
  if (found.length === 0) return null;
  return { object: formatObjectTitle(object), what: "changed", fields: found.map(({ path }) => path) };
}

/** Returns the fields of an object that applying the manifest would change. */
async function dryRunDifferences(
  { space }: DriftTarget,
  manifest: KubeObject,
  current: KubeObject,
  call: ClusterCall,
): Promise<FieldDifference[]> {
  if (manifest.kind === "Namespace") return diffObjects(current, withManifestLabels(current, manifest));
  try {
    const { objects: [after] } = await space.dryRun([manifest], call);
    return diffObjects(current, after!);
  } catch (error) {
    // If the object would have to be recreated (422), compares it with the manifest directly.
    if (!(error instanceof ClusterError) || error.transient || error.status !== 422) throw error;
    return findManifestMismatches(manifest, current).map((path) => ({ path, from: null, to: null }));
  }
}

/**
 * Returns the object with the manifest's labels and annotations. Used instead of a dry run for namespaces, because
 * applying a manifest could recreate a deleted namespace.
 */
export function withManifestLabels(current: KubeObject, manifest: KubeObject): KubeObject {
  const { labels, annotations } = manifest.metadata;
  const metadata = {
    ...current.metadata,
    labels: { ...current.metadata.labels, ...labels },
    annotations: { ...current.metadata.annotations, ...annotations },
  };
  return { ...current, metadata };
}

async function find({ cluster, space }: DriftTarget, object: KubeObject, call: ClusterCall) {
  const ref = toObjectRef(object);
  return ref.kind === "Namespace" ? await cluster.findNamespace(ref.name, call) : await space.get(ref, call);
}
