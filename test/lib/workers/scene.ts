/** Sets up the environment of jobs: a database, a simulated cluster over HTTP, the app and schedulers. */
import type { App, ClusterProvider } from "#lib/app.ts";
import { NO_TELEMETRY } from "#lib/base/telemetry.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { readConfig } from "#lib/base/config.ts";
import type { ClosableDatabase, Database } from "#lib/drivers/db/database.ts";
import { createFederation } from "#lib/domains/federations/create.ts";
import { type FederationRow, findFederation } from "#lib/domains/federations/store.ts";
import { type Log, SILENT_LOG } from "#lib/base/log.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { findOperation, listOperations } from "#lib/jobs/store.ts";
import { createSignInProviders } from "#lib/openid/providers.ts";
import { openSitePages } from "#lib/drivers/sites/site-pages.ts";
import { openScheduler, type Scheduler } from "#lib/scheduler/scheduler.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import type { SimulatorTimers } from "#lib/dev/simulator/simulation.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { builtInBlueprint } from "#test/support/blueprint.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { applyClusterRole, CLUSTER_ROLE } from "#test/support/service-account.ts";
import { insertUser } from "#test/support/insert-rows.ts";
import { until } from "#test/support/until.ts";

const MINUTE = 60_000;
/** Templates would add Jobs and namespaces, so tests of templates turn them on. */
const DEFAULTS = { ROOT_DOMAIN: "spokes.example.org", TEMPLATES: "off" };

export interface WorkScene {
  readonly app: App;
  readonly db: TestDatabase;
  readonly actor: Actor;
  readonly simulator: Simulator;
  /** Starts a replica, optionally with its own database. */
  replica(on?: ClosableDatabase): Promise<Scheduler>;
  hub(slug: string): Promise<FederationRow>;
  spoke(hub: FederationRow, slug: string, size?: string): Promise<string>;
  row(id: string): Promise<SpokeRow>;
  /** Returns the spoke once it is in one of these states. */
  becomes(id: string, ...states: string[]): Promise<SpokeRow>;
  hubBecomes(id: string, state: string): Promise<FederationRow>;
  operations(spokeId: string): Promise<Job[]>;
  /** Returns the spoke's last operation of this kind, once none is live. */
  ended(spokeId: string, kind: string): Promise<Job>;
  /** Stops all replicas. */
  stopReplicas(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the environment. `env` contains configuration variables in addition to the domain. `measured` is a factor for measured
 * delays of the cluster, used instead of `delayMs`. `timers` are the cluster's clock.
 */
export async function openWorkScene(
  delayMs = 5,
  env: Record<string, string> = {},
  measured: number | null = null,
  timers?: SimulatorTimers,
): Promise<WorkScene> {
  const db = await openTestDatabase();
  const simulator = await openSimulator({
    delayMs,
    measured,
    ...(timers && { timers }),
    sites: { port: 0 },
    log: SILENT_LOG,
    authorization: "on",
  });
  const { app, close: closeApp } = await makeApp(db, await applyClusterRole(simulator), SILENT_LOG, {
    CLUSTER_ROLE,
    ...env,
  });
  const dns = { texts: () => Promise.resolve([]), addresses: () => Promise.resolve([]) };
  const sitePages = openSitePages({ dns, localPort: simulator.sitePort });
  Object.assign(app, { dns, sitePages });
  const userId = await insertUser(db, "ann@example.org");
  const actor: Actor = {
    userId,
    email: "ann@example.org",
    ip: "192.0.2.7",
    userAgent: "test",
    tokenPrefix: null,
    role: "operator",
    displayName: "Ann",
    federationIds: [],
    spokeIds: [],
    hubLimit: null,
    credential: { kind: "session", id: "ses", recent: true, hasFactor: false },
  };
  const schedulers: Scheduler[] = [];

  async function explain(error: Error, spokeId: string): Promise<never> {
    const all = await scene.operations(spokeId);
    const lines = all.map(({ kind, state, attempt, label, failure }) =>
      `${kind} ${state}, attempt ${attempt}: ${label} ${failure?.message ?? ""}`
    );
    throw new Error(`${error.message}\n${lines.join("\n")}`, { cause: error });
  }

  const scene: WorkScene = {
    app,
    db,
    actor,
    simulator,
    async replica(on = db) {
      const scheduler = await startReplica({ ...app, db: on });
      schedulers.push(scheduler);
      return scheduler;
    },
    async hub(slug) {
      const { id } = await createFederation(app, actor, { slug } as never, null);
      return (await findFederation(db.rows, id, "shown"))!;
    },
    async spoke(hub, slug, size = "small") {
      return (await createSpoke(app, actor, hub, { slug, size } as never, null)).id;
    },
    row: (id) => db.rows.selectFrom("spokes").selectAll().where("id", "=", id).executeTakeFirstOrThrow(),
    becomes: (id, ...states) =>
      until(async () => {
        const row = await scene.row(id);
        return states.includes(row.state) && row;
      }, MINUTE).catch((error) => explain(error, id)),
    hubBecomes: (id, state) =>
      until(async () => {
        const row = (await findFederation(db.rows, id, "shown"))!;
        return row.state === state && row;
      }, MINUTE),
    async operations(spokeId) {
      const listed = (await listOperations(db.rows, { spokeId, limit: 100 })).items;
      return await Promise.all(listed.map(async ({ id }) => (await findOperation(db.rows, id))!)); // with what failures left
    },
    ended: (spokeId, kind) =>
      until(async () => {
        const all = (await scene.operations(spokeId)).filter((job) => job.kind === kind);
        return all.length > 0 && all.every(({ state }) => isFinalJobState(state)) && all[0]!;
      }, MINUTE).catch((error) => explain(error, spokeId)),
    async stopReplicas() {
      await Promise.all(schedulers.splice(0).map((scheduler) => scheduler.close()));
    },
    async close() {
      await scene.stopReplicas();
      await closeApp();
      sitePages.close();
      await simulator.close();
      await db.close();
    },
  };
  return scene;
}

/** Creates the parts of the app that jobs need. */
export async function makeApp(
  db: Database,
  kubeconfig: string,
  log: Log,
  env: Record<string, string> = {},
): Promise<{ readonly app: App; close(): Promise<void> }> {
  const config = readConfig({ mode: "dev", env: { ...DEFAULTS, ...env }, terminal: false });
  const blueprint = await builtInBlueprint();
  const catalog = loadCatalog(undefined, blueprint);
  // Shorter than in production, so that tests do not wait for a minute.
  const short = 500;
  const patience = {
    quotaMs: short,
    unschedulableMs: short,
    imageMs: short,
    configMs: short,
    volumeMs: short,
    certificateMs: short,
  };
  const cluster = await openCluster({
    name: "default",
    kubeconfig: { text: kubeconfig },
    log,
    patience,
    role: config.clusterRole,
  });
  const clusters: ClusterProvider = { clusterFor: () => "default", open: () => Promise.resolve(cluster) };
  const release = { api: "v0", version: "test", commit: "unknown" };
  const parts = { config, log, telemetry: NO_TELEMETRY, db, clusters, blueprint, catalog, release };
  const app = { ...parts, providers: createSignInProviders([]) } as unknown as App;
  return { app, close: () => cluster.close() };
}

/** Jobs that start without a request. They would disturb tests that move the clock or count templates. */
export const UNREQUESTED = ["plan-backups", "plan-library-backups", "prepare-templates", "probe-sites"] as const;

/** Starts a replica. Of the jobs that start without a request, it runs only those in `also`. */
export async function startReplica(app: App, ...also: (typeof UNREQUESTED)[number][]): Promise<Scheduler> {
  const retry = { firstMs: 50, maxMs: 200 };
  const without = UNREQUESTED.filter((kind) => !also.includes(kind)) as readonly string[];
  const own = createHandlers(app).filter(({ kind }) => !without.includes(kind.kind));
  return await openScheduler(app, { handlers: own, lanes: 64, retry });
}
