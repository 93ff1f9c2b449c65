/** Opens a simulated cluster, a client for it, and a namespace that Wheelwright manages. */
import type { Cluster, ClusterError, ClusterNamespace, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { type ClusterOptions, openCluster } from "#lib/drivers/cluster/open.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { SILENT_LOG } from "#lib/base/log.ts";

export const UNCANCELLED_CALL = { signal: new AbortController().signal };

export interface KubeScene {
  readonly simulator: Simulator;
  readonly cluster: Cluster;
  readonly space: ClusterNamespace;
}

export const namespace = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {
    name,
    labels: { "app.kubernetes.io/managed-by": "wheelwright", "wheelwright.dev/federation": "fed_1", ...labels },
  },
});

export const withKubeScene =
  (use: (scene: KubeScene) => Promise<void>, options: Partial<ClusterOptions> = {}) => async (): Promise<void> => {
    const simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
    const kubeconfig = { text: simulator.kubeconfig() };
    const cluster = await openCluster({ name: "test", kubeconfig, log: SILENT_LOG, ...options });
    try {
      const { uid } = await cluster.createNamespace(namespace("spoke-1"), UNCANCELLED_CALL);
      await use({ simulator, cluster, space: cluster.space("spoke-1", uid) });
    } finally {
      await cluster.close();
      await simulator.close();
    }
  };

export async function failureOf(promise: Promise<unknown>): Promise<ClusterError> {
  const error = await promise.then(() => null, (error: ClusterError) => error);
  if (!error) throw new Error("it did not fail");
  return error;
}

export const configMap = (data: Record<string, unknown>, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "env", ...more },
  data,
});
export const CONFIG_MAP_REF = { apiVersion: "v1", kind: "ConfigMap", name: "env" };
