/** Reads and patches the `scale` subresource, which contains the desired and the current number of replicas. */
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";
import { replaceObject, type WriteOptions } from "#lib/dev/simulator/admission/writes.ts";

export function readScale(object: StoredObject): Json {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const labels = Object.entries(object.spec.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const replicas = object.spec.replicas;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas ? { replicas } : {},
    status: { replicas: object.status?.replicas ?? 0, selector: labels.join(",") },
  };
}

export function patchScale(world: SimulatorContext, live: StoredObject, scale: Json, options: WriteOptions): Json {
  const spec = { ...live.spec, replicas: scale.spec?.replicas ?? 0 };
  const metadata = {
    ...live.metadata,
    resourceVersion: scale.metadata?.resourceVersion ?? live.metadata.resourceVersion,
  };
  return readScale(replaceObject(world, live, { ...live, metadata, spec }, { ...options, subresource: "scale" }));
}
