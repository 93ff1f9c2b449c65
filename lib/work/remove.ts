/** Takes a spoke or a hub down. It goes on trying until nothing is left: what a row calls removed is gone. */
import type { App } from "#lib/app.ts";
import { OPERATION_KINDS } from "#lib/jobs/kinds.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { demandNothingLeft, type Holding, removeNamespace } from "#lib/work/namespaces.ts";
import { hubRemovalOutcomes, removalOutcomes } from "#lib/work/outcomes.ts";
import { type HubSite, openHubSite, openSpokeSite, type SpokeSite } from "#lib/work/site.ts";
import { takeLastSnapshot } from "#lib/work/snapshots.ts";

export function remove(app: App): Handler {
  return {
    kind: OPERATION_KINDS.remove,
    steps: {
      snapshot: async (run) => await takeLastSnapshot(await openSpokeSite(app, run), run),
      async namespace(run) {
        const site = await openSpokeSite(app, run);
        await removeNamespace(site.cluster, run, holdingOfSpoke(site));
      },
      async leftovers(run) {
        const site = await openSpokeSite(app, run);
        await demandNothingLeft(site.cluster, run, holdingOfSpoke(site));
      },
    },
    hooks: removalOutcomes,
  };
}

export function removeHub(app: App): Handler {
  return {
    kind: OPERATION_KINDS["remove-hub"],
    steps: {
      async namespace(run) {
        const site = await openHubSite(app, run);
        await removeNamespace(site.cluster, run, holdingOfHub(site));
      },
      async leftovers(run) {
        const site = await openHubSite(app, run);
        await demandNothingLeft(site.cluster, run, holdingOfHub(site));
      },
    },
    hooks: hubRemovalOutcomes,
  };
}

function holdingOfSpoke({ spoke }: SpokeSite): Holding {
  const { namespace, namespace_uid: uid, federation_id: federationId, id: spokeId } = spoke;
  return { namespace, uid, federationId, spokeId };
}

function holdingOfHub({ hub }: HubSite): Holding {
  return { namespace: hub.namespace, uid: hub.namespace_uid, federationId: hub.id, spokeId: null };
}
