/** Creates clients for Wheelwright's namespaces. Every call first verifies that the namespace was not replaced. */
import { collectEvidence } from "#lib/drivers/cluster/evidence.ts";
import {
  type ClusterCall,
  ClusterError,
  type ClusterNamespace,
  type KubeObject,
} from "#lib/drivers/cluster/cluster.ts";
import { followJob } from "#lib/drivers/cluster/job.ts";
import { describeTerminatingPod } from "#lib/drivers/cluster/diagnosis/display-names.ts";
import { waitUntilGone, waitUntilReady } from "#lib/drivers/cluster/ready.ts";
import { type NamespaceContext, POD_KIND } from "#lib/drivers/cluster/namespace-objects.ts";
import { createOrGetObject, type WriteMode } from "#lib/drivers/cluster/objects.ts";
import { removeNamespace } from "#lib/drivers/cluster/remove-namespace.ts";
import { waitForState } from "#lib/drivers/cluster/wait.ts";

/** The maximum number of pod names in a progress message. */
const MAX_NAMES = 5;

export function openClusterNamespace(context: NamespaceContext): ClusterNamespace {
  const { api, objects, guard, namespace, uid } = context;

  /** Returns the object with its namespace filled in. Throws if the object names a different namespace. */
  const withNamespace = (object: KubeObject): KubeObject => {
    const ownNamespace = object.metadata.namespace;
    if (ownNamespace === namespace) return object;
    if (ownNamespace === undefined) return { ...object, metadata: { ...object.metadata, namespace } };
    const message = `${object.kind} ${object.metadata.name} belongs to namespace ${ownNamespace}, not to ${namespace}`;
    throw new ClusterError("BadRequest", message, { transient: false, blame: "operator" });
  };

  const applyAll = async (list: readonly KubeObject[], mode: WriteMode, call: ClusterCall) => {
    const applied: { objects: KubeObject[]; warnings: string[] } = { objects: [], warnings: [] };
    for (const object of list.map(withNamespace)) {
      await guard.write(call);
      const { object: result, warnings } = await objects.apply(object, mode, call);
      applied.objects.push(result);
      applied.warnings.push(...warnings.map((warning) => `${object.kind} ${object.metadata.name}: ${warning}`));
    }
    return applied;
  };

  const create = async (object: KubeObject, call: ClusterCall): Promise<KubeObject> => {
    const manifest = withNamespace(object);
    await guard.write(call);
    return await createOrGetObject(objects, manifest, call);
  };

  return {
    namespace,
    uid,
    apply: (list, call) => applyAll(list, "write", call),
    dryRun: (list, call) => applyAll(list, "dry run", call),
    create,
    get: async (ref, call) => {
      await guard.read(call);
      return await objects.get(ref, call);
    },
    list: async (kind, selector, call) => {
      await guard.read(call);
      return await objects.list(kind, selector, call);
    },
    patch: async (ref, operations, call) => {
      await guard.write(call);
      return await objects.patch(ref, operations, "write", call);
    },
    dryRunPatch: async (ref, operations, call) => {
      await guard.read(call);
      return await objects.patch(ref, operations, "dry run", call);
    },
    delete: async (ref, objectUid, call) => {
      await guard.read(call);
      await objects.delete(ref, objectUid, call);
    },
    ready: (refs, waiting) => waitUntilReady(context, refs, waiting),
    gone: (refs, waiting) => waitUntilGone(context, refs, waiting),
    noPods: (selector, waiting) =>
      waitForState({
        ...context,
        what: "Waiting for pods to terminate",
        check: async (call) => {
          await guard.read(call);
          // Ignores completed pods, which Jobs keep for their logs.
          const { items, watch } = await objects.listWatchable(POD_KIND, selector, call);
          const names = items
            .filter((pod) => !["Succeeded", "Failed"].includes(pod["status"]?.phase))
            .map((pod) => describeTerminatingPod(pod, api.now()));
          if (names.length === 0) return { done: undefined };
          const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
          return { sentence: `Pods still running: ${names.slice(0, MAX_NAMES).join(", ")}${more}`, watches: [watch] };
        },
      }, waiting),
    run: async (job, waiting) => {
      const started = performance.now();
      const created = await create(job, waiting);
      const timeout = Math.max(waiting.timeout - (performance.now() - started), 1);
      return await followJob(context, created.metadata.name, { ...waiting, timeout }, created);
    },
    follow: (job, waiting) => followJob(context, job, waiting),
    evidence: async (call) => {
      await guard.read(call);
      return await collectEvidence(context, call);
    },
    remove: (waiting) => removeNamespace(context, waiting).finally(guard.forget),
  };
}
