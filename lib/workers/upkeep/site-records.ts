/**
 * Writes the site records of hubs and spokes whose rows have changed or whose record is missing. Keeps a record that is
 * newer than its row, because an older copy of the database may have been restored (lib/doctor/reconcile).
 */
import type { App } from "#lib/app.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { FenceLostError } from "#lib/jobs/fence.ts";
import { readInstallation } from "#lib/installation/installation.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { applySiteRecord, listOutdatedRecords, type SiteRecordTable } from "#lib/steps/site-record.ts";
import { isMissingNamespace } from "#lib/steps/same-cluster.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";

const BATCH = 100;

export function updateSiteRecords(app: App): JobHandler {
  return upkeepHandler({ kind: "update-site-records", every: MINUTE }, {
    hubs: ["Updating the site records of hubs", 20 * MINUTE, (run) => updateAll(app, run, "federations")],
    spokes: ["Updating the site records of spokes", 30 * MINUTE, (run) => updateAll(app, run, "spokes")],
  });
}

/** Writes all outdated site records. Skips clusters that do not respond; the next run tries them again. */
async function updateAll({ db, clusters }: App, run: JobRun, table: SiteRecordTable): Promise<void> {
  const context = { clusters, installation: await readInstallation(db.rows) }, unavailable = new Set<string>();
  const failures = { newer: 0, others: 0, error: null as unknown };
  for (let after = "", more = true; more;) {
    const due = await listOutdatedRecords(db.rows, table, after, BATCH);
    for (const row of due.filter(({ cluster }) => !unavailable.has(cluster))) {
      try {
        await applySiteRecord(context, run, table, row);
      } catch (error) {
        run.signal.throwIfAborted();
        run.throwIfStopped();
        if (!(error instanceof FenceLostError) && !(error instanceof ClusterError)) throw error;
        if (isMissingNamespace(error)) continue; // the namespace was deleted
        failures[error instanceof FenceLostError ? "newer" : "others"]++;
        failures.error = error;
        if (error instanceof ClusterError && error.transient) unavailable.add(row.cluster);
      }
    }
    more = due.length === BATCH;
    after = due.at(-1)?.id ?? after;
  }
  if (failures.newer > 0) {
    run.log.warn("The cluster has newer site records than the database. Run wheelwright doctor --reconcile", {
      table,
      ...failures,
    });
  } else if (failures.others > 0) run.log.info("Cannot update all site records", { table, ...failures });
}
