/**
 * Whether a cluster is the one that a namespace was made in.
 *
 * A name of the kubeconfig says nothing of that: it may come to lead to another cluster, which answers 404 for a namespace
 * that still stands in the first one. So nothing is believed to be gone before the cluster has been recognised by its
 * identity, and nothing is passed over because it is not there.
 */
import type { App } from "#lib/app.ts";
import { type Cluster, ClusterError } from "#lib/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import type { HubSite, SpokeSite } from "#lib/work/site.ts";

/** What a spoke or a hub has in a cluster, as its row remembers it. */
export interface Holding {
  readonly namespace: string;
  /** Null until its creation was recorded. */
  readonly uid: string | null;
  readonly federationId: string;
  /** Null for a hub's own. */
  readonly spokeId: string | null;
}

export function holdingOfSpoke({ spoke }: SpokeSite): Holding {
  const { namespace, namespace_uid: uid, federation_id: federationId, id: spokeId } = spoke;
  return { namespace, uid, federationId, spokeId };
}

export function holdingOfHub({ hub }: HubSite): Holding {
  return { namespace: hub.namespace, uid: hub.namespace_uid, federationId: hub.id, spokeId: null };
}

/** Before a namespace is made: it will stand in this cluster. Not to be called any more once the row has a uid. */
export async function rememberCluster(cluster: Cluster, run: Run, holding: Holding): Promise<void> {
  const identity = await cluster.identity(run);
  const { table, id } = rowOf(holding);
  await run.write((tx) => tx.updateTable(table).set({ cluster_uid: identity }).where("id", "=", id).execute());
}

/**
 * Throws a ClusterError `another_cluster` unless it is the same one. A row of an earlier release does not know which that
 * is, and learns it as long as the namespace that was made for it is seen here.
 */
export async function demandSameCluster(app: App, cluster: Cluster, run: Run, holding: Holding): Promise<void> {
  const { table, id } = rowOf(holding);
  const row = await app.db.rows.selectFrom(table).select("cluster_uid").where("id", "=", id).executeTakeFirstOrThrow();
  if (row.cluster_uid !== null) {
    const identity = await cluster.identity(run);
    if (identity !== row.cluster_uid) throw otherCluster(cluster.name, holding);
    return;
  }
  const found = holding.uid === null ? null : await cluster.findNamespace(holding.namespace, run);
  if (found && found.metadata.uid === holding.uid) await rememberCluster(cluster, run, holding);
}

function rowOf({ federationId, spokeId }: Holding): { readonly table: "spokes" | "federations"; readonly id: string } {
  return spokeId === null ? { table: "federations", id: federationId } : { table: "spokes", id: spokeId };
}

function otherCluster(name: string, { federationId, spokeId }: Holding): ClusterError {
  const [what, url] = spokeId === null ? ["hub", `federations/${federationId}`] : ["spoke", `spokes/${spokeId}`];
  const message =
    `This is another cluster than the one that the ${what} was made in, though it goes by the name ${name}`;
  return new ClusterError("another_cluster", message, {
    transient: false,
    blame: "operator",
    hint:
      `Let the kubeconfig lead to the cluster that the ${what} was made in, and the removal goes on by itself; if ` +
      `that one is gone for good, an operator gives the ${what} up: DELETE /api/${url}?abandon=true`,
  });
}
