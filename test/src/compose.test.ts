import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { enqueueJob } from "#lib/jobs/store.ts";
import { type Config, ConfigError, readConfig } from "#lib/base/config.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import type { Manifest } from "#lib/http/endpoint.ts";
import { createLog, SILENT_LOG } from "#lib/base/log.ts";
import { DAY } from "#lib/base/time.ts";
import { createProgram, type Program } from "#src/compose.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestToken, createTestUser } from "#test/support/users.ts";
import { openSmtpServer, type SmtpServer } from "#test/support/smtp.ts";
import { rejection, until } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";

function configFor(url: string, more: Readonly<Record<string, string>>): Config {
  const env = {
    PUBLIC_URL: "http://localhost:3000",
    ROOT_DOMAIN: "spokes.example.org",
    DATABASE_URL: url,
    KUBECONFIG: "/nowhere",
    DATABASE_POOL: "4",
    ...more,
  };
  return readConfig({ mode: "serve", env, terminal: false });
}

interface Context {
  db: TestDatabase;
  smtp: SmtpServer;
  programs: Program[];
}

const test = suite<Context>("createProgram");
test.before.each(async (context) => {
  context.db = await openTestDatabase();
  context.smtp = await openSmtpServer();
  context.programs = [];
});
test.after.each(async ({ db, smtp, programs }) => {
  for (const program of programs) await program.close();
  await smtp.close();
  await db.close();
});

test("a replica with a mail server sends mail that a replica without one queued", async ({ db, smtp, programs }) => {
  const lines: string[] = [];
  const log = createLog({ level: "debug", format: "json", write: (line) => lines.push(line) });
  const about = { hub: "North", slug: "north" };
  const letter = { template: "request-approved", to: { email: "ada@example.org", name: "Ada" }, about } as const;
  const job = await db.transact((tx) => enqueueJob(tx, SYSTEM_REQUESTER, createMailJob(letter)));

  programs.push(await createProgram(configFor(db.url, {}), { file: "/nowhere" }, log));
  await until(() => lines.some((line) => /"kind":"prune".*"step":"replicas"/.test(line)));
  await programs.pop()!.close();
  const [{ state }] = await selectRows(db, "jobs", { id: job.id }, { columns: ["state"] });
  assert.is(state, "queued");

  programs.push(await createProgram(configFor(db.url, smtp.env), { file: "/nowhere" }, log));
  const { headers } = await smtp.next("ada@example.org");
  assert.is(headers.from, "Hubs <hubs@example.org>");
  assert.is(headers["message-id"], `<${job.id}@localhost>`);
});

test("announces a deprecation at least 30 days ahead: header, document and changelog agree", async ({ db, programs }) => {
  const deprecated = { since: "2026-01-01", sunset: "2026-02-01", note: "Use another" };
  const [pattern, module] = manifest.find(([pattern]) => pattern === "/api/catalog")!;
  const routes: Manifest = [
    ...manifest.filter(([other]) => other !== pattern),
    [pattern, { GET: { ...module.GET!, deprecated } }],
  ];
  const now = await db.now(), sunsets: string[] = [];
  for (const days of [0, 9]) {
    await db.shiftClock(days * DAY);
    const program = await createProgram(
      configFor(db.url, { SCHEDULER: "off" }),
      { file: "/nowhere" },
      SILENT_LOG,
      routes,
    );
    programs.push(program);
    const server = openServer(program.app, program.manifest, { isSchedulerReady: () => true });
    const ask = (path: string) => server.request(new Request(`http://localhost:3000${path}`));
    const sunset = new Date((await ask("/api/catalog")).headers.get("sunset")!);
    assert.ok(sunset.getTime() >= now.getTime() + 30 * DAY && sunset.getTime() <= now.getTime() + 31 * DAY + DAY);
    const [notice] = (await (await ask("/api/changelog")).json()).notices;
    assert.is(notice.takesEffectAt, sunset.toISOString());
    const { get } = (await (await ask("/api/openapi.json")).json()).paths["/api/catalog"];
    assert.match(get.description, `removed on ${sunset.toISOString().slice(0, 10)}`);
    sunsets.push(sunset.toISOString());
  }
  assert.is(sunsets[0], sunsets[1]);
});

test("warns about ignored OpenTelemetry variables if traces are enabled", async ({ db, programs }) => {
  const warningsFor = async (env: Record<string, string>) => {
    const lines: string[] = [];
    const log = createLog({ level: "warn", format: "json", write: (line) => void lines.push(line) });
    const config = configFor(db.url, { SCHEDULER: "off", OTEL_LOG_LEVEL: "debug", ...env });
    programs.push(await createProgram(config, { file: "/nowhere" }, log));
    return lines.map((line) => JSON.parse(line).variables);
  };
  assert.equal(await warningsFor({}), []);
  assert.equal(await warningsFor({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }), [["OTEL_LOG_LEVEL"]]);
});

test("stores the call counts of tokens when it stops", async ({ db, programs }) => {
  const { id } = await createTestToken(db, await createTestUser(db, "ada"), "cli");
  const program = await createProgram(configFor(db.url, { SCHEDULER: "off" }), { file: "/nowhere" }, SILENT_LOG);
  programs.push(program);
  const count = () => db.sql("select calls::int as calls from token_calls where token_id = $1", [id]);
  program.calls.count(id, "GET /api/x");
  await program.drain(0);
  assert.equal(await count(), [{ calls: 1 }]);
  program.calls.count(id, "GET /api/x");
  await programs.pop()!.close();
  assert.equal(await count(), [{ calls: 2 }]);
});

test("rejects prices that no subscription can contain, before anything is opened", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-"));
  try {
    const catalog = join(directory, "catalog.json");
    const sizes = ["EUR", "USD"].map((currency, i) => ({
      name: ["small", "large"][i],
      price: { currency, monthly: 1 },
    }));
    await writeFile(catalog, JSON.stringify({ sizes, defaultSize: "small" }));
    const stripe = { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_WEBHOOK_SECRET: "whsec_1" };
    const config = configFor("postgresql://127.0.0.1:1/none", { CATALOG: catalog, ...stripe });
    const error = await rejection(createProgram(config, { file: "/nowhere" }, SILENT_LOG));
    assert.instance(error, ConfigError);
    assert.match(error.message, /CATALOG has prices in EUR and USD, but Stripe .* allows only one currency/);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test.run();
