/**
 * `wheelwright dev`: everything on this machine, for whoever wants to see it work or works on it.
 *
 * PostgreSQL is real and runs under DATA_DIR; the cluster is simulated unless one is named on purpose: an exported
 * KUBECONFIG or DATABASE_URL is not used, so that nobody's production is touched by accident.
 */
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Config, readProcessConfig, withPort } from "#lib/config.ts";
import { openEmbedded } from "#lib/db/embedded.ts";
import { type Log, openLog } from "#lib/log.ts";
import { openSimulator } from "#lib/simulator/open.ts";
import type { Database } from "#lib/db/database.ts";
import { createOperator } from "#lib/users/bootstrap.ts";
import { firstOperatorEmail } from "#lib/users/store.ts";
import { banner } from "../banner.ts";
import type { ClusterSource } from "../clusters.ts";
import { compose } from "../compose.ts";
import { runUntilStopped } from "../run.ts";
import { CommandError, EX_UNAVAILABLE, type Given } from "./command.ts";

interface Place {
  readonly source: ClusterSource;
  readonly told: string;
  close(): Promise<void>;
}

export async function dev({ options }: Given): Promise<void> {
  const config = readProcessConfig("dev");
  const log = openLog({ ...config.log, write: (line) => process.stdout.write(line) });
  if (config.port !== 0) await requireFreePort(config);
  await mkdir(config.dataDir, { recursive: true });
  const kubeconfig = typeof options.kubeconfig === "string" ? options.kubeconfig : config.kubeconfig;
  const directory = join(config.dataDir, "postgres");
  const [database, place] = await Promise.all([
    openEmbedded({ directory, durable: true, log }),
    kubeconfig ? realCluster(kubeconfig) : simulatedCluster(config, log),
  ]);
  let stopping: Promise<void> | undefined;
  const stopRest = () => stopping ??= place.close().finally(() => database.stop());
  try {
    const own = { ...config, database: { ...config.database, url: database.url } };
    const program = await compose(own, place.source, log);
    const admin = await firstOperator(program.app.db, config);
    const { port, stopped } = await runUntilStopped(program, stopRest);
    const url = withPort(config, port).publicUrl.href.replace(/\/$/, "");
    process.stdout.write(banner({
      version: program.app.release.version,
      url,
      ...admin,
      database: `PostgreSQL, real, embedded in ${directory}`,
      cluster: place.told,
      colours: process.stdout.isTTY === true,
    }));
    process.stdout.write(`Listening on ${url}\n`);
    await stopped;
  } catch (error) {
    await stopRest();
    throw error;
  }
}

async function simulatedCluster(config: Config, log: Log): Promise<Place> {
  const state = join(config.dataDir, "cluster.json");
  const simulator = await openSimulator({ delayMs: config.simulatorDelayMs, state, log });
  return {
    source: { text: simulator.kubeconfig() },
    told: `simulated, on ${simulator.url}; no Moodle behind the links`,
    close: () => simulator.close(),
  };
}

function realCluster(file: string): Promise<Place> {
  return Promise.resolve({ source: { file }, told: `real, by ${file}`, close: () => Promise.resolve() });
}

/** Who signs in here: the operator of the variables, or one whose password is made, and told, at the first start alone. */
async function firstOperator(db: Database, config: Config): Promise<{ email: string; password: string | null }> {
  const admin = config.bootstrapAdmin ?? { email: "admin@wheelwright.localhost", password: newPassword() };
  if (await createOperator(db, admin)) return admin;
  return { email: await firstOperatorEmail(db.rows) ?? admin.email, password: null };
}

/** Four groups of five letters and digits: 100 bits, and nothing in it that a shell or JSON would mind. */
function newPassword(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(20))].map((byte) => (byte % 32).toString(32)).join("");
  return letters.match(/.{5}/g)!.join("-");
}

/** Tells early, before anything was started, that the address is taken. */
function requireFreePort({ host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (cause) => {
      const message = `Port ${port} is in use, perhaps by another Wheelwright; stop it or set PORT to another one`;
      reject(new CommandError(EX_UNAVAILABLE, message, { cause }));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
