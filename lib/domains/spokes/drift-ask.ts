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
import { type Difference, differences, unlike } from "#lib/drivers/cluster/difference.ts";
import type { DriftedObject } from "#lib/domains/spokes/drift.ts";

interface Place {
  readonly cluster: Pick<Cluster, "findNamespace">;
  readonly space: Pick<Space, "get" | "dryRun">;
}

/** Null where it is as it should be. Throws a ClusterError when the cluster cannot be asked. */
export async function askDrift(
  place: Place,
  expected: Pick<Expected, "object" | "judged">,
  call: Call,
): Promise<DriftedObject | null> {
  const { object, judged } = expected;
  const standing = await find(place, object, call);
  if (!standing) return { object: titleOf(object), what: "missing", fields: [] };
  if (judged === "presence") return null;
  const found = await askDifferences(place, asItWas(object, standing), standing, call);
  if (found.length === 0) return null;
  return { object: titleOf(object), what: "changed", fields: found.map(({ path }) => path) };
}

/** What applying the manifest would change of what stands there. */
async function askDifferences(
  { space }: Place,
  manifest: KubeObject,
  standing: KubeObject,
  call: Call,
): Promise<Difference[]> {
  if (manifest.kind === "Namespace") return differences(standing, relabelled(standing, manifest));
  try {
    const { objects: [after] } = await space.dryRun([manifest], call);
    return differences(standing, after!);
  } catch (error) {
    // What can only be put right by making it anew differs all the same, and by now nobody else can say in what.
    if (!(error instanceof ClusterError) || error.transient || error.status !== 422) throw error;
    return unlike(manifest, standing).map((path) => ({ path, from: null, to: null }));
  }
}

/** A namespace is never applied, since that would make one that is gone: its labels are put right one by one. */
export function relabelled(standing: KubeObject, manifest: KubeObject): KubeObject {
  const { labels, annotations } = manifest.metadata;
  const metadata = {
    ...standing.metadata,
    labels: { ...standing.metadata.labels, ...labels },
    annotations: { ...standing.metadata.annotations, ...annotations },
  };
  return { ...standing, metadata };
}

async function find({ cluster, space }: Place, object: KubeObject, call: Call) {
  const ref = refOf(object);
  return ref.kind === "Namespace" ? await cluster.findNamespace(ref.name, call) : await space.get(ref, call);
}
