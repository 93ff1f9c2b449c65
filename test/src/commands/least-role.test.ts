/**
 * Tests the control plane with a database role that owns nothing: `wheelwright migrate` creates the schema as the owner,
 * and `serve` works with the granted rights. A missing right fails here, in a request or in a job.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { MINUTE } from "#lib/base/time.ts";
import { signIn, type TestClient } from "#test/support/client.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { openSmtpServer, type SmtpServer } from "#test/support/smtp.ts";
import { until } from "#test/support/until.ts";

interface Scene {
  db: TestDatabase;
  owner: string;
  role: string;
  simulator: Simulator;
  smtp: SmtpServer;
  directory: string;
  env: Record<string, string>;
}

const test = suite<Scene>("wheelwright serve, with a role that owns nothing");

test.before(async (scene) => {
  scene.db = await openTestDatabase();
  scene.owner = await scene.db.freshUrl();
  scene.role = `${new URL(scene.owner).pathname.slice(1)}_service`;
  scene.simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  scene.smtp = await openSmtpServer();
  scene.directory = await mkdtemp(join(tmpdir(), "wheelwright-least-"));
  await writeFile(join(scene.directory, "kubeconfig"), scene.simulator.kubeconfig());
  scene.env = {
    HOST: "127.0.0.1",
    PORT: "0",
    PUBLIC_URL: "http://localhost:3000",
    DATABASE_URL: Object.assign(new URL(scene.owner), { username: scene.role, password: "s/e@ret" }).href,
    KUBECONFIG: join(scene.directory, "kubeconfig"),
    ROOT_DOMAIN: "spokes.example.org",
    BOOTSTRAP_ADMIN_EMAIL: "ada@school.example",
    BOOTSTRAP_ADMIN_PASSWORD: "correct horse battery",
    LOG_FORMAT: "json",
    ...scene.smtp.env,
  };
});
test.after(async ({ db, owner, role, simulator, smtp, directory }) => {
  await withAdminConnection(owner, (sql) => sql.unsafe(`drop owned by ${role}; drop role ${role}`));
  await simulator.close();
  await smtp.close();
  await db.close();
  await rm(directory, { recursive: true });
});

const portOf = async (program: StartedProgram) => /127\.0\.0\.1:(\d+)/.exec(await program.said(/Listening on/))![1]!;

/** Sends a request, and checks that it succeeds. */
async function ask(client: TestClient, method: string, path: string, body?: unknown): Promise<Record<string, never>> {
  const answer = await client.send(method, `/api/${path}`, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function settled(client: TestClient, spoke: string, state: string): Promise<void> {
  await until(async () => {
    const { body } = await client.send("GET", `/api/spokes/${spoke}`);
    return body.state === state && body.operation === null;
  }, MINUTE);
}

test("serve stops with one sentence if the database is not migrated", async ({ env, owner, role }) => {
  await withAdminConnection(owner, (sql) => sql.unsafe(`create role ${role} login password 's/e@ret'`));
  const program = startProgram(["serve"], env);
  assert.is(await program.ended, 78);
  assert.match(program.lines.at(-1)!, /^The database lacks \d+ migrations of this release, .*DATABASE_OWNER_URL/);
  await withAdminConnection(owner, (sql) => sql.unsafe(`drop role ${role}`));
});

test("runs a spoke from creation to removal with the granted rights", async ({ env, owner, smtp }) => {
  const migrated = startProgram(["migrate"], { ...env, DATABASE_OWNER_URL: owner });
  assert.is(await migrated.ended, 0);
  const program = startProgram(["serve"], env);
  try {
    const url = `http://127.0.0.1:${await portOf(program)}`;
    const ada = await signIn(url, "ada@school.example", "correct horse battery");
    await ask(ada, "POST", "federations", { slug: "north" });
    await ask(ada, "PATCH", "federations/north", { name: "The North" });
    const { id } = await ask(ada, "POST", "federations/north/spokes", { slug: "ash" });
    await ask(ada, "POST", "federations/north/members", { email: "bob@school.example" });
    const invitation = await smtp.next("bob@school.example");
    const accepted = { token: invitation.token, password: "a password for Bob", displayName: "Bob" };
    await fetch(`${url}/api/auth/accept-invite`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(accepted),
    }).then(async (reply) => assert.ok(reply.ok, await reply.text()));
    await settled(ada, id!, "active");
    for (const [action, state] of [["suspend", "suspended"], ["resume", "active"], ["backup", "active"]]) {
      await ask(ada, "POST", `spokes/${id}/actions`, { action });
      await settled(ada, id!, state!);
    }
    const bob = await signIn(url, "bob@school.example", "a password for Bob");
    await ask(bob, "POST", `spokes/${id}/delegate`, { email: "eve@school.example" });
    await smtp.next("eve@school.example");
    const [{ userId }] = (await ask(bob, "GET", `spokes/${id}/members`)) as unknown as [{ userId: string }];
    await ask(bob, "DELETE", `spokes/${id}/members/${userId}`);
    await ask(bob, "POST", "notifications/read-all");
    await ask(bob, "POST", "federation-requests", { slug: "south", name: "South" });
    const [request] = (await ask(ada, "GET", "federation-requests")) as unknown as [{ id: string }];
    await ask(ada, "POST", `federation-requests/${request.id}/approve`);
    await ask(ada, "DELETE", `spokes/${id}`);
    await until(async () => (await ada.send("GET", `/api/spokes/${id}`)).status === 404, MINUTE);
    await until(async () => (await ada.send("DELETE", "/api/federations/north")).status < 300, MINUTE);
    const jobs = await withAdminConnection(owner, (sql) => sql`select kind from jobs where failure is not null`);
    assert.equal([...jobs], []);
    for (const kind of ["prune", "seal-audit"]) await until(() => ended(owner, kind), MINUTE);
  } finally {
    assert.is(await program.stop(), 0);
  }
  assert.equal(program.lines.filter((line) => line.includes("permission denied")), []);
});

async function ended(owner: string, kind: string): Promise<boolean> {
  const rows = await withAdminConnection(
    owner,
    (sql) => sql`select from jobs where kind = ${kind} and state = 'succeeded'`,
  );
  return rows.length > 0;
}

test("serve migrates the database if the owner's URL is set", async ({ db, env, role }) => {
  const owner = await db.freshUrl();
  const url = Object.assign(new URL(owner), { username: role, password: "s/e@ret" }).href;
  const program = startProgram(["serve"], { ...env, DATABASE_URL: url, DATABASE_OWNER_URL: owner });
  await portOf(program);
  assert.is(await program.stop(), 0);
  await withAdminConnection(owner, (sql) => sql.unsafe(`drop owned by ${role}`));
});

test.run();
