/** Sets up two hundred spokes on the evening before a night of backups, two clusters (one without snapshots), and the
 * clock. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App } from "#lib/app.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { DAY, HOUR } from "#lib/base/time.ts";
import { planBackups } from "#lib/workers/backups/plan.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { queryRows } from "#test/support/bench/query.ts";
import {
  createFakeSpokes,
  type FakeSpoke,
  insertBackups,
  prepareHub,
  setDatabaseClock,
  waitForControllers,
} from "#test/support/fake-spokes.ts";
import { until } from "#test/support/until.ts";
import { bindClusterRole } from "#test/support/service-account.ts";

export const EVENING = new Date("2026-11-21T21:00:00.000Z"), MORNING = new Date("2026-11-22T04:30:00.000Z");
export const WAIT_LIMIT = 90_000;
/** The number of running backups, out of a cluster's 24, at which the planner queues the next ones. */
const LITTLE = 12;
const GAP = 250; // milliseconds until the planner is notified

export interface BackupSite extends FakeSpoke {
  readonly group: "long" | "plain" | "failing" | "bare" | "suspended" | "failed";
}

const GROUPS: readonly (readonly [BackupSite["group"], number])[] = [
  ["long", 4],
  ["plain", 130],
  ["failing", 6],
  ["bare", 40],
  ["suspended", 10],
  ["failed", 10],
];

export interface BackupNight {
  scene: WorkScene;
  app: App;
  sites: BackupSite[];
  directory: string;
  close: (() => Promise<unknown>)[];
}

export async function openBackupNight(context: BackupNight): Promise<void> {
  const scene = context.scene = await openWorkScene();
  const bare = await openSimulator({ delayMs: 5, log: SILENT_LOG });
  for (const name of ["standard", "standard-retain"]) {
    await fetch(`${bare.url}/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses/${name}`, { method: "DELETE" });
  }
  const without = await openCluster({ name: "bare", kubeconfig: { text: bare.kubeconfig() }, log: SILENT_LOG });
  const open = (name: string) => name === "bare" ? Promise.resolve(without) : scene.app.clusters.open(name);
  context.app = { ...scene.app, clusters: { clusterFor: () => "default", open } };
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-night-"));
  context.close = [
    () => rm(context.directory, { recursive: true, force: true }),
    () => without.close(),
    () => bare.close(),
    () => scene.close(),
  ];
  await setDatabaseClock(scene.db, EVENING);
  const hub = await scene.hub("math");
  await prepareHub(scene.db, hub);
  context.sites = [];
  for (const [group, count] of GROUPS) context.sites.push(...await sitesOf(context, hub, group, count));
  await waitForControllers(scene.simulator.objects);
}

export async function closeBackupNight({ close }: BackupNight): Promise<void> {
  for (const one of close) await one();
}

async function sitesOf(
  { scene, app }: BackupNight,
  hub: FederationRow,
  group: BackupSite["group"],
  count: number,
): Promise<BackupSite[]> {
  const { simulator: { url }, db } = scene, idle = group === "suspended" || group === "failed";
  const slugs = Array.from({ length: count }, (_, i) => `${group}-${i}`);
  const where = group === "bare" ? { name: "bare" } : idle ? {} : { url };
  const planted = await createFakeSpokes(app, db, scene.actor, hub, slugs, where);
  if (where.url) { for (const { namespace } of planted) await bindClusterRole(scene.simulator, namespace); }
  if (idle) {
    await queryRows(db, "update spokes set state = $2 where id = any($1)", [planted.map(({ id }) => id), group]);
  }
  const ago = (days: number) => new Date(MORNING.getTime() - days * DAY);
  for (const [i, site] of planted.entries()) {
    if (group === "long") {
      const nights = Array.from({ length: 12 }, (_, night) => ({ at: ago(night + 1) }));
      const months = [45, 75, 110, 140, 170, 200].map((days) => ({ at: ago(days + i) }));
      const failed = { at: ago(1.2), state: "failed" } as const, manual = { at: ago(2.1), kind: "manual" } as const;
      await insertBackups(db, url, site, [...nights, ...months, failed, manual]);
    }
    // A backup of this morning: the next one is due as soon as the night begins.
    if (group === "failing" || group === "plain" && i < 8) {
      await insertBackups(db, url, site, [{ at: new Date(MORNING.getTime() - 4 * HOUR), kind: "manual" }]);
    }
  }
  return planted.map((site) => ({ ...site, group }));
}

/** Plans the due backups once. */
export async function runPlanner(app: App): Promise<void> {
  const run = { signal: new AbortController().signal, log: SILENT_LOG, throwIfStopped: () => {} } as unknown as JobRun;
  await planBackups(app).steps.due!(run);
}

/** Runs the night. The planner polls each minute; here a minute passes as soon as little work is left. The night
 * continues as long as backups end, however slow the machine is. */
export async function advanceTime({ scene: { db } }: BackupNight): Promise<void> {
  let nudged = -Infinity, left = Infinity;
  while (left > 0) {
    const before: number = left;
    left = await until(async () => {
      const now = await look();
      return now < before && { now };
    }, WAIT_LIMIT).then(({ now }) => now);
  }

  /** Returns how many backups are due, queued or running. */
  async function look(): Promise<number> {
    const [{ due, live }] = await queryRows(
      db,
      `select (select count(*)::int from spokes where state = 'active' and backup_due_at <= wheelwright_now()) as due,
         (select count(*)::int from jobs where kind = 'backup' and state in ('queued', 'running')) as live`,
    );
    if (due > 0 && live < LITTLE && performance.now() - nudged > GAP) {
      nudged = performance.now();
      await db.transact(async (tx) => {
        const text = "update jobs set run_at = wheelwright_now() where kind = 'plan-backups' and state = 'queued'";
        await queryRows({ ...db, rows: tx }, text);
        tx.wakes.add("jobs");
      });
    }
    return due + live;
  }
}
