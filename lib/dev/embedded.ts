/**
 * Real PostgreSQL under a directory of ours, from the binaries that the npm package `embedded-postgres` brings.
 *
 * `wheelwright dev` and the tests use it. The binaries are run by us rather than by that package, because the server
 * must have a process group of its own (Ctrl-C reaches the service alone, which drains before it stops the database),
 * must outlive a killed parent without being lost (the next start adopts it), and must run for root as well.
 *
 *   <directory>/data        the cluster
 *   <directory>/password    of its only user, made once, mode 0600
 *   <directory>/port        on 127.0.0.1, chosen once
 *   <directory>/server.log  what the server said since its last start
 */
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { linkLibraries } from "#lib/dev/embedded/libraries.ts";
import {
  choosePort,
  complaintIn,
  findBinaries,
  initialise,
  NAME,
  prepareDirectory,
  runTool,
  type ServerPlace,
} from "#lib/dev/embedded/place.ts";
import { isPostmasterOf, readPostmaster, stopPostmaster, untilServing } from "#lib/dev/embedded/postmaster.ts";
import { reasonOf, StartError } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

const PROBE = "wheelwright-embedded"; // the name under which our own looks at the server connect
const START_LIMIT = 60 * SECOND; // recovery after a power loss may replay a good deal of log

interface EmbeddedOptions {
  readonly directory: string;
  /** Whether a commit is on the disk before it is answered. Tests do without. */
  readonly durable: boolean;
  readonly log: Log;
}

export interface Embedded {
  readonly url: string;
  readonly pid: number;
  /** Whether the server was running already: its starter was killed, or shares it. */
  readonly adopted: boolean;
  /** Shuts the server down, unless another program is connected to it; then the last one to leave does. */
  stop(): Promise<void>;
}

interface Running {
  readonly pid: number;
  readonly port: number;
  readonly adopted: boolean;
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  try {
    const place = await prepareDirectory(options.directory);
    const { pid, port, adopted } = await adopt(place) ?? await start(place, options);
    const url = `postgres://${NAME}:${place.password}@127.0.0.1:${port}/${NAME}`;
    await createDatabase(url);
    options.log.debug(adopted ? "Adopted the running PostgreSQL" : "Started PostgreSQL", { pid, port });
    return { url, pid, adopted, stop: () => stop(url, pid, place.data, options) };
  } catch (error) {
    const next = "make room there, or set DATA_DIR to another directory";
    const message = `Cannot run PostgreSQL under ${options.directory}: ${reasonOf(error)}; ${next}`;
    throw new StartError(message, { cause: error });
  }
}

/** A server of this directory that runs already, once it takes connections. */
async function adopt({ data }: ServerPlace): Promise<Running | null> {
  const end = performance.now() + START_LIMIT;
  let found = await readPostmaster(data);
  while (found && await isPostmasterOf(found.pid, data)) {
    if (found.status === "ready") return { pid: found.pid, port: found.port, adopted: true };
    if (performance.now() > end) throw new Error(`its server, process ${found.pid}, is ${found.status} and stays so`);
    await sleep(20); // another start is under way, or the last stop is not over
    found = await readPostmaster(data);
  }
  // PostgreSQL itself would take any living process of our user with that pid for a server, and refuse to start.
  if (found) await rm(join(data, "postmaster.pid"), { force: true });
  return null;
}

async function start(place: ServerPlace, options: EmbeddedOptions): Promise<Running> {
  const binaries = findBinaries();
  await linkLibraries(join(binaries, "../.."));
  await initialise(place, join(binaries, "initdb"));
  const end = performance.now() + START_LIMIT;
  for (;;) {
    const port = await choosePort(place);
    const outcome = await launch(place, join(binaries, "postgres"), port, options.durable);
    if (typeof outcome === "number") return { pid: outcome, port, adopted: false };
    const running = await adopt(place); // another start of the same moment was quicker
    if (running) return running;
    // Workers of a killed server go by themselves within moments; until then their memory is in use.
    if (!/still in use|could not bind/.test(outcome) || performance.now() > end) {
      throw new Error(complaintIn(outcome));
    }
    await sleep(200);
  }
}

/** The pid of the server that now takes connections, or what it said before it gave up. */
async function launch(
  place: ServerPlace,
  postgresPath: string,
  port: number,
  durable: boolean,
): Promise<number | string> {
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "", // a socket's path may have about a hundred characters, a directory of ours many more
    max_connections: 200,
    timezone: "UTC",
    log_timezone: "UTC",
    ...(durable ? {} : { fsync: "off", full_page_writes: "off", autovacuum: "off" }),
  };
  const args = ["-D", place.data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  const said = join(place.directory, "server.log");
  await rm(said, { force: true });
  const output = await open(said, "a", 0o600);
  try {
    const child = await runTool(place, postgresPath, args, output.fd);
    let exited = false;
    child.once("exit", () => exited = true);
    const ready = await untilServing(place.data, child.pid!, START_LIMIT, () => exited || child.exitCode !== null);
    child.unref(); // it must not keep this process alive: what it is good for ends with stop()
    if (ready) return ready.pid;
    if (!exited) await stopPostmaster(child.pid!, place.data);
    return await readFile(said, "utf8");
  } finally {
    await output.close();
  }
}

async function createDatabase(url: string): Promise<void> {
  await withClient(url.replace(/[^/]*$/, "postgres"), async (sql) => {
    const found = await sql`select 1 from pg_database where datname = ${NAME}`;
    if (found.length > 0) return;
    await sql`create database ${sql(NAME)}`.catch((error) => {
      if (error.code !== "42P04" && error.code !== "23505") throw error; // another start made it at the same moment
    });
  });
}

async function stop(url: string, pid: number, data: string, options: EmbeddedOptions): Promise<void> {
  const others = options.durable && await hasOtherClients(url);
  if (others) return options.log.info("PostgreSQL keeps running: another program is connected to it", { pid });
  await stopPostmaster(pid, data);
}

/** Connections of ours may take a moment to be gone from the server's view after they were closed. */
async function hasOtherClients(url: string): Promise<boolean> {
  const end = performance.now() + SECOND;
  return await withClient(url, async (sql) => {
    for (;;) {
      const [row] = await sql`select count(*)::int as others from pg_stat_activity
        where backend_type = 'client backend' and application_name <> ${PROBE}`;
      if (row!.others === 0) return false;
      if (performance.now() > end) return true;
      await sleep(20);
    }
  }).catch(() => false); // a server that no longer answers has no clients, and stopping insists
}

async function withClient<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, connect_timeout: 10, connection: { application_name: PROBE } });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
