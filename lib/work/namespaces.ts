/**
 * Takes a namespace down: exactly the one that was made, and until nothing of it is left.
 *
 * Where the row remembers no uid, its maker may have died between the creation and the row. Then a namespace of that
 * name is ours if it carries the labels; any other is left alone.
 */
import { FEDERATION, MANAGED_BY, SPOKE } from "#lib/blueprint/names.ts";
import { ClusterError } from "#lib/cluster/cluster.ts";
import { minuteOf } from "#lib/cluster/removal.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { type GuardedCluster, waiting } from "#lib/work/site.ts";

export interface Holding {
  readonly namespace: string;
  readonly uid: string | null;
  readonly federationId: string;
  /** Null for a hub's own. */
  readonly spokeId: string | null;
}

export async function removeNamespace(cluster: GuardedCluster, run: Run, holding: Holding): Promise<void> {
  const uid = holding.uid ?? await findOwn(cluster, run, holding);
  if (uid !== null) await cluster.space(holding.namespace, uid).remove(waiting(run));
}

async function findOwn(cluster: GuardedCluster, run: Run, holding: Holding): Promise<string | null> {
  const found = await cluster.findNamespace(holding.namespace, { signal: run.signal });
  const labels = found?.metadata.labels ?? {};
  const own = labels[MANAGED_BY] === "wheelwright" && labels[FEDERATION] === holding.federationId &&
    (labels[SPOKE] ?? null) === holding.spokeId;
  return found && own ? found.metadata.uid! : null;
}

/** What stands in a namespace goes with it; these are looked for, should one have come to stand elsewhere. */
const KINDS = [
  { apiVersion: "v1", kind: "Namespace" },
  { apiVersion: "v1", kind: "Pod" },
  { apiVersion: "v1", kind: "PersistentVolumeClaim" },
  { apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
] as const;

/** Throws a passing ClusterError while anything of it remains: the operation goes on when that is gone. */
export async function demandNothingLeft(cluster: GuardedCluster, run: Run, holding: Holding): Promise<void> {
  const whose = holding.spokeId === null
    ? `${FEDERATION}=${holding.federationId},!${SPOKE}`
    : `${SPOKE}=${holding.spokeId}`;
  const selector = `${MANAGED_BY}=wheelwright,${whose}`;
  for (const kind of KINDS) {
    const [left] = await cluster.listAll(kind, selector, { signal: run.signal });
    if (!left) continue;
    const where = left.metadata.namespace ? ` in namespace ${left.metadata.namespace}` : "";
    const { deletionTimestamp, finalizers } = left.metadata;
    const held = finalizers?.length ? `, held by the finalizer ${finalizers.join(", ")}` : "";
    const since = deletionTimestamp ? `; it has been going since ${minuteOf(deletionTimestamp)}` : "";
    throw new ClusterError("Remaining", `${left.kind} ${left.metadata.name}${where} is still there${since}${held}`, {
      transient: true,
      blame: "operator",
      hint: deletionTimestamp
        ? "Repair the controller that takes this finalizer away; the removal goes on by itself."
        : "It carries this spoke's or hub's label, and Wheelwright has not made it: delete it, or take the label off.",
    });
  }
}
