/** Tests the control plane on a database and a cluster: shared state of replicas, and warnings. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { signIn } from "#test/support/client.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";
import { createTestToken, createTestUser } from "#test/support/users.ts";
import { openProxy } from "#test/support/proxy.ts";
import { until } from "#test/support/until.ts";

interface Scene {
  db: TestDatabase;
  simulator: Simulator;
  directory: string;
  env: Record<string, string>;
}

const test = suite<Scene>("wheelwright serve");

test.before(async (scene) => {
  scene.db = await openTestDatabase();
  scene.simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  scene.directory = await mkdtemp(join(tmpdir(), "wheelwright-serve-"));
  await writeFile(join(scene.directory, "kubeconfig"), scene.simulator.kubeconfig());
  scene.env = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: scene.db.url,
    KUBECONFIG: join(scene.directory, "kubeconfig"),
    PUBLIC_URL: "http://localhost:3000",
    ROOT_DOMAIN: "spokes.example.org",
    BOOTSTRAP_ADMIN_EMAIL: "ada@school.example",
    BOOTSTRAP_ADMIN_PASSWORD: "correct horse battery",
  };
});
test.after(async (scene) => {
  await scene.simulator.close();
  await scene.db.close();
  await rm(scene.directory, { recursive: true });
});

async function portOf(program: StartedProgram): Promise<string> {
  return /Listening on 127\.0\.0\.1:(\d+)/.exec(await program.said(/Listening on/))![1]!;
}

test("two replicas on one database share all records and create one operator", async ({ env, db }) => {
  const programs = [startProgram(["serve"], env), startProgram(["serve"], env)] as const;
  const [a, b] = [await portOf(programs[0]), await portOf(programs[1])];
  const here = await signIn(`http://127.0.0.1:${a}`, "ada@school.example", "correct horse battery");
  const there = await signIn(`http://127.0.0.1:${b}`, "ada@school.example", "correct horse battery");
  await here.send("POST", "/api/federations", { slug: "north" });
  const { body: spoke } = await here.send("POST", "/api/federations/north/spokes", { slug: "ash" });
  for await (const { event } of there.events("north", 0)) if (event === "SpokeUpdateActive") break;
  assert.is((await there.send("GET", `/api/spokes/${spoke.id}`)).body.state, "active");
  assert.is((await db.sql("select count(*)::int as n from users"))[0].n, 1);
  assert.equal([await programs[0].stop(), await programs[1].stop()], [0, 0]);
});

test("warns if the first operator is not configured", async ({ env }) => {
  const { BOOTSTRAP_ADMIN_EMAIL: _, BOOTSTRAP_ADMIN_PASSWORD: __, ...rest } = env;
  const db = await openTestDatabase();
  const program = startProgram(["serve"], { ...rest, DATABASE_URL: db.url, PUBLIC_URL: "http://192.0.2.2:4998" });
  await portOf(program);
  assert.is(await program.stop(), 0);
  const warned = (pattern: RegExp) => program.lines.filter((line) => pattern.test(line)).length;
  assert.is(warned(/"warn".*No operator exists: to create an operator, set BOOTSTRAP_ADMIN_EMAIL and/), 1);
  assert.is(warned(/"warn".*PUBLIC_URL is http: browsers drop the session cookie/), 1);
  await db.close();
});

test("starts without a reachable cluster, accepts requests, and runs them once the cluster answers", async (scene) => {
  const cluster = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  const kubeconfig = join(scene.directory, "kubeconfig-away");
  await writeFile(kubeconfig, cluster.kubeconfig());
  await cluster.close();
  const program = startProgram(["serve"], { ...scene.env, KUBECONFIG: kubeconfig });
  const url = `http://127.0.0.1:${await portOf(program)}`;
  const notes = async () => (await (await fetch(`${url}/api/readyz`)).json()).notes;
  assert.equal(await notes(), ["The cluster does not respond. Operations that need it are waiting"]);
  await program.said(/"warn".*PUBLIC_URL http:\/\/localhost:3000\/ points to the local machine/);
  assert.match(await program.said(/The cluster does not respond/), /"warn".*"reason":"connection refused"/);
  const client = await signIn(url, "ada@school.example", "correct horse battery");
  assert.is((await client.send("POST", "/api/federations", { slug: "south" })).body.state, "provisioning");

  const back = await openSimulator({ delayMs: 0, log: SILENT_LOG, port: Number(new URL(cluster.url).port) });
  for await (const { event } of client.events("south", 0)) if (event === "FederationUpdateActive") break;
  await program.said(/The cluster responds/);
  assert.equal(await notes(), []);
  assert.is(await program.stop(), 0);
  await back.close();
});

test("serves metrics only on METRICS_PORT, until it stops", async ({ env }) => {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const program = startProgram(["serve"], { ...env, METRICS_PORT: String(port) });
  const url = `http://127.0.0.1:${await portOf(program)}`, metrics = `http://127.0.0.1:${port}/metrics`;
  await program.said(new RegExp(`metrics without authentication on 127\\.0\\.0\\.1:${port}/metrics`));
  assert.is((await fetch(`${url}/api/healthz`)).status, 200);
  const page = await (await fetch(metrics)).text();
  assert.match(
    page,
    /^wheelwright_http_request_duration_seconds_count\{method="GET",route="\/api\/healthz",status="200"\} 1$/m,
  );
  assert.is((await fetch(`${url}/metrics`)).status, 404);
  assert.is((await fetch(`http://127.0.0.1:${port}/api/healthz`)).status, 404);
  assert.is(await program.stop(), 0);
});

test("answers on a held database, shows operators the reason, and runs jobs after the release", async ({ env, db }) => {
  await db.sql("insert into database_restores (taken_at) values ('2030-05-06 07:08:09+00')");
  const program = startProgram(["serve"], { ...env, PORTAL: "on" });
  const url = `http://127.0.0.1:${await portOf(program)}`;
  const held = "Operations are paused, because the database was restored to 2030-05-06 07:08 UTC; " +
    "run wheelwright doctor --reconcile to compare it with the clusters";
  assert.match(await program.said(/the database was restored/), `"warn"`);
  const ready = () =>
    until(async () => {
      const answer = await fetch(`${url}/api/readyz`); // 503 until its first beat
      const body = await answer.json();
      return answer.ok && body;
    });
  assert.equal((await ready()).notes, [held]);
  const client = await signIn(url, "ada@school.example", "correct horse battery");
  const login = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@school.example", password: "correct horse battery" }),
  });
  const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
  const page = async () => await (await fetch(`${url}/hubs`, { headers: { cookie } })).text();
  assert.match(await page(), held);
  assert.is((await client.send("POST", "/api/federations", { slug: "waits" })).status, 201);

  assert.is(await startProgram(["doctor", "--resume"], env).ended, 0);
  for await (const { event } of client.events("waits", 0)) if (event === "FederationUpdateActive") break;
  await until(async () => (await ready()).notes.length === 0);
  assert.not.match(await page(), held);
  assert.is(await program.stop(), 0);
});

test("stops within the grace period if the database does not answer, and logs a warning", async ({ env, db }) => {
  const proxy = await openProxy(db.url);
  const program = startProgram(["serve"], { ...env, DATABASE_URL: proxy.url, SHUTDOWN_GRACE_MS: "2000" });
  const port = await portOf(program), answers: Promise<unknown>[] = [];
  const token = (await createTestToken(db, await createTestUser(db, "waiting"), "readonly")).plaintext;
  proxy.stall();
  const headers = { authorization: `Bearer ${token}` };
  for (let i = 0; i < 20; i++) {
    answers.push(fetch(`http://127.0.0.1:${port}/api/my-spokes`, { headers }).catch(() => {}));
  }
  assert.is(await program.stop(), 0);
  assert.ok(
    program.lines.some((line) => line.includes("SHUTDOWN_GRACE_MS expired")),
    program.lines.join("\n"),
  );
  await Promise.all(answers);
  await proxy.heal();
  await proxy.close();
});

test("waits for a read-only database", async ({ env, db }) => {
  const name = new URL(db.url).pathname.slice(1);
  await db.sql(`alter database ${name} set default_transaction_read_only = on`);
  const program = startProgram(["serve"], env);
  await program.said(/Waiting for the database.*read-only/);
  await db.sql(`alter database ${name} reset default_transaction_read_only`);
  await portOf(program);
  assert.is(await program.stop(), 0);
});

test.run();
