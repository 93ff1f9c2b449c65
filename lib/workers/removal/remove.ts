/**
 * Removes a spoke or hub, and retries until no Kubernetes object remains. Before a spoke is removed, its site is
 * stopped and a last backup is taken. A missing namespace counts as deleted only if the cluster is the one in which it
 * was created.
 */
import type { App } from "#lib/app.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { createJobHandler, type JobHandler, type JobRun } from "#lib/scheduler/handler.ts";
import { recordVolumes, waitForObjectDeletion } from "#lib/steps/remaining-objects.ts";
import { hubRemovalOutcomes, removalOutcomes } from "#lib/steps/outcomes.ts";
import { requireSameCluster } from "#lib/steps/same-cluster.ts";
import { buildClusterWaitOptions, openHubSite, openSpokeSite, type Site, type SpokeSite } from "#lib/steps/site.ts";
import { takeLastSnapshot } from "#lib/workers/backups/last-snapshot.ts";
import { stopSite } from "#lib/steps/stop.ts";
import { FEDERATION_LABEL, MANAGED_BY_LABEL, SPOKE_LABEL } from "#lib/drivers/cluster/guard.ts";
import { getAdoptionId } from "#lib/moodle/names.ts";
import { deleteLibrarySources } from "#lib/recovery/volumes/library-claims.ts";
import { deleteSourceSnapshotContents } from "#lib/recovery/volumes/pvcs.ts";
import { listVolumeSuffixes } from "#lib/domains/backups/retained-pvcs.ts";
import { type RemovalRun, withDailyReport } from "#lib/workers/removal/daily-report.ts";

/** Creates the handler that removes a spoke. Its failure reports contain no logs, because the namespace may be gone. */
export function removeSpokeHandler(app: App): JobHandler {
  const handler = createJobHandler(OPERATIONS.remove.kind, (run: JobRun) => openSpokeSite(app, run), {
    async stop(site, run) {
      await requireSameCluster(site, run);
      await stopSite(site, run);
    },
    async snapshot(site, run) {
      await requireSameCluster(site, run);
      await takeLastSnapshot(site, run);
    },
    namespace: removeNamespace,
    async confirm(site, run) {
      await deleteUnusedContents(site, run);
      await confirmRemoval(site, run);
    },
  }, { hooks: removalOutcomes });
  return withDailyReport(app, handler);
}

export function removeHubHandler(app: App): JobHandler {
  const handler = createJobHandler(OPERATIONS["remove-hub"].kind, (run: JobRun) => openHubSite(app, run), {
    namespace: removeNamespace,
    async confirm(site, run) {
      const restores = await app.db.rows.selectFrom("jobs").select("id").where("federationId", "=", site.hub.id)
        .where("kind", "=", "restore-library").execute();
      await deleteLibrarySources(site, run, restores.map(({ id }) => getAdoptionId(id)));
      await confirmRemoval(site, run);
    },
  }, { hooks: hubRemovalOutcomes });
  return withDailyReport(app, handler);
}

async function confirmRemoval(site: Site, run: RemovalRun): Promise<void> {
  await waitForObjectDeletion(site, run);
  await requireSameCluster(site, run);
}

/** Deletes VolumeSnapshotContents that were meant for new volumes. They would remain after the namespace is deleted. */
async function deleteUnusedContents({ app, cluster, spoke }: SpokeSite, run: JobRun): Promise<void> {
  const { namespace } = spoke;
  for (const adoptionId of await listVolumeSuffixes(app.db.rows, spoke)) {
    await deleteSourceSnapshotContents(cluster, run, { namespace, adoptionId });
  }
}

/**
 * Deletes the namespace. If a crash prevented its UID from being stored in the database, deletes a namespace with this
 * name only if it has Wheelwright's labels.
 */
async function removeNamespace(site: Site, run: RemovalRun): Promise<void> {
  const { cluster, holding: { namespace, uid: recordedUid } } = site;
  await requireSameCluster(site, run);
  const uid = recordedUid ?? await findOwn(site, run);
  if (uid !== null) {
    await recordVolumes(cluster, run, namespace);
    await cluster.space(namespace, uid).remove(buildClusterWaitOptions(run));
  }
  // Checks the cluster's identity again: the kubeconfig may have changed while the namespace was being deleted.
  await requireSameCluster(site, run);
}

async function findOwn({ cluster, holding }: Site, run: JobRun): Promise<string | null> {
  const found = await cluster.findNamespace(holding.namespace, run);
  const labels = found?.metadata.labels ?? {};
  const own = labels[MANAGED_BY_LABEL] === "wheelwright" && labels[FEDERATION_LABEL] === holding.federationId &&
    (labels[SPOKE_LABEL] ?? null) === holding.spokeId;
  return found && own ? found.metadata.uid! : null;
}
