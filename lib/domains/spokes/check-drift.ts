/** Asks the API server what is not as it should be: by a dry run, which alone knows its own defaults. Nothing is written. */
import { asItWas, type Expected, titleOf } from "#lib/moodle/expected.ts";
import {
  type Call,
  type Cluster,
  ClusterError,
  type KubeObject,
  refOf,
  type Space,
} from "#lib/drivers/cluster/cluster.ts";
import { type Difference, diffObjects, findMismatches } from "#lib/drivers/cluster/diff.ts";
import type { DriftedObject } from "#lib/domains/spokes/drift.ts";

interface DriftTarget {
  readonly cluster: Pick<Cluster, "findNamespace">;
  readonly space: Pick<Space, "get" | "dryRun">;
}

/** Null where it is as it should be. Throws a ClusterError when the cluster cannot be asked. */
export async function checkObjectDrift(
  target: DriftTarget,
  expected: Pick<Expected, "object" | "judged">,
  call: Call,
): Promise<DriftedObject | null> {
  const { object, judged } = expected;
  const current = await find(target, object, call);
  if (!current) return { object: titleOf(object), what: "missing", fields: [] };
  if (judged === "presence") return null;
  const found = await dryRunDifferences(target, asItWas(object, current), current, call);
  if (found.length === 0) return null;
  return { object: titleOf(object), what: "changed", fields: found.map(({ path }) => path) };
}

/** What applying the manifest would change of what stands there. */
async function dryRunDifferences(
  { space }: DriftTarget,
  manifest: KubeObject,
  current: KubeObject,
  call: Call,
): Promise<Difference[]> {
  if (manifest.kind === "Namespace") return diffObjects(current, withLabels(current, manifest));
  try {
    const { objects: [after] } = await space.dryRun([manifest], call);
    return diffObjects(current, after!);
  } catch (error) {
    // What can only be put right by making it anew differs all the same, and by now nobody else can say in what.
    if (!(error instanceof ClusterError) || error.transient || error.status !== 422) throw error;
    return findMismatches(manifest, current).map((path) => ({ path, from: null, to: null }));
  }
}

/** A namespace is never applied, since that would make one that is gone: its labels are put right one by one. */
export function withLabels(current: KubeObject, manifest: KubeObject): KubeObject {
  const { labels, annotations } = manifest.metadata;
  const metadata = {
    ...current.metadata,
    labels: { ...current.metadata.labels, ...labels },
    annotations: { ...current.metadata.annotations, ...annotations },
  };
  return { ...current, metadata };
}

async function find({ cluster, space }: DriftTarget, object: KubeObject, call: Call) {
  const ref = refOf(object);
  return ref.kind === "Namespace" ? await cluster.findNamespace(ref.name, call) : await space.get(ref, call);
}
