/** Tests a night of backups over two hundred spokes with a shifted clock. Some spokes have a long history, failing
 * storage or a cluster without snapshots, and some are not active. One replica is killed while it waits for its first
 * snapshots. The retained backups in the rows and in the cluster follow the rule. No spoke is backed up twice, and
 * nobody is notified twice. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DAY, HOUR } from "#lib/base/time.ts";
import { startReplica } from "#test/lib/workers/scene.ts";
import { openReplica } from "#test/support/bench/replica.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { setDatabaseClock } from "#test/support/fake-spokes.ts";
import { until } from "#test/support/until.ts";
import {
  advanceTime,
  type BackupNight,
  type BackupSite,
  closeBackupNight,
  MORNING,
  openBackupNight,
  runPlanner,
  WAIT_LIMIT,
} from "./nightly-backups-scene.ts";

const test = suite<BackupNight>("nightly backups");
test.before(openBackupNight);
test.after(closeBackupNight);

interface Row {
  readonly id: string;
  readonly spokeId: string;
  readonly kind: string;
  readonly state: string;
  readonly createdAt: Date;
  readonly volumes: readonly { readonly snapshot: string; readonly content?: string }[];
}

async function rowsOf({ scene }: BackupNight): Promise<Map<string, Row[]>> {
  const all: Row[] = await queryRows(scene.db, "select * from backups order by created_at desc, id desc");
  return Map.groupBy(all, (row) => row.spokeId);
}

/** Returns the backups to retain: of all backups that ever succeeded, the newest of each of the last 7 days, 4 weeks
 * and 6 months. */
function ruled(rows: readonly Row[]): string[] {
  const good = rows.filter((row) => row.state === "ready" || row.state === "deleted" && isComplete(row));
  const newestOf = (nameOf: (at: Date) => string, most: number) => {
    const names = [...new Set(good.map((row) => nameOf(row.createdAt)))].sort().reverse().slice(0, most);
    return names.map((name) => good.find((row) => nameOf(row.createdAt) === name)!.id);
  };
  const monday = (at: Date) => new Date(at.getTime() - (at.getUTCDay() + 6) % 7 * DAY).toISOString().slice(0, 10);
  const day = (at: Date) => at.toISOString().slice(0, 10), month = (at: Date) => at.toISOString().slice(0, 7);
  return [...new Set([...newestOf(day, 7), ...newestOf(monday, 4), ...newestOf(month, 6)])].sort();
}

const isComplete = ({ volumes }: Row) => volumes.length === 2 && volumes.every(({ content }) => content !== undefined);

/** Asserts that the rows and the cluster have the same backups, and that they follow the rule. */
async function assertRetention(night: BackupNight, now: Date, sites: readonly BackupSite[]): Promise<void> {
  const rows = await rowsOf(night), { simulator } = night.scene;
  const snapshots = Map.groupBy(simulator.objects("VolumeSnapshot"), ({ metadata }) => metadata.namespace!);
  const contents = Map.groupBy(
    simulator.objects("VolumeSnapshotContent"),
    (content) => content["spec"].volumeSnapshotRef.namespace as string,
  );
  for (const { id, namespace, group } of sites) {
    const own = rows.get(id) ?? [], standing = own.filter(({ state }) => state !== "deleted");
    const what = `${group} ${id}`;
    assert.equal(standing.filter(({ state }) => state === "ready").map(({ id }) => id).sort(), ruled(own), what);
    const left = standing.filter(({ state }) => state !== "ready");
    assert.ok(
      left.every(({ state, createdAt: at }) => state === "failed" && now.getTime() - at.getTime() < 2 * DAY),
      what,
    );
    const named = standing.flatMap(({ volumes }) => volumes.map(({ snapshot }) => snapshot)).sort();
    assert.equal((snapshots.get(namespace) ?? []).map(({ metadata }) => metadata.name).sort(), named, what);
    const cut = (contents.get(namespace) ?? []).map((content) => content["spec"].volumeSnapshotRef.name).sort();
    assert.equal(cut, named, what);
  }
}

/** Returns the states of the nightly attempts since then. */
function attempts(rows: readonly Row[] | undefined, since: Date): string[] {
  return (rows ?? []).filter(({ kind, createdAt: at }) => kind === "nightly" && at >= since).map(({ state }) => state);
}

async function countFailureNotices({ scene }: BackupNight): Promise<Map<string, number>> {
  const notices = await queryRows(
    scene.db,
    "select spoke_id, count(*)::int as count from audit_events where kind = 'tenant_backup_failed' group by 1",
  );
  return new Map(notices.map(({ spokeId, count }) => [spokeId, count]));
}

test("are resumed after a replica is killed, and retained exactly by the rule", async (context) => {
  const { scene, app, sites, directory } = context, { db, simulator } = scene;
  await runPlanner(app);
  assert.equal(await queryRows(db, "select 1 from jobs where kind = 'backup'"), []);
  await setDatabaseClock(db, MORNING);
  for (const { namespace } of sites.filter(({ group }) => group === "failing")) {
    simulator.faults.add({ type: "no-snapshot", name: `${namespace}/db-`, message: "the pool is full" });
  }
  const held = simulator.faults.add({ type: "unready", name: "files-" });
  const kubeconfig = (server: string) => simulator.kubeconfig().replace(simulator.url, server);
  const killed = await openReplica({ name: "a", directory, database: db.url, cluster: simulator.url, kubeconfig });
  await killed.start();
  await until(async () => {
    const [{ count }] = await queryRows(
      db,
      `select count(*)::int as count from backups join jobs on jobs.id = operation_id
       where jobs.state = 'running' and backups.state = 'pending' and jsonb_array_length(volumes) = 2`,
    );
    return count >= 10;
  }, WAIT_LIMIT);
  await killed.kill();
  assert.equal(await queryRows(db, "select 1 from backups where kind = 'nightly' and ready_at >= $1", [MORNING]), []);
  simulator.faults.remove(held);
  const other = await startReplica(app, "plan-backups");
  try {
    await advanceTime(context);
  } finally {
    await other.close();
    await killed.close();
  }
  const rows = await rowsOf(context), notices = await countFailureNotices(context);
  for (const { id, group } of sites) {
    const expected = { long: ["ready"], plain: ["ready"], failing: ["failed"], bare: [], suspended: [], failed: [] };
    assert.equal(attempts(rows.get(id), MORNING), expected[group], group);
    assert.is(notices.get(id) ?? 0, group === "failing" ? 1 : 0, group);
  }
  const jobs = await queryRows(db, "select spoke_id from jobs where kind = 'backup' group by 1 having count(*) > 1");
  assert.equal(jobs, []);
  await assertRetention(context, MORNING, sites);
});

test("report repeated failures only once, and delete old backups after a success", async (context) => {
  const { scene, app, sites } = context, { db, simulator } = scene;
  const chosen = sites.filter(({ group }, i) => ["long", "failing", "bare"].includes(group) || i % 20 === 0);
  const failing = chosen.filter(({ group }) => group === "failing"), healed = failing.slice(0, 3);
  await queryRows(db, "update spokes set state = 'suspended' where id <> all($1)", [chosen.map(({ id }) => id)]);
  for (const { id, breakage } of simulator.faults.list()) {
    if ("name" in breakage && healed.some(({ namespace }) => breakage.name.startsWith(namespace))) {
      simulator.faults.remove(id);
    }
  }
  const later = new Date(MORNING.getTime() + DAY + HOUR);
  await setDatabaseClock(db, later);
  const replica = await startReplica(app, "plan-backups");
  try {
    await advanceTime(context);
  } finally {
    await replica.close();
  }
  const rows = await rowsOf(context), notices = await countFailureNotices(context);
  for (const { id } of failing) {
    const again = healed.every((site) => site.id !== id);
    assert.equal(attempts(rows.get(id), later), [again ? "failed" : "ready"]);
    assert.is(notices.get(id), 1);
  }
  const cleared = rows.get(healed[0]!.id)!.filter(({ state }) => state === "failed");
  assert.equal(cleared, [], "what the failed night had left is gone");
  assert.equal(attempts(rows.get(sites.find(({ group }) => group === "bare")!.id), MORNING), []);
  await assertRetention(context, later, chosen);
});

test.run();
