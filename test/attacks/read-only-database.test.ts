/** Tests a database that becomes read-only, as in a failover. Reads succeed and writes get a retryable error. When the
 * database accepts writes again, they succeed without a restart. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { type ClientResponse, type TestClient, withToken } from "#test/support/client.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestToken, createTestUser } from "#test/support/users.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";
import {
  createTemplateDatabase,
  openSeparatePostgresServer,
  type SeparatePostgresServer,
  withAdminConnection,
} from "#test/support/server.ts";
import { until } from "#test/support/until.ts";

interface Scene {
  server: SeparatePostgresServer;
  db: TestDatabase;
  simulator: Simulator;
  directory: string;
  program: StartedProgram;
  client: TestClient;
}

const test = suite<Scene>("a read-only database");

test.before(async (scene) => {
  scene.server = await openSeparatePostgresServer();
  scene.db = await openTestDatabase({}, {
    url: scene.server.url,
    template: await createTemplateDatabase(scene.server.url),
  });
  scene.simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  scene.directory = await mkdtemp(join(tmpdir(), "wheelwright-standby-"));
  const kubeconfig = join(scene.directory, "kubeconfig");
  await writeFile(kubeconfig, scene.simulator.kubeconfig());
  scene.program = startProgram(["serve"], {
    HOST: "127.0.0.1",
    PORT: "0",
    PUBLIC_URL: "http://localhost:3000",
    DATABASE_URL: scene.db.url,
    DATABASE_POOL: "4",
    KUBECONFIG: kubeconfig,
    ROOT_DOMAIN: "spokes.example.org",
    LOG_FORMAT: "json",
  });
  const [, port] = /Listening on 127\.0\.0\.1:(\d+)/.exec(await scene.program.said(/Listening on /))!;
  const token = await createTestToken(scene.db, await createTestUser(scene.db, "ada", { operator: true }), "cli");
  scene.client = withToken(`http://127.0.0.1:${port}`, token.plaintext);
  await writes(scene, "before");
});
test.after(async ({ program, simulator, db, server, directory }) => {
  await program?.stop();
  await simulator?.close();
  await db.close().catch(() => {}); // a standby cannot drop the database; it ends with its server
  await server.stop();
  await rm(directory, { recursive: true });
});

const READS = ["auth/me", "federations", "federations/before", "federations/before/spokes", "my-spokes"]
  .concat(
    "federations/before/members",
    "notifications",
    "audit",
    "users",
    "federation-requests",
    "auth/tokens",
    "catalog",
  );

/** Waits until a hub can be created. */
async function writes({ client }: Scene, slug: string): Promise<void> {
  await until(async () => (await client.send("POST", "/api/federations", { slug })).status === 201);
}

const readAll = ({ client }: Scene): Promise<ClientResponse[]> =>
  Promise.all(READS.map((path) => client.send("GET", `/api/${path}`)));

/** Asserts how reads, writes and the readiness probe respond while the database is read-only. */
async function assertReadsOnly(scene: Scene): Promise<void> {
  const { client } = scene;
  const refused = await until(async () => {
    const answer = await client.send("POST", "/api/federations", { slug: "never" });
    return answer.body.message?.includes("is read-only") && answer;
  });
  assert.is(refused.status, 503);
  assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  assert.equal(refused.body.message, "The database is read-only right now; try again");
  assert.equal((await readAll(scene)).map(({ status }, i) => [READS[i], status]), READS.map((path) => [path, 200]));
  const ready = await until(async () => {
    const answer = await client.send("GET", "/api/readyz");
    return answer.status === 503 && answer;
  });
  assert.match(ready.body.message, /^Not ready: .*writes/);
}

/** Returns the warnings and errors since line `from`, without those of requests. Repeated entries of one operation
 * count once. */
function complaints({ program }: Scene, from: number): string[] {
  const entries = program.lines.slice(from).map((line) => JSON.parse(line));
  return entries.filter(({ level, requestId }) => ["warn", "error"].includes(level) && !requestId)
    .map(({ message, check, operation }) => [message, check, operation].join(" "));
}

test("replaces database sessions that stay read-only after the outage", async (scene) => {
  const { db } = scene, name = new URL(db.url).pathname.slice(1), from = scene.program.lines.length;
  await db.sql("update api_tokens set last_used_at = null"); // so that the next use updates last_used_at
  await db.sql(`alter database ${name} set default_transaction_read_only = on`);
  await db.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'wheelwright%'");
  await assertReadsOnly(scene);
  await db.sql(`alter database ${name} reset default_transaction_read_only`);
  await writes(scene, "after");
  await until(async () => (await scene.client.send("GET", "/api/readyz")).status === 200);
  const logged = complaints(scene, from);
  assert.equal(logged.filter((message, i) => logged.indexOf(message) !== i), [], "each is reported once");
});

test("serves reads from a standby, and writes once it is promoted", async (scene) => {
  const { server, db } = scene;
  await server.down("SIGINT");
  await writeFile(join(server.directory, "data/standby.signal"), "");
  await server.up();
  await assertReadsOnly(scene);
  await withAdminConnection(db.url, (sql) => sql`select pg_promote()`);
  await writes(scene, "promoted");
});

test.run();
