/** Reads the objects in a namespace that explain why others are not ready. */
import type { KubeApi } from "#lib/drivers/cluster/client/api.ts";
import { type ClusterCall, ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { isPvcEvent, PVC_KIND, withoutOutdatedPvcEvents } from "#lib/drivers/cluster/diagnosis/scheduling.ts";
import type { NamespaceGuard } from "#lib/drivers/cluster/guard.ts";
import type { ObjectClient } from "#lib/drivers/cluster/objects.ts";
import type { DiagnosisTimeLimits } from "#lib/drivers/cluster/diagnosis/diagnosis.ts";
import type { WatchQuery } from "#lib/drivers/cluster/client/watch.ts";
import type { Log } from "#lib/base/log.ts";

/** The clients and settings that are needed to wait for objects in one namespace. */
export interface NamespaceContext {
  readonly api: KubeApi;
  /** A client for the objects in this namespace. `all` is a client for cluster-scoped objects. */
  readonly objects: ObjectClient;
  readonly all: ObjectClient;
  readonly guard: NamespaceGuard;
  readonly namespace: string;
  readonly uid: string;
  readonly patience: DiagnosisTimeLimits;
  readonly log: Log;
}

export const POD_KIND = { apiVersion: "v1", kind: "Pod" };

const EVENT = { apiVersion: "v1", kind: "Event" };

/** The pods and events that a diagnosis needs, with watches that report changes to them. */
interface NamespaceObjects {
  readonly pods: readonly KubeObject[];
  readonly events: readonly KubeObject[];
  readonly watches: readonly WatchQuery[];
}

/** Reads the namespace's pods and events. Leaves out outdated events about PersistentVolumeClaims. */
export async function readNamespaceObjects(
  { objects }: NamespaceContext,
  call: ClusterCall,
): Promise<NamespaceObjects> {
  const [pods, events] = await Promise.all([
    objects.listWatchable(POD_KIND, "", call),
    objects.listWatchable(EVENT, "", call),
  ]);
  const observed = { pods: pods.items, events: events.items, watches: [pods.watch, events.watch] };
  if (!events.items.some(isPvcEvent)) return observed;
  // Lists the PersistentVolumeClaims after the events, so that a claim bound in between is not reported as pending.
  const claims = await objects.list({ apiVersion: "v1", kind: PVC_KIND }, "", call);
  return { ...observed, events: withoutOutdatedPvcEvents(events.items, claims) };
}

const ORDER_KINDS = [
  { apiVersion: "cert-manager.io/v1", kind: "CertificateRequest" },
  { apiVersion: "acme.cert-manager.io/v1", kind: "Order" },
  { apiVersion: "acme.cert-manager.io/v1", kind: "Challenge" },
] as const;

/**
 * Lists the objects that cert-manager creates in order to issue a certificate. Skips kinds that the cluster does not
 * serve or that Wheelwright may not list.
 */
export async function listOrders(context: NamespaceContext, call: ClusterCall): Promise<KubeObject[]> {
  const lists = ORDER_KINDS.map((kind) =>
    context.objects.list(kind, "", call).catch((error) => {
      if (error instanceof ClusterError && (error.code === "NoKind" || error.status === 403)) return [];
      throw error;
    })
  );
  return (await Promise.all(lists)).flat();
}
