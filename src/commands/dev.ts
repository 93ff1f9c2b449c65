/**
 * Implements `wheelwright dev`: runs everything on this machine, to try Wheelwright or to develop it.
 *
 * PostgreSQL is real and runs in DATA_DIR. The cluster is simulated, unless `--kubeconfig` or KUBECONFIG_HOST_PATH
 * names one. An exported KUBECONFIG or DATABASE_URL is ignored, so that a production system is never changed by
 * accident.
 */
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { type Config, publicUrlWithPort, readStartConfig } from "#lib/base/config.ts";
import { openEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { type Log, openLog } from "#lib/base/log.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { ensureFirstOperator } from "#lib/domains/users/bootstrap.ts";
import { banner, type Greeting } from "../banner.ts";
import { built } from "../release.ts";
import { requireKubeconfig } from "../cluster-watch.ts";
import type { ClusterSource } from "../clusters.ts";
import { compose } from "../compose.ts";
import { holdDirectory } from "../data-directory.ts";
import { runUntilStopped } from "../run.ts";
import { readSitePort, writeSitePort } from "../site-port.ts";
import { awaitStop, type Stop } from "../stop-signals.ts";
import { cannotListen } from "./listen-error.ts";
import { CommandError, EX_UNAVAILABLE, type Given } from "./command.ts";

interface Place {
  readonly source: ClusterSource;
  readonly told: string;
  /** The port of the simulated sites. Null for a real cluster. */
  readonly sitePort: number | null;
  close(): Promise<void>;
}

export async function dev({ options }: Given<{ kubeconfig?: string }>): Promise<void> {
  if (built()) {
    const message = "wheelwright dev belongs to the source checkout, which brings a PostgreSQL along: " +
      "run npm ci --omit=dev && npm start there, or here wheelwright serve with a database of yours";
    throw new CommandError(EX_UNAVAILABLE, message);
  }
  const wanted = readStartConfig("dev");
  const log = openLog({ ...wanted.log, write: (line) => process.stdout.write(line) });
  const kubeconfig = options.kubeconfig ?? wanted.kubeconfig;
  const letGo = await holdDirectory(wanted.dataDir);
  try {
    const config = await settlePort(wanted);
    if (kubeconfig !== null) await requireKubeconfig({ file: kubeconfig });
    await startParts(config, kubeconfig, log);
  } finally {
    letGo();
  }
}

/** Starts the parts one after another. A signal between two parts closes those that have started. */
async function startParts(config: Config, kubeconfig: string | null, log: Log): Promise<void> {
  const stop = awaitStop();
  log.info(kubeconfig === null ? "Starting the simulated cluster" : `Using the cluster of ${kubeconfig}`);
  const place = kubeconfig === null ? await simulatedCluster(config, log) : realCluster(kubeconfig);
  try {
    const directory = join(config.dataDir, "postgres");
    log.info(`Starting PostgreSQL in ${directory}`);
    const database = await openEmbeddedPostgres({ directory, durable: true, log });
    try {
      stop.check();
      const told = { database: `PostgreSQL, real, embedded in ${directory}`, cluster: place.told };
      const { sitePort } = place, { url } = database;
      await runOn({ ...config, sitePort, database: { ...config.database, url, source: url } }, place.source, {
        told,
        stop,
        log,
      });
    } finally {
      await database.stop();
    }
  } finally {
    await place.close();
  }
}

interface Outfit {
  readonly told: Pick<Greeting, "database" | "cluster">;
  readonly stop: Stop;
  readonly log: Log;
}

async function runOn(config: Config, source: ClusterSource, { told, stop, log }: Outfit): Promise<void> {
  log.info("Starting the control plane");
  const program = await compose(config, source, log);
  try {
    const admin = await ensureFirstOperator(program.app.db, config.bootstrapAdmin, log);
    stop.check();
    const { stopped } = await runUntilStopped(program, stop);
    const url = config.publicUrl.href.replace(/\/$/, "");
    const { version } = program.app.release;
    if (config.mailDirectory) {
      log.info(`Mail is not sent but written to ${config.mailDirectory}; set SMTP_HOST to send it`);
    }
    process.stdout.write(banner({ version, url, ...admin, ...told, colours: config.log.colours }));
    process.stdout.write(`Listening on ${url}\n`);
    await stopped;
  } finally {
    await program.close();
  }
}

async function simulatedCluster(config: Config, log: Log): Promise<Place> {
  const state = join(config.dataDir, "cluster.json");
  const { simulatorDelayMs: delayMs, simulatorFactor: measured } = config;
  const kept = await readSitePort(config.dataDir);
  const sites = { port: kept ?? (config.port + 80) % 65_536 };
  const simulator = await openSimulator({ delayMs, measured, state, sites, log });
  const sitePort = simulator.sitePort!;
  if (kept === null) await writeSitePort(config.dataDir, sitePort);
  else if (sitePort !== kept) {
    const text =
      `Port ${kept} of the simulated sites is taken; the addresses of existing sites do not work in this run`;
    log.warn(text, { port: sitePort });
  }
  return {
    source: { text: simulator.kubeconfig() },
    sitePort,
    told: `simulated, on ${simulator.url}; sites on port ${sitePort}; npm start -- --kubeconfig FILE for a real one`,
    close: () => simulator.close(),
  };
}

function realCluster(file: string): Place {
  return { source: { file }, sitePort: null, told: `real, by ${file}`, close: () => Promise.resolve() };
}

/** Checks that the address is free before any part starts. Replaces port 0 with a free port, which links need. */
function settlePort(config: Config): Promise<Config> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (cause) => reject(cannotListen(config, cause)));
    probe.listen(config.port, config.host, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve({ ...config, port, publicUrl: publicUrlWithPort(port, config) }));
    });
  });
}
