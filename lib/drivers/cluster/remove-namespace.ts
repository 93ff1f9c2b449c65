/**
 * Deletes a namespace without force, waits until it is gone, and reports what delays the deletion. The namespace's
 * conditions only count the remaining objects of each kind, so the names of these objects are looked up.
 */
import { findStatusCondition } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { ClusterCall, ClusterWaitOptions, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findNamespace, isNamespaceTerminating, requireOwnNamespace } from "#lib/drivers/cluster/guard.ts";
import { buildApiGroupPath, buildApiPath } from "#lib/drivers/cluster/client/kinds.ts";
import { isTrueCondition } from "#lib/drivers/cluster/diagnosis/readiness.ts";
import { describeTerminatingPod, formatKubeTimestamp } from "#lib/drivers/cluster/diagnosis/display-names.ts";
import { type NamespaceContext, POD_KIND } from "#lib/drivers/cluster/namespace-objects.ts";
import { type WaitCheckResult, waitForState } from "#lib/drivers/cluster/wait.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";

const NAMESPACE = { apiVersion: "v1", kind: "Namespace" };
/** The maximum number of object names per kind in a progress message. */
const MAX_NAMES = 5;
/** The time between checks of the namespace, in milliseconds. Some accounts may not watch it, so it is polled. */
const POLL_INTERVAL = 2 * SECOND;

export async function removeNamespace(context: NamespaceContext, waiting: ClusterWaitOptions): Promise<void> {
  const { all, namespace: name, uid } = context;
  const check = async (call: ClusterCall): Promise<WaitCheckResult<true>> => {
    const found = await findNamespace(all, name, call);
    if (!found || found.metadata.uid !== uid) return { done: true };
    if (!isNamespaceTerminating(found)) {
      requireOwnNamespace(found, uid);
      const deleted = await all.delete({ ...NAMESPACE, name }, uid, call);
      return deleted ? { sentence: `Namespace ${name} is being deleted`, again: SECOND } : { done: true };
    }
    const watch = {
      ...await all.watchSince(NAMESPACE, found, call),
      query: { fieldSelector: `metadata.name=${name}` },
    };
    return { sentence: await describeRemoval(context, found, call), again: POLL_INTERVAL, watches: [watch] };
  };
  await waitForState({ ...context, what: `Removing namespace ${name}`, check }, waiting);
}

/** Returns a progress message that says when the deletion of the namespace began and what delays it. */
async function describeRemoval(
  context: NamespaceContext,
  namespace: KubeObject,
  call: ClusterCall,
): Promise<string> {
  const { name, deletionTimestamp } = namespace.metadata;
  const since = deletionTimestamp ? `, terminating since ${formatKubeTimestamp(deletionTimestamp)},` : "";
  const blocking = ["NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure"]
    .map((type) => findStatusCondition(namespace, type)).find(isTrueCondition);
  if (blocking) {
    return `Namespace ${name}${since} cannot be emptied because the cluster cannot list all kinds: ${blocking.message}`;
  }
  const failing = findStatusCondition(namespace, "NamespaceDeletionContentFailure");
  if (isTrueCondition(failing)) return `Namespace ${name}${since} cannot be emptied: ${failing!.message}`;

  const content = findStatusCondition(namespace, "NamespaceContentRemaining");
  const finalizers = findStatusCondition(namespace, "NamespaceFinalizersRemaining");
  const left = isTrueCondition(content) ? await nameRemaining(context, content!.message ?? "", call) : [];
  const held = isTrueCondition(finalizers) ? namesOfFinalizers(finalizers!.message ?? "") : [];
  if (left.length === 0 && held.length === 0) {
    return await describePods(context, since, call) ?? `Namespace ${name} is being deleted`;
  }
  const what = `${since}${left.length ? ` waits for ${left.join(", ")} to be deleted` : " is being deleted"}`;
  const why = held.length ? `; held by the finalizer ${held.join(", ")}` : "";
  return `Namespace ${name}${what}${why}`;
}

/**
 * Describes the remaining pods, because the namespace's conditions have no details until all pods are deleted. Returns
 * null if no pods remain or if they cannot be listed.
 */
async function describePods(
  context: NamespaceContext,
  since: string,
  call: ClusterCall,
): Promise<string | null> {
  try {
    const { items: pods, next } = await context.objects.listPage(POD_KIND, { selector: "", limit: MAX_NAMES }, call);
    if (pods.length === 0) return null;
    const names = pods.map((pod) => describeTerminatingPod(pod, context.api.now()));
    const held = [...new Set(pods.flatMap(({ metadata }) => metadata.finalizers ?? []))];
    const why = held.length ? `; held by the finalizer ${held.join(", ")}` : "";
    const more = next === null ? "" : " and others";
    return `Namespace ${context.namespace}${since} waits for pods ${names.join(", ")}${more} to terminate${why}`;
  } catch (error) {
    call.signal.throwIfAborted();
    context.log.debug("Cannot list the pods of a namespace that is being deleted", { error: getErrorMessage(error) });
    return null;
  }
}

/** Returns the names of objects that a condition's message only counts, as in `pods. has 2 resource instances`. */
function nameRemaining(context: NamespaceContext, message: string, call: ClusterCall): Promise<string[]> {
  const kinds = [...message.matchAll(/([a-z0-9]+)\.([a-z0-9.-]*) has (\d+) resource instances/g)];
  return Promise.all(kinds.map(async ([, plural, group, count]) => {
    try {
      const version = group ? await preferredVersion(context, group, call) : "v1";
      const path = buildApiPath(version, plural!, context.namespace);
      const query = { limit: String(MAX_NAMES) };
      const { body } = await context.api.call({ method: "GET", path, query, repeat: "safe" }, call);
      const names = ((body.items ?? []) as KubeObject[]).map((item) => item.metadata.name);
      if (names.length === 0) return `${plural} (${count})`;
      const more = Number(count) > names.length ? ` and ${Number(count) - names.length} more` : "";
      return `${plural} ${names.join(", ")}${more}`;
    } catch (error) {
      call.signal.throwIfAborted();
      context.log.debug("Cannot list the remaining objects of a namespace", { plural, error: getErrorMessage(error) });
      return `${plural} (${count})`;
    }
  }));
}

async function preferredVersion(context: NamespaceContext, group: string, call: ClusterCall): Promise<string> {
  // The slash makes `buildApiGroupPath` return `/apis/<group>` instead of `/api/<group>`, and is then removed.
  const path = buildApiGroupPath(`${group}/`).replace(/\/$/, "");
  const { body } = await context.api.call({ method: "GET", path, repeat: "safe" }, call);
  return body.preferredVersion.groupVersion;
}

/**
 * Extracts the finalizers' names from a message such as `Some content in the namespace has finalizers remaining:
 * kubernetes.io/pvc-protection in 2 resource instances`.
 */
function namesOfFinalizers(message: string): string[] {
  const list = message.split("finalizers remaining:")[1] ?? message;
  return list.split(",").map((part) => part.trim().replace(/ in (\d+) resource instances?$/, "")).filter((part) =>
    part
  );
}
