/** Runs the PostgreSQL server for a test run, with a template database. Each test's database is a copy of the template.
 *
 * TEST_DATABASE_URL selects a running server. Its user needs the right to create databases.
 * TEST_DATABASE=testcontainers starts a container. By default, starts an embedded server in a temporary directory. */
import { createHash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { startEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { loadMigrations } from "#test/support/migrations.ts";

export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function openPostgresServer(): Promise<PostgresServer> {
  const configuredUrl = process.env.TEST_DATABASE_URL;
  if (configuredUrl) return { url: configuredUrl, stop: () => Promise.resolve() };
  const kind = process.env.TEST_DATABASE ?? "embedded";
  if (kind === "testcontainers") return await openContainer();
  if (kind !== "embedded") throw new Error(`TEST_DATABASE is "${kind}", but must be "testcontainers" or absent`);
  return await openSeparatePostgresServer();
}

async function openContainer(): Promise<PostgresServer> {
  const { GenericContainer, Wait } = await import("testcontainers");
  const container = await new GenericContainer("postgres:18-alpine")
    .withEnvironment({ POSTGRES_PASSWORD: "postgres" })
    .withExposedPorts(5432)
    // Waits for the second such message: PostgreSQL starts once to initialise itself and once to serve.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  const url = `postgres://postgres:postgres@${container.getHost()}:${container.getMappedPort(5432)}/postgres`;
  return { url, stop: async () => void await container.stop() };
}

/** A separate database server for a single test, which the test can stop. */
export interface SeparatePostgresServer extends PostgresServer {
  /** The server's directory, with the database files in its subdirectory `data`. */
  readonly directory: string;
  /** Stops the server: SIGINT closes connections, and SIGQUIT is like a crash. Resolves when the server is stopped. */
  down(signal: "SIGINT" | "SIGQUIT"): Promise<void>;
  /** Starts the server again, at the same address as before. */
  up(): Promise<void>;
}

export async function openSeparatePostgresServer({ autovacuum = false } = {}): Promise<SeparatePostgresServer> {
  const directory = await mkdtemp(join(await findMemoryDirectory() ?? tmpdir(), "wheelwright-test-"));
  const start = () => startEmbeddedPostgres({ directory, durable: false, autovacuum, log: SILENT_LOG });
  let server = await start().catch((error) => {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  });
  // Cleans up when this process ends for any reason, even if a test did not close its database.
  const end = () => endNow(server.pid, directory);
  process.once("exit", end);
  return {
    url: server.url,
    directory,
    async down(signal) {
      process.kill(server.pid, signal);
      await server.stop();
    },
    async up() {
      server = await start();
    },
    async stop() {
      process.off("exit", end);
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const MEMORY = "/dev/shm", ROOM = 4 * 2 ** 30;

/** Returns a directory in memory with enough space, in which hundreds of databases can be created and dropped fast. */
async function findMemoryDirectory(): Promise<string | null> {
  const found = await statfs(MEMORY).catch(() => null);
  return found && found.bavail * found.bsize > ROOM ? MEMORY : null;
}

function endNow(pid: number, directory: string): void {
  try {
    process.kill(pid, "SIGQUIT"); // frees the shared memory, which would remain after SIGKILL
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let i = 0; i < 100 && existsSync(join(directory, "data/postmaster.pid")); i++) Atomics.wait(clock, 0, 0, 20);
  } catch {
    // Ignores the error: the process has already ended.
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** Returns the name of a migrated database without rows. Creates it unless it exists for the current files in sql/. */
export async function createTemplateDatabase(url: string): Promise<string> {
  const migrations = await loadMigrations();
  const hash = createHash("sha256").update(JSON.stringify(migrations)).digest("hex").slice(0, 12);
  const name = `wheelwright_template_${hash}`;
  await withAdminConnection(url, async (sql) => {
    await sql`select pg_advisory_lock(hashtextextended(${name}, 0))`; // held until this session ends
    // Recreates a database that is not marked as a template, because a killed test run may have left it incomplete.
    const [found] = await sql`select datistemplate as complete from pg_database where datname = ${name}`;
    if (found?.complete) return;
    await sql`drop database if exists ${sql(name)}`;
    await sql`create database ${sql(name)} encoding 'UTF8' lc_collate 'C' lc_ctype 'C'
      template template0 strategy file_copy`;
    await migrate(databaseUrl(url, name), migrations);
    await sql`alter database ${sql(name)} with is_template true`;
  });
  return name;
}

export async function dropTemplateDatabase(url: string, name: string): Promise<void> {
  await withAdminConnection(url, async (sql) => {
    await sql`alter database ${sql(name)} with is_template false`;
    await sql`drop database ${sql(name)} with (force)`;
  });
}

/** Returns the URL for another database on the same server and with the same user. */
export function databaseUrl(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}

/** Creates a client with at most `max` connections. Opens each connection on first use. */
export function connect(url: string, max: number, more: postgres.Options<Record<string, never>> = {}): postgres.Sql {
  return postgres(url, { max, onnotice: () => {}, ...more });
}

export async function withAdminConnection<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = connect(url, 1);
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
