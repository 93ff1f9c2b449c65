/**
 * Runs a real PostgreSQL server in a directory, with the programs from the npm package `embedded-postgres`.
 *
 * `wheelwright dev` and the tests use this server. This module does not use the API of that package, because:
 * - The server needs its own process group. Ctrl-C then reaches only Wheelwright, which finishes its work before it
 *   stops the server.
 * - The server must keep running if its parent process is killed. The next start then uses the running server.
 * - The server must also work if the parent process runs as root.
 *
 *   <directory>/data        PostgreSQL's data directory
 *   <directory>/password    the password for its only user, created once, mode 0600
 *   <directory>/port        the port on 127.0.0.1, chosen once
 *   <directory>/server.log  the server's output since its last start
 */
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { getErrorReason, StartError } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import {
  choosePostgresPort,
  DATABASE_NAME,
  extractPostgresError,
  findPostgresBinaries,
  linkPostgresLibraries,
  type PostgresDirectory,
  preparePostgresDirectory,
  runInitdb,
  spawnPostgresProgram,
} from "#lib/dev/embedded/data-directory.ts";
import {
  isPostmasterRunning,
  readPostmasterFile,
  stopPostmaster,
  waitUntilPostgresReady,
} from "#lib/dev/embedded/postmaster.ts";

const APPLICATION_NAME = "wheelwright-embedded"; // identifies the connections of this module in pg_stat_activity
const START_LIMIT = 60 * SECOND; // the longest wait for the server; recovery after a power loss can be slow

interface EmbeddedOptions {
  readonly directory: string;
  /** Whether commits are flushed to disk (fsync). Tests turn this off. */
  readonly durable: boolean;
  /** Whether the server keeps its statistics up to date. Defaults to `durable`. */
  readonly autovacuum?: boolean;
  readonly log: Log;
}

export interface EmbeddedPostgres {
  readonly url: string;
  readonly pid: number;
  /** Whether the server was already running, for example because the program that had started it was killed. */
  readonly adopted: boolean;
  /** Stops the server, unless `durable` is set and other programs are still connected to it. */
  stop(): Promise<void>;
}

interface RunningServer {
  readonly pid: number;
  readonly port: number;
  readonly adopted: boolean;
}

export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    const files = await preparePostgresDirectory(options.directory);
    const { pid, port, adopted } = await adopt(files) ?? await start(files, options);
    const url = `postgres://${DATABASE_NAME}:${files.password}@127.0.0.1:${port}/${DATABASE_NAME}`;
    await createDatabase(url);
    options.log.debug(adopted ? "Using the running PostgreSQL server" : "Started PostgreSQL", { pid, port });
    return { url, pid, adopted, stop: () => stop(url, pid, files.data, options) };
  } catch (error) {
    const next = "free disk space in this directory, or set DATA_DIR to another directory";
    const message = `Cannot run PostgreSQL in ${options.directory}: ${getErrorReason(error)}; ${next}`;
    throw new StartError(message, { cause: error });
  }
}

/** If a server already runs in this directory, waits until it accepts connections. Otherwise returns null. */
async function adopt({ data }: PostgresDirectory): Promise<RunningServer | null> {
  const end = performance.now() + START_LIMIT;
  let postmaster = await readPostmasterFile(data);
  while (postmaster && await isPostmasterRunning(postmaster.pid, data)) {
    if (postmaster.status === "ready") return { pid: postmaster.pid, port: postmaster.port, adopted: true };
    if (performance.now() > end) throw new Error(`the server process ${postmaster.pid} is still ${postmaster.status}`);
    await sleep(20); // another process is starting or stopping the server
    postmaster = await readPostmasterFile(data);
  }
  // Removes a stale PID file: PostgreSQL would refuse to start if another process of this user now had that PID.
  if (postmaster) await rm(join(data, "postmaster.pid"), { force: true });
  return null;
}

async function start(files: PostgresDirectory, options: EmbeddedOptions): Promise<RunningServer> {
  const binaries = findPostgresBinaries();
  await linkPostgresLibraries(join(binaries, "../.."));
  await runInitdb(files, join(binaries, "initdb"));
  const end = performance.now() + START_LIMIT;
  for (;;) {
    const port = await choosePostgresPort(files);
    const outcome = await launch(files, join(binaries, "postgres"), port, options);
    if (typeof outcome === "number") return { pid: outcome, port, adopted: false };
    const running = await adopt(files); // another process may have started the server first
    if (running) return running;
    // Throws unless workers of a killed server still hold its shared memory. They soon exit, so the start is retried.
    if (!/still in use|could not bind/.test(outcome) || performance.now() > end) {
      throw new Error(extractPostgresError(outcome));
    }
    await sleep(200);
  }
}

/** Starts the server. Returns its PID once it accepts connections, or its log output if the start fails. */
async function launch(
  files: PostgresDirectory,
  postgresPath: string,
  port: number,
  { durable, autovacuum = durable }: Pick<EmbeddedOptions, "durable" | "autovacuum">,
): Promise<number | string> {
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "", // no socket: its path could exceed the limit of about 100 characters
    max_connections: 200,
    timezone: "UTC",
    log_timezone: "UTC",
    ...(durable ? {} : { fsync: "off", full_page_writes: "off" }),
    ...(autovacuum ? {} : { autovacuum: "off" }),
  };
  const args = ["-D", files.data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  const logFile = join(files.directory, "server.log");
  await rm(logFile, { force: true });
  const output = await open(logFile, "a", 0o600);
  try {
    const child = await spawnPostgresProgram(files, postgresPath, args, output.fd);
    let exited = false;
    child.once("exit", () => exited = true);
    const ready = await waitUntilPostgresReady(
      files.data,
      child.pid!,
      START_LIMIT,
      () => exited || child.exitCode !== null,
    );
    child.unref(); // the server must not keep this process alive
    if (ready) return ready.pid;
    if (!exited) await stopPostmaster(child.pid!, files.data);
    return await readFile(logFile, "utf8");
  } finally {
    await output.close();
  }
}

async function createDatabase(url: string): Promise<void> {
  await withClient(url.replace(/[^/]*$/, "postgres"), async (sql) => {
    const postmaster = await sql`select 1 from pg_database where datname = ${DATABASE_NAME}`;
    if (postmaster.length > 0) return;
    await sql`create database ${sql(DATABASE_NAME)}`.catch((error) => {
      if (error.code !== "42P04" && error.code !== "23505") throw error; // ignores the error if the database exists
    });
  });
}

async function stop(url: string, pid: number, data: string, options: EmbeddedOptions): Promise<void> {
  const others = options.durable && await hasOtherClients(url);
  if (others) return options.log.info("PostgreSQL keeps running because another program is connected to it", { pid });
  await stopPostmaster(pid, data);
}

/** Whether other programs are connected. Checks for up to one second: closed connections may still be listed. */
async function hasOtherClients(url: string): Promise<boolean> {
  const end = performance.now() + SECOND;
  return await withClient(url, async (sql) => {
    for (;;) {
      const [row] = await sql`select count(*)::int as others from pg_stat_activity
        where backend_type = 'client backend' and application_name <> ${APPLICATION_NAME}`;
      if (row!.others === 0) return false;
      if (performance.now() > end) return true;
      await sleep(20);
    }
  }).catch(() => false); // a server that does not respond has no clients
}

async function withClient<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, connect_timeout: 10, connection: { application_name: APPLICATION_NAME } });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
