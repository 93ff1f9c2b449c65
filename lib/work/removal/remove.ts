/**
 * Takes a spoke or a hub down. It goes on trying until nothing is left: what a row calls removed is gone.
 *
 * The site is stopped first and the data goes last; then deleting the namespace takes everything, in whatever order. Before
 * anything is passed over or believed because the cluster does not have it, it must be the cluster that it was made in.
 */
import type { App } from "#lib/app.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { type Handler, handlerOf, type Run } from "#lib/scheduler/handler.ts";
import { tellDaily } from "#lib/work/removal/hanging.ts";
import { demandNothingLeft } from "#lib/work/removal/leftovers.ts";
import { removeNamespace } from "#lib/work/namespaces.ts";
import { hubRemovalOutcomes, removalOutcomes } from "#lib/work/outcomes.ts";
import { demandSameCluster } from "#lib/work/same-cluster.ts";
import { openHub, openSpoke, type Site, type SpokeSite } from "#lib/work/site.ts";
import { takeLastSnapshot } from "#lib/work/backups/snapshots.ts";
import { stopSite } from "#lib/work/removal/stop.ts";

/** Its failures bring no evidence along: the namespace may be gone, or was never made. */
export function remove(app: App): Handler {
  const steps = {
    async stop(site: SpokeSite, run: Run) {
      await demandSameCluster(site, run);
      await stopSite(site, run);
    },
    async snapshot(site: SpokeSite, run: Run) {
      await demandSameCluster(site, run);
      await takeLastSnapshot(site, run);
    },
    ...LAST_STEPS,
  };
  const hooks = removalOutcomes;
  return tellDaily(app, handlerOf(OPERATIONS.remove, (run: Run) => openSpoke(app, run), steps, { hooks }));
}

export function removeHub(app: App): Handler {
  const hooks = hubRemovalOutcomes;
  return tellDaily(app, handlerOf(OPERATIONS["remove-hub"], (run: Run) => openHub(app, run), LAST_STEPS, { hooks }));
}

const LAST_STEPS = {
  namespace: removeNamespace,
  async leftovers(site: Site, run: Run): Promise<void> {
    await demandNothingLeft(site, run);
    await demandSameCluster(site, run);
  },
};
