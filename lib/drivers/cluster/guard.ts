/** Verifies before each call that a namespace is still the one that Wheelwright created. */
import { type ClusterCall, ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { ObjectClient } from "#lib/drivers/cluster/objects.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

export const MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";
/** Labels with the IDs of the hub (a group of Moodle sites) and the spoke (one site) that an object belongs to. */
export const FEDERATION_LABEL = "wheelwright.dev/federation";
export const SPOKE_LABEL = "wheelwright.dev/spoke";
/** Labels with the ID of a sandbox (a namespace for restore tests) and of the spoke that it was created from. */
export const SANDBOX_LABEL = "wheelwright.dev/sandbox";
export const CREATED_FROM_LABEL = "wheelwright.dev/made-after";
const OURS = "wheelwright";

export interface NamespaceGuard {
  /** Checks the namespace before a write. Throws if it is being deleted or was not created by Wheelwright. */
  write(call: ClusterCall): Promise<void>;
  /** Checks the namespace before a read. Unlike `write`, does not throw if the namespace is being deleted. */
  read(call: ClusterCall): Promise<void>;
  forget(): void;
}

/** How long a check of the namespace stays valid, in milliseconds. */
const CHECK_TTL = SECOND;

interface NamespaceCheck {
  readonly at: number;
  readonly terminating: boolean;
}

/** Returns a guard that checks a namespace. `objects` must be a client for cluster-scoped objects. */
export function openNamespaceGuard(objects: ObjectClient, namespace: string, uid: string): NamespaceGuard {
  let lastCheck: NamespaceCheck | undefined, pending: Promise<NamespaceCheck> | undefined;

  async function readNamespace(call: ClusterCall): Promise<NamespaceCheck> {
    const at = performance.now(), found = await findNamespace(objects, namespace, call);
    if (!found) throw missingError(namespace);
    requireOwnNamespace(found, uid);
    return { at, terminating: isNamespaceTerminating(found) };
  }

  /** Checks the namespace with one request for all concurrent callers. If this fails, each caller sends its own. */
  async function check(call: ClusterCall): Promise<NamespaceCheck> {
    if (lastCheck && performance.now() - lastCheck.at < CHECK_TTL) return lastCheck;
    const other = pending;
    const shared = other &&
      await runCancellable([call.signal], null, () => other).catch(() => call.signal.throwIfAborted());
    if (shared) return shared;
    const own = pending = readNamespace(call);
    try {
      const answer = await own;
      if (pending === own) lastCheck = answer;
      return answer;
    } finally {
      if (pending === own) pending = undefined;
    }
  }

  return {
    read: async (call) => void await check(call),
    forget: () => lastCheck = pending = undefined,
    write: async (call) => {
      if ((await check(call)).terminating) throw createNamespaceTerminatingError(namespace);
    },
  };
}

export function findNamespace(
  objects: ObjectClient,
  name: string,
  call: ClusterCall,
): Promise<KubeObject | null> {
  return objects.get({ apiVersion: "v1", kind: "Namespace", name }, call);
}

/** Throws unless the namespace has this UID and the label that marks Wheelwright's namespaces. */
export function requireOwnNamespace(namespace: KubeObject, uid: string): void {
  const { name, labels } = namespace.metadata;
  if (namespace.metadata.uid !== uid) {
    throw createForeignNamespaceError(
      `The namespace ${name} was replaced after Wheelwright created it: its UID is now ${namespace.metadata.uid}`,
    );
  }
  if (labels?.[MANAGED_BY_LABEL] !== OURS) {
    throw createForeignNamespaceError(`The namespace ${name} does not have the label ${MANAGED_BY_LABEL}=${OURS}`);
  }
}

/** Whether the namespace has the same ownership labels as the manifest. Extra labels count as a difference. */
export function hasSameOwnershipLabels(namespace: KubeObject, manifest: KubeObject): boolean {
  return namespace.metadata.labels?.[MANAGED_BY_LABEL] === OURS &&
    [MANAGED_BY_LABEL, FEDERATION_LABEL, SPOKE_LABEL, SANDBOX_LABEL].every((label) =>
      namespace.metadata.labels?.[label] === manifest.metadata.labels?.[label]
    );
}

export function isNamespaceTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined || object["status"]?.phase === "Terminating";
}

export function createForeignNamespaceError(message: string): ClusterError {
  return new ClusterError("ForeignNamespace", message, {
    transient: false,
    blame: "operator",
    hint: "Somebody replaced or relabelled this namespace, so Wheelwright will not change it.",
  });
}

export function createNamespaceTerminatingError(namespace: string): ClusterError {
  return new ClusterError("Terminating", `The namespace ${namespace} is being deleted`, { transient: false });
}

function missingError(namespace: string): ClusterError {
  return new ClusterError("NotFound", `namespaces "${namespace}" not found`, { transient: false, status: 404 });
}
