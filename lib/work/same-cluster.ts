/**
 * Whether a cluster is the one that a namespace was made in.
 *
 * A name of the kubeconfig says nothing of that: it may come to lead to another cluster, which answers 404 for a namespace
 * that still stands in the first one. So nothing is believed to be gone before the cluster has been recognised by its
 * identity, and nothing is passed over because it is not there.
 */
import type { App } from "#lib/app.ts";
import { type Cluster, ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { type HubSite, openHubSite, openSpokeSite, type SpokeSite } from "#lib/work/site.ts";

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

/** The same handler, whose steps do not take a namespace for gone that is only looked for in another cluster. */
export function knowingItsCluster(app: App, handler: Handler): Handler {
  const steps = Object.entries(handler.steps).map(([name, step]) => [name, async (run: Run) => {
    try {
      await step(run);
    } catch (error) {
      if (!run.signal.aborted && (isOfNamespace(error) || error instanceof Error && isOfNamespace(error.cause))) {
        await demandHome(app, run);
      }
      throw error;
    }
  }]);
  return { ...handler, steps: Object.fromEntries(steps) };
}

function isOfNamespace(error: unknown): boolean {
  if (!(error instanceof ClusterError)) return false;
  return error.code === "stranger" || error.status === 404 && error.message.startsWith('namespaces "');
}

async function demandHome(app: App, run: Run): Promise<void> {
  const { spokeId, federationId } = run.job;
  if (spokeId !== null) {
    const site = await openSpokeSite(app, run);
    await demandSameCluster(app, site.cluster, run, holdingOfSpoke(site));
  } else if (federationId !== null) {
    const site = await openHubSite(app, run);
    await demandSameCluster(app, site.cluster, run, holdingOfHub(site));
  }
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
      `Let the kubeconfig lead to the cluster that the ${what} was made in: a removal goes on by itself, all else can ` +
      `be asked again; if that one is gone for good, remove the ${what}, and an operator gives it up: ` +
      `DELETE /api/${url}?abandon=true`,
  });
}
