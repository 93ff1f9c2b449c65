/**
 * Queues restore tests. Each active spoke's row contains the time of its next test. The transaction that queues a test
 * also advances this time, so that two replicas never queue the same test. Only a few tests run at the same time,
 * because customers do not pay for the capacity that tests use.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { computeNextRestoreTestTime, type RestoreTestInterval } from "#lib/domains/backups/schedule.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { createJob, type NewJob } from "#lib/jobs/job.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { RESTORE_TEST } from "#lib/recovery/restore-tests/context.ts";
import { runUntilNoChanges, upkeepHandler } from "#lib/steps/upkeep.ts";

/** The maximum number of spokes that one transaction updates. */
const BATCH = 200;
/**
 * The maximum number of restore tests that run at the same time in a cluster: BASE_TESTS, plus one for every
 * SPOKES_PER_TEST active spokes.
 */
const BASE_TESTS = 3, SPOKES_PER_TEST = 1000;
/** The largest share of a replica's lanes (job queues) that restore tests may occupy. */
const LANE_SHARE = 1 / 8;

export function planRestoreTests({ db, config }: Pick<App, "db" | "config">): JobHandler {
  const { restoreTests: interval, scheduler: { lanes } } = config;
  return upkeepHandler({ kind: "plan-restore-tests", every: MINUTE }, {
    due: ["Queueing due restore tests", 10 * MINUTE, async (run) => {
      if (interval === "off") return;
      await runUntilNoChanges(run, () => db.transact((tx) => setMissingTimes(tx, interval)));
      const { rows: clusters } = await sql<{ cluster: string; spokes: number }>`
        select cluster, count(*)::integer as spokes from spokes where state = 'active' group by cluster`.execute(
        db.rows,
      );
      const share = Math.ceil(lanes * LANE_SHARE / clusters.length);
      for (const { cluster, spokes } of clusters) {
        const limit = Math.min(share, BASE_TESTS + Math.floor(spokes / SPOKES_PER_TEST));
        await runUntilNoChanges(run, () => db.transact((tx) => queueDue(tx, { cluster, interval, limit })));
      }
    }],
  });
}

/** Sets a spoke's next test time if it is missing, or too far ahead for the configured interval. */
async function setMissingTimes(tx: Tx, interval: RestoreTestInterval): Promise<number> {
  const longest = interval === "weekly" ? "7 days 1 hour" : "25 hours";
  const { rows } = await sql<{ id: string; now: Date }>`
    select id, wheelwright_now() as now from spokes
    where state = 'active' and (restore_test_due_at is null or restore_test_due_at > wheelwright_now() + ${longest}::interval)
    order by id limit ${BATCH} for no key update skip locked`.execute(tx);
  await setNextTimes(tx, rows, interval);
  return rows.length;
}

interface DueSpoke {
  readonly id: string;
  readonly federationId: string;
  readonly now: Date;
  /** The ID of the newest backup that is ready, and the cluster of this backup. Both are null if no backup is ready. */
  readonly backupId: string | null;
  readonly cluster: string | null;
}

interface QueueLimits {
  readonly cluster: string;
  readonly interval: RestoreTestInterval;
  /** The maximum number of restore tests in this cluster that may be queued or running. */
  readonly limit: number;
}

/** Queues the restore tests that are due in a cluster. Skips locked rows; the next run queues their tests. */
async function queueDue(tx: Tx, { cluster, interval, limit }: QueueLimits): Promise<number> {
  const { rows: [live] } = await sql<{ count: number }>`
    select count(*)::integer as count from jobs where kind = ${RESTORE_TEST.kind} and state in ('queued', 'running')
      and payload ->> 'cluster' = ${cluster}`.execute(tx);
  const capacity = limit - live!.count;
  if (capacity <= 0) return 0;
  const { rows: due } = await sql<DueSpoke>`
    select spokes.id, spokes.federation_id, wheelwright_now() as now, newest.id as backup_id, newest.cluster
    from spokes left join lateral (
      select backups.id, backups.cluster from backups
      where spoke_id = spokes.id and backups.state = 'ready' and deleting_since is null
      order by created_at desc, backups.id desc limit 1
    ) as newest on true
    where spokes.state = 'active' and spokes.cluster = ${cluster} and restore_test_due_at <= (select wheelwright_now())
    order by restore_test_due_at limit ${capacity} for no key update of spokes skip locked`.execute(tx);
  await setNextTimes(tx, due, interval);
  await recordChange(tx, SYSTEM_REQUESTER, { jobs: due.flatMap(testJobs) });
  return due.length;
}

function testJobs({ id: spokeId, federationId, backupId, cluster }: DueSpoke): NewJob[] {
  if (backupId === null || cluster === null) return [];
  const lane = `restore-test:${spokeId}`;
  return [createJob(RESTORE_TEST, { backupId, cluster }, { lane, federationId, spokeId, dedupeKey: lane })];
}

async function setNextTimes(
  tx: Tx,
  spokes: readonly { readonly id: string; readonly now: Date }[],
  interval: RestoreTestInterval,
) {
  const ids = spokes.map(({ id }) => id);
  const times = spokes.map(({ id, now }) => computeNextRestoreTestTime(id, interval, now).toISOString());
  await sql`update spokes set restore_test_due_at = next.at
    from unnest(${ids}::text[], ${times}::timestamptz[]) as next (id, at) where spokes.id = next.id`.execute(tx);
}
