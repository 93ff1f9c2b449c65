/** Creates clients for clusters. A client's calls share a connection, a concurrency limit and a cache of API kinds. */
import { bindRoleInNamespace, isPermissionGranted } from "#lib/drivers/cluster/role-binding.ts";
import { openKubeApi } from "#lib/drivers/cluster/client/api.ts";
import type { Cluster, ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { openServerConnections } from "#lib/drivers/cluster/client/connection.ts";
import {
  createForeignNamespaceError,
  createNamespaceTerminatingError,
  findNamespace,
  hasSameOwnershipLabels,
  isNamespaceTerminating,
  openNamespaceGuard,
} from "#lib/drivers/cluster/guard.ts";
import type { KubeconfigSource } from "#lib/drivers/cluster/client/kubeconfig.ts";
import { openKindRegistry } from "#lib/drivers/cluster/client/kinds.ts";
import { buildLabelSelectorQuery, createOrGetObject, openObjectClient } from "#lib/drivers/cluster/objects.ts";
import { openClusterNamespace } from "#lib/drivers/cluster/space.ts";
import { DIAGNOSIS_TIME_LIMITS, type DiagnosisTimeLimits } from "#lib/drivers/cluster/diagnosis/diagnosis.ts";
import { watchCollection } from "#lib/drivers/cluster/client/watch.ts";
import type { Log } from "#lib/base/log.ts";
import { NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";
import { SECOND } from "#lib/base/time.ts";

export type { DiagnosisTimeLimits, KubeconfigSource };

export interface ClusterOptions {
  /** The cluster's name in the catalog and in logs. */
  readonly name: string;
  readonly kubeconfig: KubeconfigSource;
  /** The maximum number of concurrent calls. Defaults to 16. Watches and followed logs do not count. */
  readonly concurrency?: number;
  /** The maximum duration of a call, in milliseconds. Defaults to 30 seconds. */
  readonly deadline?: number;
  readonly patience?: Partial<DiagnosisTimeLimits>;
  readonly version?: string;
  /** The ClusterRole to bind in each new namespace. Null if the credentials have cluster-wide permissions. */
  readonly role?: string | null;
  readonly log: Log;
  readonly telemetry?: Telemetry;
}

/**
 * Creates a client for the cluster. Reads the credentials, but does not connect to the server yet. If the credentials
 * cannot be read, throws a ClusterError `kubeconfig` or `credentials` that names the file.
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const log = options.log.with({ cluster: options.name });
  const connections = await openServerConnections(options.kubeconfig, { log });
  const api = openKubeApi({
    connections,
    telemetry: options.telemetry ?? NO_TELEMETRY,
    concurrency: options.concurrency ?? 16,
    deadline: options.deadline ?? 30 * SECOND,
    userAgent: options.version ? `wheelwright/${options.version}` : "wheelwright",
  });
  const kinds = openKindRegistry(api);
  const objects = openObjectClient(api, kinds);
  const objectsIn = (namespace: string) => openObjectClient(api, kinds, namespace);
  const patience = { ...DIAGNOSIS_TIME_LIMITS, ...options.patience };

  return {
    name: options.name,
    createNamespace: async (manifest, call) => {
      const created = await objects.create(manifest, call);
      const namespace = created ?? await findNamespace(objects, manifest.metadata.name, call);
      const name = manifest.metadata.name;
      if (!namespace || isNamespaceTerminating(namespace)) throw createNamespaceTerminatingError(name);
      if (!created && !hasSameOwnershipLabels(namespace, manifest)) {
        throw createForeignNamespaceError(`The namespace ${name} already exists with other labels`);
      }
      if (options.role) {
        await bindRoleInNamespace({ api, objects: objectsIn(name), namespace: name }, options.role, call);
      }
      return { uid: namespace.metadata.uid! };
    },
    findNamespace: (name, call) => findNamespace(objects, name, call),
    find: objects.get,
    identity: async (call) => (await findNamespace(objects, "kube-system", call))?.metadata.uid ?? null,
    space: (namespace, uid) => {
      const guard = openNamespaceGuard(objects, namespace, uid);
      const context = { api, objects: objectsIn(namespace), all: objects, guard, namespace, uid, patience };
      return openClusterNamespace({ ...context, log: log.with({ namespace }) });
    },
    applyGlobal: async (list, call) => {
      for (const object of list) await objects.apply(object, "write", call);
    },
    createGlobal: (object, call) => createOrGetObject(objects, object, call),
    deleteGlobal: async (ref, uid, call) => void await objects.delete(ref, uid, call),
    patchGlobal: (ref, operations, call) => objects.patch(ref, operations, "write", call),
    serves: kinds.serves,
    listAll: objects.list,
    listUnder: (kind, namespace, call) => objectsIn(namespace).list(kind, "", call),
    listPage: objects.listPage,
    follow: async function* (kind, { selector, version }, call) {
      const from = {
        ...await objects.watchSince(kind, null, call),
        query: buildLabelSelectorQuery(selector),
        version,
        strict: true,
      };
      const onRetry = (error: ClusterError) =>
        log.debug("A watch was interrupted", { path: from.path, error: error.message });
      for await (const change of watchCollection(api, { ...from, onRetry }, call)) {
        if (change.type !== "LISTED") yield change;
      }
    },
    version: async (call) => {
      const { body } = await api.call({ method: "GET", path: "/version", repeat: "safe" }, call);
      return String(body.gitVersion);
    },
    allows: (access, call) => isPermissionGranted(api, access, undefined, call),
    about: async () => ({
      server: await connections.current().then(({ server }) => (server.origin + server.pathname).replace(/\/$/, "")),
      aheadMs: Math.round(api.now() - Date.now()),
    }),
    close: () => Promise.resolve(api.close()),
  };
}
