/**
 * Creates the program's parts, such as the database, the clusters and the scheduler, from the configuration. Opens each
 * part after its dependencies, and closes the parts in reverse order.
 */
import type { App } from "#lib/app.ts";
import { loadBlueprint } from "#lib/moodle/blueprint.ts";
import { loadCatalog, readCatalog } from "#lib/catalog/load.ts";
import { requireChargeablePrices } from "#lib/catalog/prices.ts";
import type { Config } from "#lib/base/config.ts";
import { openCryptography } from "#lib/drivers/crypto/open.ts";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { type CallCounter, openCallCounter } from "#lib/domains/deprecations/calls.ts";
import { recordFirstAnnouncements } from "#lib/domains/deprecations/store.ts";
import { ANNOUNCED_LIMITS } from "#lib/domains/deprecations/limits.ts";
import { openHubFeeds } from "#lib/events/feed.ts";
import { watchDatabaseHold } from "#lib/installation/database-hold.ts";
import { decideEventVisibility } from "#lib/domains/federations/follow.ts";
import type { Manifest } from "#lib/http/endpoint.ts";
import { collectAnnouncedChanges, postponeAnnouncedChanges } from "#lib/http/deprecation.ts";
import { createTelemetry } from "#lib/base/telemetry.ts";
import { type FleetCounter, startFleetCounter } from "#lib/domains/fleet/watch.ts";
import type { MetricsRegistry } from "#lib/metrics/registry.ts";
import { createId } from "#lib/base/ids.ts";
import { createLoginThrottle } from "#lib/base/limits/login-attempts.ts";
import type { Log } from "#lib/base/log.ts";
import { openMailTransport } from "#lib/drivers/mail/open.ts";
import { openOutgoingClients } from "#lib/drivers/webhooks/open.ts";
import { loadSignInProviders } from "#lib/openid/load.ts";
import { createSignInProviders } from "#lib/openid/providers.ts";
import { openPaymentProvider } from "#lib/drivers/payments/open.ts";
import { openScheduler, type Scheduler } from "#lib/scheduler/scheduler.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { blueprint as builtInBlueprint } from "./blueprints.ts";
import { type ClusterConnectionSource, openClusterConnections } from "./clusters.ts";
import { manifest } from "./manifest.ts";
import { migrations } from "./migrations.ts";
import { readProgramRelease } from "./release.ts";

export interface Program {
  readonly app: App;
  /** The API routes, including the deprecation dates that apply to this deployment. */
  readonly manifest: Manifest;
  readonly scheduler: Scheduler | null;
  readonly calls: CallCounter;
  readonly clusterNames: readonly string[];
  /** The metrics; null if METRICS_PORT is not set. */
  readonly metrics: { readonly registry: MetricsRegistry; readonly fleet: FleetCounter } | null;
  /** Stops claiming jobs, waits up to `graceMs` milliseconds for running steps, then releases all unfinished jobs. */
  drain(graceMs: number): Promise<void>;
  /** Ends all event streams. The last message tells clients how long to wait before they reconnect. */
  endStreams(): void;
  close(): Promise<void>;
}

const IGNORED_OTEL_MESSAGE =
  "Some OpenTelemetry variables are ignored: Wheelwright exports only traces, as JSON over HTTP";

export async function createProgram(
  config: Config,
  source: ClusterConnectionSource,
  log: Log,
  routes: Manifest = manifest,
): Promise<Program> {
  const opened: (() => unknown)[] = [];
  const closeAll = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const declared = collectAnnouncedChanges(routes, ANNOUNCED_LIMITS); // runs first, because it may throw
    const blueprint = await loadBlueprint(builtInBlueprint, config.blueprintDir);
    const catalog = loadCatalog(await readCatalog(config.catalog), blueprint);
    const providers = createSignInProviders(await loadSignInProviders(config.signInProviders));
    if (config.stripe) requireChargeablePrices(catalog);
    // Loads the modules for metrics and traces only if these are enabled.
    const registry = config.metricsPort === null
      ? null
      : (await import("#lib/metrics/registry.ts")).createMetricsRegistry();
    const replicaId = createId("rep");
    const onDropped = () => telemetry.record("span_dropped", {});
    const traces = config.traces &&
      (await import("#lib/drivers/traces/open.ts")).openTracing(config.traces, {
        log,
        replicaId,
        ...readProgramRelease(),
        onDropped,
      });
    if (traces && config.ignoredOtelVariables.length > 0) {
      log.warn(IGNORED_OTEL_MESSAGE, { variables: config.ignoredOtelVariables });
    }
    opened.push(() => traces?.close());
    const telemetry = createTelemetry([registry?.observer, traces?.observer].filter((each) => each !== undefined));
    const clusters = openClusterConnections(source, { catalog, role: config.clusterRole, log, telemetry }, replicaId);
    opened.push(() => clusters.close());
    const { source: url, ownerSource, pool } = config.database, streams = Math.max(1, Math.floor(pool / 5));
    const applied = await migrate(url, migrations, ownerSource, (text) => log.warn(text));
    if (applied.length > 0) log.debug("Migrated the database", { applied });
    const db = await openDatabase({ url, size: pool - streams, streams, log, telemetry });
    opened.push(() => db.close());
    const announced = postponeAnnouncedChanges(
      routes,
      ANNOUNCED_LIMITS,
      await recordFirstAnnouncements(db.rows, declared),
    );
    const hold = await watchDatabaseHold(db, log);
    opened.push(() => hold.close());
    log.debug("Starting the replica", { replica: replicaId });
    const feeds = openHubFeeds(db, log, { readVisibility: decideEventVisibility, maxStreams: config.maxStreams });
    opened.push(() => feeds.close());
    const outgoing = openOutgoingClients(config, readProgramRelease().version);
    opened.push(outgoing.close);
    const app: App = Object.freeze({
      config,
      log,
      telemetry,
      db,
      feeds,
      clusters,
      ...outgoing.clients,
      ...openCryptography(config.secretsKeys),
      loginAttempts: createLoginThrottle(),
      blueprint,
      catalog,
      providers,
      payments: config.stripe ? openPaymentProvider({ ...config.stripe, telemetry }) : null,
      notices: collectAnnouncedChanges(announced.manifest, announced.limits),
      release: readProgramRelease(),
      held: hold.current,
    });
    const fleet = registry && startFleetCounter(app);
    opened.push(() => fleet?.close());
    const calls = openCallCounter({ db, log });
    opened.push(() => calls.close());
    const { on, lanes } = config.scheduler;
    const mailTransport = on ? openMailTransport(config, telemetry) : null;
    opened.push(() => mailTransport?.close());
    const scheduler = on
      ? await openScheduler(app, { handlers: createHandlers(app, mailTransport), lanes, replicaId, telemetry })
      : null;
    opened.push(() => scheduler?.close());
    return {
      app,
      manifest: announced.manifest,
      scheduler,
      calls,
      clusterNames: clusters.names,
      metrics: registry && fleet && { registry, fleet },
      async drain(graceMs) {
        await Promise.all([scheduler?.drain(graceMs), calls.flush()]);
      },
      endStreams: () => feeds.close(),
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
