/** Creates and reads snapshots in the simulated cluster. */
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulator } from "#lib/dev/simulator/open.ts";
import { postObject } from "#test/support/fake-spokes.ts";
import { until } from "#test/support/until.ts";

export const API = "/apis/snapshot.storage.k8s.io/v1";
let count = 0;

/** Creates a namespace with a bound PVC, and returns its name. */
export async function room(kube: Simulator): Promise<string> {
  const name = `room-${++count}`;
  await postObject(kube.url, "/api/v1/namespaces", { metadata: { name } });
  await postObject(kube.url, `/api/v1/namespaces/${name}/persistentvolumeclaims`, {
    metadata: { name: "files", annotations: { "volume.kubernetes.io/selected-node": "127.0.0.1" } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "3Gi" } } },
  });
  await until(() =>
    kube.objects("PersistentVolumeClaim").some(({ metadata, status }) =>
      metadata.namespace === name && status?.phase === "Bound"
    )
  );
  return name;
}

export async function cut(kube: Simulator, namespace: string, name: string, className: string): Promise<void> {
  await postObject(kube.url, `${API}/namespaces/${namespace}/volumesnapshots`, {
    metadata: { name },
    spec: { volumeSnapshotClassName: className, source: { persistentVolumeClaimName: "files" } },
  });
}

export function snapshot(kube: Simulator, namespace: string, name: string): StoredObject | undefined {
  return kube.objects("VolumeSnapshot").find(({ metadata }) =>
    metadata.namespace === namespace && metadata.name === name
  );
}

export function content(kube: Simulator, namespace: string, name: string): StoredObject | undefined {
  return kube.objects("VolumeSnapshotContent").find(({ spec: { volumeSnapshotRef: of } }) =>
    of.namespace === namespace && of.name === name
  );
}

export async function ready(kube: Simulator, namespace: string, name: string): Promise<StoredObject> {
  return await until(() => {
    const found = snapshot(kube, namespace, name);
    return found?.status?.readyToUse && found;
  });
}

export async function ask(kube: Simulator, method: string, path: string, body?: unknown): Promise<number> {
  const type = method === "PATCH" ? "application/json-patch+json" : "application/json";
  const init = { method, headers: { "content-type": type }, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return (await fetch(kube.url + path, init)).status;
}

export const one = (namespace: string, name: string) => `${API}/namespaces/${namespace}/volumesnapshots/${name}`;
