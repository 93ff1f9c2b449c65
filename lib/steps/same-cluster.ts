/**
 * Checks that a cluster is the one in which a namespace was created. If the kubeconfig now points to another cluster,
 * that cluster responds with 404 although the namespace still exists. Therefore, a namespace counts as deleted only if
 * the original cluster does not have it.
 */
import type { App } from "#lib/app.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { type JobHandler, type JobRun, wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { type NamespaceRecord, openHubSite, openSpokeSite, type Site } from "#lib/steps/site.ts";
import { Refusal } from "#lib/base/refusals.ts";

/** Stores the cluster's identity in the row of the spoke or hub. Must be called before the namespace is created. */
export async function saveClusterIdentity({ cluster, holding }: Site, run: JobRun): Promise<void> {
  const identity = await cluster.identity(run);
  const { table, id } = rowOf(holding);
  await run.write((tx) => tx.updateTable(table).set({ clusterUid: identity }).where("id", "=", id).execute());
}

/**
 * Throws the Refusal `another_cluster` if the namespace was created in another cluster. If the row has no cluster
 * identity and the namespace is in this cluster, stores its identity. Rereads the row, as the step may have changed it.
 */
export async function requireSameCluster(site: Site, run: JobRun): Promise<void> {
  const { app, cluster, holding } = site, { table, id } = rowOf(holding);
  const row = await app.db.rows.selectFrom(table).select("clusterUid").where("id", "=", id).executeTakeFirstOrThrow();
  if (row.clusterUid !== null) {
    const identity = await cluster.identity(run);
    if (identity !== row.clusterUid) throw otherCluster(cluster.name, holding);
    return;
  }
  const found = holding.uid === null ? null : await cluster.findNamespace(holding.namespace, run);
  if (found && found.metadata.uid === holding.uid) await saveClusterIdentity(site, run);
}

/** Wraps a handler: if an error says that the namespace is missing, checks that the cluster is the right one. */
export function withClusterCheck(app: App, handler: JobHandler): JobHandler {
  return wrapStepFunctions(handler, (work) => async (run) => {
    try {
      await work(run);
    } catch (error) {
      if (!run.signal.aborted && (isOfNamespace(error) || error instanceof Error && isOfNamespace(error.cause))) {
        const { spokeId, federationId } = run.job;
        const open = spokeId !== null ? openSpokeSite : federationId !== null ? openHubSite : null;
        if (open) await requireSameCluster(await open(app, run), run);
      }
      throw error;
    }
  });
}

function isOfNamespace(error: unknown): boolean {
  if (!(error instanceof ClusterError)) return false;
  return error.code === "ForeignNamespace" || isMissingNamespace(error);
}

/** Returns whether the error is a 404 for a namespace, which means that it does not exist in this cluster. */
export function isMissingNamespace(error: unknown): boolean {
  return error instanceof ClusterError && error.status === 404 && error.message.startsWith('namespaces "');
}

function rowOf(
  { federationId, spokeId }: NamespaceRecord,
): { readonly table: "spokes" | "federations"; readonly id: string } {
  return spokeId === null ? { table: "federations", id: federationId } : { table: "spokes", id: spokeId };
}

function otherCluster(name: string, { federationId, spokeId }: NamespaceRecord): Refusal {
  const [what, url] = spokeId === null ? ["hub", `federations/${federationId}`] : ["spoke", `spokes/${spokeId}`];
  const message = `The cluster ${name} is not the one in which the ${what} was created`;
  return new Refusal(
    "another_cluster",
    message,
    `Use a kubeconfig for the cluster in which the ${what} was created. ` +
      "Removals then continue automatically; request other operations again. " +
      `If that cluster is lost, an operator can restore the ${what} (wheelwright restore --new-cluster). ` +
      `Or an operator can abandon the removal: DELETE /api/${url}?abandon=true`,
  );
}
