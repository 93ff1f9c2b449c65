/**
 * Takes a spoke or a hub down. It goes on trying until nothing is left: what a row calls removed is gone.
 *
 * The site is stopped first and the data goes last; then deleting the namespace takes everything, in whatever order. Before
 * anything is passed over or believed because the cluster does not have it, it must be the cluster that it was made in.
 */
import type { App } from "#lib/app.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { type Handler, handlerOf, type Run, type Steps } from "#lib/scheduler/handler.ts";
import { tellDaily } from "#lib/work/removal/hanging.ts";
import { demandNothingLeft } from "#lib/work/removal/leftovers.ts";
import { removeNamespace } from "#lib/work/namespaces.ts";
import { hubRemovalOutcomes, removalOutcomes } from "#lib/work/outcomes.ts";
import { demandSameCluster, type Holding, holdingOfHub, holdingOfSpoke } from "#lib/work/same-cluster.ts";
import type { Cluster } from "#lib/drivers/cluster/cluster.ts";
import { openHubSite, openSpokeSite, type SpokeSite } from "#lib/work/site.ts";
import { takeLastSnapshot } from "#lib/work/backups/snapshots.ts";
import { stopSite } from "#lib/work/removal/stop.ts";

export function remove(app: App): Handler {
  const open = async (run: Run) => {
    const site = await openSpokeSite(app, run);
    return { cluster: site.cluster, holding: holdingOfSpoke(site) };
  };
  const steps = {
    stop: onSite(app, "stop", stopSite),
    snapshot: onSite(app, "snapshot", takeLastSnapshot),
    ...lastSteps(app, open),
  };
  return handlerOf(OPERATIONS.remove, steps, { hooks: removalOutcomes });
}

export function removeHub(app: App): Handler {
  const open = async (run: Run) => {
    const site = await openHubSite(app, run);
    return { cluster: site.cluster, holding: holdingOfHub(site) };
  };
  return handlerOf(OPERATIONS["remove-hub"], lastSteps(app, open), { hooks: hubRemovalOutcomes });
}

type Work = (run: Run) => Promise<void>;

function onSite(app: App, step: string, work: (site: SpokeSite, run: Run) => Promise<void>): Work {
  return tellDaily(app, step, async (run) => {
    const site = await openSpokeSite(app, run);
    await demandSameCluster(app, site.cluster, run, holdingOfSpoke(site));
    await work(site, run);
  });
}

function lastSteps(
  app: App,
  open: (run: Run) => Promise<{ readonly cluster: Cluster; readonly holding: Holding }>,
): Steps<"namespace" | "leftovers"> {
  return {
    namespace: tellDaily(app, "namespace", async (run) => {
      const { cluster, holding } = await open(run);
      await removeNamespace(app, cluster, run, holding);
    }),
    leftovers: tellDaily(app, "leftovers", async (run) => {
      const { cluster, holding } = await open(run);
      await demandNothingLeft(cluster, run, holding);
      await demandSameCluster(app, cluster, run, holding);
    }),
  };
}
