/** Tests the metrics of a running program. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NO_TELEMETRY } from "#lib/base/telemetry.ts";
import { type Config, readConfig } from "#lib/base/config.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { createProgram, type Program } from "#src/compose.ts";
import { readGauges } from "#src/read-gauges.ts";
import { openServer, type Server } from "#src/server.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestSession, createTestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("metrics of a program");
test.before.each(async (context) => {
  context.db = await openTestDatabase();
});
test.after.each(({ db }) => db.close());

function configFor(url: string, more: Readonly<Record<string, string>>): Config {
  const env = {
    PUBLIC_URL: "http://localhost:3000",
    ROOT_DOMAIN: "spokes.example.org",
    DATABASE_URL: url,
    KUBECONFIG: "/nowhere",
    DATABASE_POOL: "4",
    SCHEDULER: "off",
    ...more,
  };
  return readConfig({ mode: "serve", env, terminal: false });
}

interface Running {
  readonly program: Program;
  readonly server: Server;
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Returns the metrics without their help lines. */
  lines(): Promise<string[]>;
}

async function open(db: TestDatabase, env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const config = configFor(db.url, { METRICS_PORT: "9464", ...env });
  const program = await createProgram(config, { file: "/nowhere" }, SILENT_LOG);
  const server = openServer(program.app, program.manifest, { isSchedulerReady: () => true });
  const { registry, fleet } = program.metrics!;
  return {
    program,
    server,
    send: (path, init) => server.request(new Request(new URL(path, "http://localhost:3000"), init)),
    async lines() {
      const text = await registry.text(readGauges(program, fleet.last(), server));
      return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    },
  };
}

test("count requests by pattern, method and status, and report all gauges", async ({ db }) => {
  const { program, send, lines } = await open(db);
  const { secret } = await createTestSession(db, await createTestUser(db, "ada", { operator: true }));
  await send("/api/federations/fed_secret", { headers: { cookie: `wheelwright=${secret}` } });
  await send("/api/federations?limit=1");
  const page = await lines(), count = "wheelwright_http_request_duration_seconds_count";
  assert.ok(
    page.includes(`${count}{method="GET",route="/api/federations/:federationId",status="404"} 1`),
    page.join("\n"),
  );
  assert.ok(page.includes(`${count}{method="GET",route="/api/federations",status="401"} 1`));
  const { version, commit } = program.app.release;
  assert.ok(page.includes(`wheelwright_build_info{version="${version}",commit="${commit}"} 1`));
  for (
    const idle of ["http_requests_in_flight", "streams", "stream_events_behind", "database_waiting", "jobs_running"]
  ) {
    assert.ok(page.includes(`wheelwright_${idle} 0`), idle);
  }
  assert.ok(page.some((line) => /^process_resident_memory_bytes \d{8,}$/.test(line)));
  const idle = /^wheelwright_database_connections\{state="idle"\} [1-4]$/; // none may be idle for a moment
  await until(async () => (await lines()).some((line) => idle.test(line)));
  await program.close();
});

test("report the fleet on one replica, without names of hubs, spokes or users", async ({ db }) => {
  const user = await insertUser(db, "ada@secret.example"), hub = await insertHub(db, user, "secrethub");
  await insertSpoke(db, user, hub, "secretspoke");
  const first = await open(db);
  await until(() => first.program.metrics!.fleet.last());
  const second = await open(db),
    fleet = /^wheelwright_(?:spokes|storage|site|lane|templates|backup|restore_tests|oldest_verification|audit)/;
  await second.program.metrics!.fleet.whenCounted();
  const page = await first.lines();
  assert.equal(page.filter((line) => fleet.test(line)), [
    'wheelwright_lanes{state="queued"} 0',
    'wheelwright_lanes{state="running"} 0',
    "wheelwright_lane_oldest_wait_seconds 0",
    'wheelwright_spokes{state="provisioning",health="unknown"} 1',
    "wheelwright_spokes_drifted 0",
    'wheelwright_spokes_storage_low{percent="80"} 0',
    'wheelwright_spokes_storage_low{percent="90"} 0',
    'wheelwright_spokes_storage_low{percent="95"} 0',
    'wheelwright_storage_bytes{disk="files",amount="used"} 0',
    'wheelwright_storage_bytes{disk="files",amount="size"} 0',
    'wheelwright_storage_bytes{disk="database",amount="used"} 0',
    'wheelwright_storage_bytes{disk="database",amount="size"} 0',
    'wheelwright_site_users{accounts="all"} 0',
    'wheelwright_site_users{accounts="active"} 0',
    'wheelwright_spokes_certificate_ending{days="14"} 0',
    'wheelwright_spokes_certificate_ending{days="7"} 0',
    'wheelwright_spokes_certificate_ending{days="1"} 0',
    'wheelwright_spokes_failing{part="tasks"} 0',
    'wheelwright_spokes_failing{part="checks"} 0',
    "wheelwright_restore_tests_failing 0",
    "wheelwright_audit_seal_age_seconds 0",
  ]);
  assert.not.match(page.join("\n"), new RegExp(`secret|ada|${hub}|${user}`));
  assert.equal((await second.lines()).filter((line) => fleet.test(line)), []);
  for (const { program } of [second, first]) await program.close();
});

test("have no series for invented paths, methods and headers", async ({ db }) => {
  const { program, send, lines } = await open(db);
  const hostile = async (n: number) => {
    for (let i = 0; i < n; i++) {
      const random = Math.random().toString(36).slice(2);
      for (const path of [`/${random}`, `/api/spokes/${random}`, `/api/${random}?${random}=1`]) {
        for (const method of ["GET", "POST", `X${random}`, "DELETE"]) {
          const headers = { "x-request-id": random, "user-agent": random, traceparent: random, authorization: random };
          await send(path, { method, headers });
        }
      }
    }
  };
  await hostile(1);
  const before = await lines();
  await hostile(20);
  const names = (page: readonly string[]) => page.map((line) => line.slice(0, line.lastIndexOf(" ")));
  assert.equal(names(await lines()), names(before));
  await program.close();
});

test("count requests that load shedding refused", async ({ db }) => {
  const { program, send, lines } = await open(db, { MAX_IN_FLIGHT: "1" });
  const statuses = (await Promise.all([1, 2, 3].map(() => send("/api/catalog")))).map(({ status }) => status);
  const refused = statuses.filter((status) => status === 503).length;
  assert.ok(refused > 0, statuses.join());
  assert.ok((await lines()).includes(`wheelwright_http_requests_shed_total{reason="full"} ${refused}`));
  await program.close();
});

test("are disabled by default", async ({ db }) => {
  const program = await createProgram(configFor(db.url, {}), { file: "/nowhere" }, SILENT_LOG);
  assert.is(program.metrics, null);
  assert.is(program.app.telemetry, NO_TELEMETRY);
  await program.close();
});

test.run();
