/** Starts a separate database and servers as separate processes: Wheelwright's `serve` with its workers switched off,
 * and the peers in peers/. */
import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { installPeerPackages, type MeasuredServer, PROGRAM, startMeasuredServer } from "#test/bench/servers.ts";
import { findPostmaster } from "#test/bench/processor.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTemplateDatabase, openSeparatePostgresServer } from "#test/support/server.ts";

type Env = Readonly<Record<string, string>>;

interface Stage<Name extends string> {
  readonly db: TestDatabase;
  /** The process ID of the PostgreSQL server. */
  readonly postmaster: number;
  /** Starts Node with these arguments. The contender ends with the stage at the latest. */
  start(name: Name, line: readonly string[], env: Env): Promise<MeasuredServer<Name>>;
  /** Starts Wheelwright. `flags` are options of Node. */
  startOurs(name: Name, env: Env, flags?: readonly string[]): Promise<MeasuredServer<Name>>;
  close(): Promise<void>;
}

/** `profile` is a directory where Wheelwright writes a CPU profile when it ends. */
export async function startServers<Name extends string>(profile?: string): Promise<Stage<Name>> {
  installPeerPackages();
  // A signal alone would end this process without its "exit" event, in which the servers are stopped.
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    process.once(signal, () => process.exit(code));
  }
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  try {
    // Enables autovacuum as in production: plans made for an empty table must not stay.
    const server = await openSeparatePostgresServer({ autovacuum: true });
    closers.push(() => server.stop());
    const db = await openTestDatabase({}, { url: server.url, template: await createTemplateDatabase(server.url) });
    closers.push(() => db.close());
    await db.sql("alter system set autovacuum_naptime = '2s'");
    await db.sql("select pg_reload_conf()");
    const simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
    closers.push(() => simulator.close());
    const directory = await mkdtemp(join(tmpdir(), "wheelwright-bench-"));
    process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
    const kubeconfig = join(directory, "kubeconfig");
    await writeFile(kubeconfig, simulator.kubeconfig());

    const start = async (name: Name, line: readonly string[], env: Env) => {
      const contender = await startMeasuredServer(name, line, { ...env, DATABASE_URL: db.url }, directory);
      closers.push(contender.stop);
      return contender;
    };
    const profiling = profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : [];
    const startOurs = (name: Name, env: Env, flags: readonly string[] = []) =>
      start(name, [...profiling, ...flags, PROGRAM, "serve"], {
        HOST: "127.0.0.1",
        PORT: "0",
        PUBLIC_URL: "http://localhost:3000",
        KUBECONFIG: kubeconfig,
        ROOT_DOMAIN: "spokes.example.org",
        LOG_FORMAT: "json",
        SCHEDULER: "off",
        ...env,
      });
    return { db, postmaster: await findPostmaster(server.directory), start, startOurs, close };
  } catch (error) {
    await close();
    throw error;
  }
}
