/**
 * Implements `wheelwright dev`, which runs everything on this machine, to try Wheelwright or to develop it.
 *
 * PostgreSQL is real and stores its data in DATA_DIR. The cluster is simulated, unless `--kubeconfig` or
 * KUBECONFIG_HOST_PATH names a real one. The variables KUBECONFIG and DATABASE_URL are ignored, to protect production
 * systems.
 */
import { join } from "node:path";
import { type Config, readStartConfig } from "#lib/base/config.ts";
import { startEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { createLog, type Log } from "#lib/base/log.ts";
import { ensureFirstOperator } from "#lib/domains/users/bootstrap.ts";
import { renderBanner } from "../banner.ts";
import { findBuildInfo } from "../release.ts";
import { requireKubeconfig } from "../cluster-watch.ts";
import { createProgram } from "../compose.ts";
import { ensureSecretsKey, lockDataDirectory } from "../data-directory.ts";
import { runUntilStopped } from "../run.ts";
import { handleStopSignals, type StopSignals } from "../stop-signals.ts";
import type { OptionValues } from "../cli/command.ts";
import type { DEV_OPTIONS } from "./options.ts";
import { CommandError, EXIT } from "../cli/exit-status.ts";
import { type DevCluster, realCluster, resolvePort, startSimulatedCluster } from "./dev-cluster.ts";

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
    const config = await withSecretsKey(await resolvePort(startConfig));
    if (kubeconfig !== null) await requireKubeconfig({ file: kubeconfig });
    await startParts(config, kubeconfig, log);
  } finally {
    unlock();
  }
}

/** Adds the generated key for secrets, unless SECRETS_KEY is set. */
async function withSecretsKey(config: Config): Promise<Config> {
  if (config.secretsKeys.length > 0) return config;
  return { ...config, secretsKeys: [await ensureSecretsKey(config.dataDir)] };
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
      const databaseLine = `PostgreSQL in ${directory}`;
      const { sitePort } = cluster, { url } = database;
      const devConfig = { ...config, sitePort, database: { ...config.database, url, source: url } };
      await runControlPlane(devConfig, cluster, { databaseLine, stop, log });
    } finally {
      await database.stop();
    }
  } finally {
    await cluster.close();
  }
}

async function runControlPlane(
  config: Config,
  { source, description }: DevCluster,
  { databaseLine, stop, log }: {
    readonly databaseLine: string;
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
    process.stdout.write(
      renderBanner({
        version,
        url,
        ...admin,
        database: databaseLine,
        cluster: description,
        colours: config.log.colours,
      }),
    );
    process.stdout.write(`Listening on ${url}\n`);
    await stopped;
  } finally {
    await program.close();
  }
}
