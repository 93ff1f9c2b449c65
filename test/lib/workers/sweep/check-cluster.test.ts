/** Tests a watched cluster: its changes, lost watches, and the number of requests. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lookOnce, QUICK } from "./checks.ts";
import { alter, closeSweep, type Context, DEPLOYMENT, keep, openSweep, unready } from "./scene.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { App } from "#lib/app.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { checkCluster } from "#lib/workers/sweep/check-cluster.ts";
import { clusterCheckHandler, createClusterCheckJob } from "#lib/workers/sweep/sweep.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { enqueueJob } from "#lib/jobs/store.ts";
import { openKubeProxy } from "#test/lib/doctor/kube-proxy.ts";
import { makeApp } from "#test/lib/workers/scene.ts";
import { rejection, until } from "#test/support/until.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const LEFT = 16, KINDS = 11; // that are listed, and so watched
/** Minutes pass quickly. */
const FOLLOWING = { ...QUICK, watch: { ...QUICK.watch, minSpokes: 1, failedCheckMs: 100 } };

const test = suite<Context>("watching a cluster");
test.before(async (context) => {
  await openSweep(context);
  await keep(context, LEFT);
});
test.after(closeSweep);

interface Following {
  /** Returns the requests since the watches started. */
  asked(): { path: string; query: URLSearchParams }[];
  /** Once it has ended by itself. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const isWatch = ({ query }: { query: URLSearchParams }) => query.has("watch");

async function follow({ between, scene }: Context, app: App, pace = FOLLOWING): Promise<Following> {
  const ending = new AbortController(), begin = between.requests.length, before = await scene.db.now();
  const write: JobRun["write"] = (work) => app.db.transact(work);
  const run = {
    ...{ signal: ending.signal, leaving: new AbortController().signal, log: SILENT_LOG, write },
    throwIfStopped: () => {},
  } as JobRun;
  const ended = checkCluster(app, run, "default", pace);
  ended.catch(() => {});
  const readings = "select from spokes where state = 'active' and cluster = 'default' and observed_at >= $1";
  await until(async () =>
    between.requests.slice(begin).filter(isWatch).length >= KINDS && (await scene.db.sql(readings, [before])).length > 0
  );
  const from = between.requests.length;
  return {
    asked: () => between.requests.slice(from),
    ended,
    async stop() {
      ending.abort(new Error("enough"));
      await ended.catch(() => {});
    },
  };
}

const findings = ({ scene }: Context) =>
  selectRows(scene.db, "spokes", { cluster: "default", state: "active" }, {
    columns: ["id", "health", "drift"],
    orderBy: "id",
  });
const driftOf = async ({ scene }: Context, id: string) => (await scene.row(id)).drift as Json | null;
const stripped = (object: Json): Json => ({ ...object, metadata: { ...object.metadata, labels: {} } });

test("finds the same as a full check, and lists only changed spokes.", async (context) => {
  const { standing: { ids }, app } = context, following = await follow(context, app);
  const repairs = [
    await alter(context, ids[0]!, ["v1", "Service", "db"], null),
    await alter(context, ids[1]!, ["v1", "ConfigMap", "fpm-size"], (object) => ({ ...object, data: {} })),
    await alter(context, ids[2]!, DEPLOYMENT, unready),
    await alter(context, ids[3]!, ["v1", "PersistentVolumeClaim", "files"], null),
    await alter(context, ids[4]!, DEPLOYMENT, stripped),
    await alter(context, ids[5]!, ["v1", "Namespace"], null),
    await alter(context, ids[6]!, ["batch/v1", "CronJob", "moodle-cron"], (object) => ({
      ...object,
      spec: { ...object.spec, suspend: true },
    })),
  ];
  const found = await until(async () => {
    const rows = await findings(context);
    const count = (column: "health" | "drift", value: unknown) => rows.filter((row) => row[column] !== value).length;
    return count("health", "healthy") === 3 && count("drift", null) === 5 && rows;
  });
  const lists = following.asked().filter((asked) => asked.query.has("limit") && !isWatch(asked));
  assert.ok(lists.every(({ path }) => path.includes("/namespaces/spoke-")), "of all namespaces nothing is listed");
  const changed = new Set(lists.map(({ path }) => /spoke-[^/]+/.exec(path)![0]));
  assert.ok(changed.size <= repairs.length);
  await following.stop();
  for (let time = 0; time < 3; time++) await lookOnce(app);
  assert.equal(await findings(context), found);

  const again = await follow(context, app);
  for (const repair of repairs) repair();
  await until(async () =>
    (await findings(context)).every(({ health, drift }) => health === "healthy" && drift === null)
  );
  await again.stop();
});

test("ignores status changes that do not affect health.", async (context) => {
  const { standing: { ids }, app } = context, following = await follow(context, app);
  const ran = (object: Json): Json => ({ ...object, status: { lastScheduleTime: new Date().toISOString() } });
  for (const id of ids.slice(0, LEFT)) await alter(context, id, ["batch/v1", "CronJob", "moodle-cron"], ran);
  await alter(context, ids[0]!, ["v1", "Service", "db"], null).then((repair) => repair()); // is heard of after them
  await until(() => following.asked().some(({ path }) => path.includes("/services")));
  const listed = new Set(
    following.asked().flatMap(({ path, query }) =>
      query.has("limit") && !query.has("watch") ? /spoke-[^/]+/.exec(path)![0] : []
    ),
  );
  assert.is(listed.size, 1);
  await following.stop();
});

test("receives changes during the first lists.", async (context) => {
  const { standing: { ids, url }, scene } = context, id = ids[7]!;
  let repair: Promise<() => void> | undefined;
  const between = await openKubeProxy(url, ({ path, query }) => {
    // Services are listed by then.
    if (path.endsWith("/ingresses") && query.has("limit")) repair ??= alter(context, id, ["v1", "Service", "db"], null);
    return false;
  });
  const { app, close } = await makeApp(scene.db, between.kubeconfig(), SILENT_LOG);
  const following = await follow({ ...context, between }, app);
  await until(async () => (await driftOf(context, id)) !== null);
  (await repair!)();
  await until(async () => (await driftOf(context, id)) === null);
  await following.stop();
  await close();
  await between.close();
});

test("resumes an interrupted watch, and ends when the version has expired.", async (context) => {
  const { standing: { ids, world }, app } = context, id = ids[8]!, following = await follow(context, app);
  world.faults.dropWatches("Service", "cut");
  const repair = await alter(context, id, ["v1", "Service", "db"], null);
  await until(async () => (await driftOf(context, id)) !== null);
  assert.equal([...new Set(following.asked().filter(isWatch).map(({ path }) => path))], ["/api/v1/services"]);
  world.faults.dropWatches("Service", "expired");
  await following.ended;
  repair();
  const again = await follow(context, app); // begins with lists
  await until(async () => (await driftOf(context, id)) === null);
  await again.stop();
});

test("checks spokes that an operation changed, each minute.", async (context) => {
  const { standing: { ids }, scene, app } = context, id = ids[9]!, following = await follow(context, app);
  const repair = await alter(context, id, DEPLOYMENT, unready);
  await until(async () => (await scene.row(id)).failedChecks > 0);
  await updateRows(scene.db, "spokes", { state: "updating" }, { id });
  repair();
  const healed = `with now as materialized (select wheelwright_now() as at)
    update spokes set state = 'active', health = 'healthy', failed_checks = 0, updated_at = at, observed_at = at from now
    where id = $1`;
  await scene.db.sql(healed, [id]);
  const { observedAt } = await scene.row(id);
  await until(async () => (await scene.row(id)).observedAt! > observedAt!);
  assert.equal(await scene.row(id).then(({ health, failedChecks }) => [health, failedChecks]), ["healthy", 0]);
  await following.stop();
});

test("changes nothing while the cluster does not answer, and checks afterwards.", async (context) => {
  const { standing: { ids, world }, scene, app } = context, id = ids[10]!, following = await follow(context, app);
  const bad = async () => (await scene.row(id)).failedChecks;
  const repair = await alter(context, id, DEPLOYMENT, unready);
  await until(async () => await bad() > 0);
  const fault = world.faults.answer(503, { path: "/api" });
  assert.instance(await rejection(following.ended), ClusterError);
  const checks = await bad();
  assert.instance(await rejection(lookOnce(app)), ClusterError);
  assert.is(await bad(), checks);
  world.faults.remove(fault);
  repair();
  const again = await follow(context, app);
  await until(async () => await bad() === 0);
  await again.stop();
});

test("watches only clusters with many spokes.", async (context) => {
  const from = context.between.requests.length;
  await lookOnce(context.app, { watch: { ...FOLLOWING.watch, minSpokes: LEFT + 1 } });
  assert.not.ok(context.between.requests.slice(from).some(isWatch));
});

test("continues on another replica, which starts with the lists.", async (context) => {
  const { standing: { ids }, between, scene, app } = context, id = ids[11]!;
  const handler = clusterCheckHandler(app, FOLLOWING);
  const open = () => openScheduler(app, { handlers: [handler], lanes: 2, retry: { firstMs: 10, maxMs: 50 } });
  const watches = (from: number) => between.requests.slice(from).filter(isWatch).length;
  const first = await open(), start = between.requests.length;
  await scene.db.transact((tx) => enqueueJob(tx, SYSTEM_REQUESTER, createClusterCheckJob("default")));
  await until(() => watches(start) >= KINDS);
  const second = await open(), next = between.requests.length;
  await first.close();
  const repair = await alter(context, id, ["v1", "Service", "db"], null);
  await until(() => watches(next) >= KINDS);
  await until(async () => (await driftOf(context, id)) !== null);
  repair();
  await until(async () => (await driftOf(context, id)) === null);
  await second.close();
});

test.run();
