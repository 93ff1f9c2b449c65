/**
 * Takes a namespace down: exactly the one that was made, in the cluster that it was made in.
 *
 * Where the row remembers no uid, its maker may have died between the creation and the row. Then a namespace of that
 * name is ours if it carries the labels; any other is left alone.
 */
import type { App } from "#lib/app.ts";
import { FEDERATION, MANAGED_BY, SPOKE } from "#lib/drivers/cluster/guard.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { rememberVolumes } from "#lib/work/removal/leftovers.ts";
import { demandSameCluster, type Holding } from "#lib/work/same-cluster.ts";
import type { Cluster } from "#lib/drivers/cluster/cluster.ts";
import { waiting } from "#lib/work/site.ts";

export async function removeNamespace(app: App, cluster: Cluster, run: Run, holding: Holding): Promise<void> {
  await demandSameCluster(app, cluster, run, holding);
  const uid = holding.uid ?? await findOwn(cluster, run, holding);
  if (uid !== null) {
    await rememberVolumes(cluster, run, holding.namespace);
    await cluster.space(holding.namespace, uid).remove(waiting(run));
  }
  // That it is gone may have been said by another cluster: the wait can be long, and a kubeconfig changes in between.
  await demandSameCluster(app, cluster, run, holding);
}

async function findOwn(cluster: Cluster, run: Run, holding: Holding): Promise<string | null> {
  const found = await cluster.findNamespace(holding.namespace, run);
  const labels = found?.metadata.labels ?? {};
  const own = labels[MANAGED_BY] === "wheelwright" && labels[FEDERATION] === holding.federationId &&
    (labels[SPOKE] ?? null) === holding.spokeId;
  return found && own ? found.metadata.uid! : null;
}
