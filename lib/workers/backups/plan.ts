/**
 * Queues nightly backups, and records which clusters can take snapshots. Each active spoke's row contains the time of
 * its next backup. The transaction that queues a backup also advances this time, so that two replicas never queue the
 * same backup. Nightly backups may occupy only a share of a replica's lanes (queues), so that slow storage does not
 * delay other jobs.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { explainUnavailableBackups, type SnapshotClass } from "#lib/domains/backups/snapshot-classes.ts";
import { setNextBackupTimes } from "#lib/domains/backups/next-times.ts";
import { type BackupVolume, closeAbandonedBackups } from "#lib/domains/backups/store.ts";
import { getVolumeDrivers } from "#lib/domains/backups/summary.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { MINUTE } from "#lib/base/time.ts";
import { runUntilNoChanges, upkeepHandler } from "#lib/steps/upkeep.ts";
import { readClasses } from "#lib/workers/backups/read-classes.ts";

/** The maximum number of spokes that one transaction updates. */
const BATCH = 200;

/** The largest share of a replica's lanes (job queues) that nightly backups may occupy. */
const LANE_SHARE = 3 / 4;

export function planBackups(app: Pick<App, "db" | "clusters" | "config" | "catalog">): JobHandler {
  const { db, config } = app;
  return upkeepHandler({ kind: "plan-backups", every: MINUTE }, {
    abandoned: ["Closing unfinished backups of ended operations", MINUTE, () => closeAbandonedBackups(db.rows)],
    due: ["Queueing due backups", 10 * MINUTE, async (run) => {
      await runUntilNoChanges(run, () => db.transact((tx) => setMissingTimes(tx, app.catalog)));
      const { rows: clusters } = await sql<{ cluster: string }>`
        select distinct cluster from spokes where state = 'active'`.execute(db.rows);
      const limit = Math.ceil(config.scheduler.lanes * LANE_SHARE / clusters.length);
      await Promise.all(clusters.map(async ({ cluster }) => {
        const classes = await readClasses(app, run, cluster);
        if (classes) {
          await runUntilNoChanges(
            run,
            () => db.transact((tx) => queueDue(tx, app.catalog, { cluster, classes, limit })),
          );
        }
      }));
    }],
  });
}

/** Sets a spoke's next backup time if it is missing, or more than 25 hours ahead because of a wrong clock. */
async function setMissingTimes(tx: Tx, catalog: App["catalog"]): Promise<number> {
  const { rows } = await sql<{ id: string; federationId: string; now: Date }>`
    select id, federation_id, wheelwright_now() as now from spokes
    where state = 'active' and (backup_due_at is null or backup_due_at > wheelwright_now() + interval '25 hours')
    order by id limit ${BATCH} for no key update skip locked`.execute(tx);
  await setNextBackupTimes(tx, catalog, rows, rows[0]?.now);
  return rows.length;
}

type DueRow = SpokeRow & {
  readonly volumes: readonly BackupVolume[] | null;
  readonly now: Date;
};

interface QueueLimits {
  readonly cluster: string;
  readonly classes: readonly SnapshotClass[];
  /** The maximum number of nightly backups in this cluster that may be queued or running. */
  readonly limit: number;
}

/** Queues the backups that are due in a cluster. Skips locked rows; the next run queues their backups. */
async function queueDue(tx: Tx, catalog: App["catalog"], { cluster, classes, limit }: QueueLimits): Promise<number> {
  const { rows: [live] } = await sql<{ count: number }>`
    select count(*)::int as count from jobs join spokes on spokes.id = jobs.spoke_id
    where jobs.kind = ${OPERATIONS.backup.name} and jobs.state in ('queued', 'running')
      and jobs.payload ->> 'kind' = 'nightly' and spokes.cluster = ${cluster}`.execute(tx);
  const capacity = Math.min(BATCH, limit - live!.count);
  if (capacity <= 0) return 0;
  const { rows: due } = await sql<DueRow>`
    select spokes.*, wheelwright_now() as now,
      (select volumes from backups where backups.spoke_id = spokes.id order by created_at desc, backups.id desc limit 1)
    from spokes where state = 'active' and cluster = ${cluster} and backup_due_at <= (select wheelwright_now())
    order by backup_due_at limit ${capacity} for no key update skip locked`.execute(tx);
  await setNextBackupTimes(tx, catalog, due, due[0]?.now);
  const eligible = due.filter(({ blueprintInputs: inputs, volumes }) => {
    const requirements = {
      name: inputs.surroundings?.snapshotClass,
      drivers: getVolumeDrivers({ volumes: volumes ?? [] }),
    };
    return explainUnavailableBackups({ classes, error: null }, requirements) === null;
  });
  await recordChange(tx, SYSTEM_REQUESTER, {
    jobs: eligible.map((spoke) => ({
      ...buildSpokeJob(spoke, "backup", { kind: "nightly" }),
      dedupeKey: `backup:nightly:${spoke.id}`,
    })),
  });
  return due.length;
}
