/**
 * Implements `wheelwright dev`, which runs everything on this machine, to try Wheelwright or to develop it.
 *
 * PostgreSQL is real and stores its data in DATA_DIR. The cluster is simulated, unless `--kubeconfig` or
 * KUBECONFIG_HOST_PATH names a real one. The variables KUBECONFIG and DATABASE_URL are ignored, to protect production
 * systems.
 */
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { buildPublicUrl, type Config, readStartConfig } from "#lib/base/config.ts";
import { startEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { createLog, type Log } from "#lib/base/log.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { ensureFirstOperator } from "#lib/domains/users/bootstrap.ts";
import { type BannerData, renderBanner } from "../banner.ts";
import { findBuildInfo } from "../release.ts";
import { requireKubeconfig } from "../cluster-watch.ts";
import type { ClusterConnectionSource } from "../clusters.ts";
import { createProgram } from "../compose.ts";
import { lockDataDirectory, readSitePort, writeSitePort } from "../data-directory.ts";
import { runUntilStopped } from "../run.ts";
import { handleStopSignals, type StopSignals } from "../stop-signals.ts";
import { createListenError } from "./listen-error.ts";
import type { OptionValues } from "../cli/command.ts";
import type { DEV_OPTIONS } from "./options.ts";
import { CommandError, EXIT } from "../cli/exit-status.ts";

interface DevCluster {
  readonly source: ClusterConnectionSource;
  readonly description: string;
  /** The port on which simulated sites are served. Null if the cluster is real. */
  readonly sitePort: number | null;
  close(): Promise<void>;
}

export async function runDev(options: OptionValues<typeof DEV_OPTIONS>): Promise<void> {
  if (findBuildInfo()) {
    const message = "wheelwright dev needs the source checkout, which includes PostgreSQL. " +
      "Run npm ci --omit=dev && npm start in a checkout, or run wheelwright serve with your own database";
    throw new CommandError(EXIT.unavailable, message);
  }
  const startConfig = readStartConfig("dev");
  const log = createLog({ ...startConfig.log, write: (line) => process.stdout.write(line) });
  const kubeconfig = options.kubeconfig ?? startConfig.kubeconfig;
  const unlock = await lockDataDirectory(startConfig.dataDir);
  try {
    const config = await resolvePort(startConfig);
    if (kubeconfig !== null) await requireKubeconfig({ file: kubeconfig });
    await startParts(config, kubeconfig, log);
  } finally {
    unlock();
  }
}

/** Starts the parts of the program one after another. If a stop signal arrives meanwhile, closes the started parts. */
async function startParts(config: Config, kubeconfig: string | null, log: Log): Promise<void> {
  const stop = handleStopSignals();
  log.info(kubeconfig === null ? "Starting the simulated cluster" : `Using the cluster in ${kubeconfig}`);
  const cluster = kubeconfig === null ? await startSimulatedCluster(config, log) : realCluster(kubeconfig);
  try {
    const directory = join(config.dataDir, "postgres");
    log.info(`Starting PostgreSQL in ${directory}`);
    const database = await startEmbeddedPostgres({ directory, durable: true, log });
    try {
      stop.throwIfStopped();
      const bannerLines = { database: `PostgreSQL in ${directory}`, cluster: cluster.description };
      const { sitePort } = cluster, { url } = database;
      const devConfig = { ...config, sitePort, database: { ...config.database, url, source: url } };
      await runControlPlane(devConfig, cluster.source, { bannerLines, stop, log });
    } finally {
      await database.stop();
    }
  } finally {
    await cluster.close();
  }
}

async function runControlPlane(
  config: Config,
  source: ClusterConnectionSource,
  { bannerLines, stop, log }: {
    readonly bannerLines: Pick<BannerData, "database" | "cluster">;
    readonly stop: StopSignals;
    readonly log: Log;
  },
): Promise<void> {
  log.info("Starting the control plane");
  const program = await createProgram(config, source, log);
  try {
    const admin = await ensureFirstOperator(program.app.db, config.bootstrapAdmin, log);
    stop.throwIfStopped();
    const { stopped } = await runUntilStopped(program, stop);
    const url = config.publicUrl.href.replace(/\/$/, "");
    const { version } = program.app.release;
    if (config.mailDirectory) {
      log.info(`Mail is written to ${config.mailDirectory} instead of being sent. To send mail, set SMTP_HOST`);
    }
    process.stdout.write(renderBanner({ version, url, ...admin, ...bannerLines, colours: config.log.colours }));
    process.stdout.write(`Listening on ${url}\n`);
    await stopped;
  } finally {
    await program.close();
  }
}

async function startSimulatedCluster(config: Config, log: Log): Promise<DevCluster> {
  const state = join(config.dataDir, "cluster.json");
  const { simulatorDelayMs: delayMs, simulatorFactor: measured } = config;
  const storedPort = await readSitePort(config.dataDir);
  const sites = { port: storedPort ?? (config.port + 80) % 65_536 };
  const simulator = await openSimulator({ delayMs, measured, state, sites, log });
  const sitePort = simulator.sitePort!;
  if (storedPort === null) await writeSitePort(config.dataDir, sitePort);
  else if (sitePort !== storedPort) {
    const text =
      `Port ${storedPort} for simulated sites is in use. Addresses of existing sites do not work until the next start`;
    log.warn(text, { port: sitePort });
  }
  return {
    source: { text: simulator.kubeconfig() },
    sitePort,
    description:
      `simulated, on ${simulator.url}; sites on port ${sitePort}. For a real cluster: npm start -- --kubeconfig FILE`,
    close: () => simulator.close(),
  };
}

function realCluster(file: string): DevCluster {
  return { source: { file }, sitePort: null, description: `from ${file}`, close: () => Promise.resolve() };
}

/** Checks that the configured address is free first. Replaces port 0 with a free port, so that links can contain it. */
function resolvePort(config: Config): Promise<Config> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (cause) => reject(createListenError(config, cause)));
    probe.listen(config.port, config.host, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve({ ...config, port, publicUrl: buildPublicUrl(port, config) }));
    });
  });
}
