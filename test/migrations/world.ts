/** Fills a database with every kind of data. Hubs, spokes and users come from the API, with operations that ended,
 * wait, or were interrupted. Every table has at least one row. Rows that would need a payment provider, a lost cluster
 * or half a year are inserted directly. */
import { findUnsealedChains, sealNextEvents } from "#lib/audit/seals.ts";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { queryRows } from "#test/support/bench/query.ts";
import {
  addHubAdmin,
  addSpokeAdmin,
  createTestToken,
  createTestUser,
  PASSWORD,
  type TestUser,
} from "#test/support/users.ts";
import { type ClientResponse, signIn, withToken } from "#test/support/client.ts";
import { until } from "#test/support/until.ts";

/** Fills a database. Its replica is killed in the middle of an install. The caller closes it. */
export async function openWorld(): Promise<Bench> {
  const bench = await openBench({ replicas: 1, delayMs: 20, env: { TEMPLATES: "on" } });
  try {
    await fill(bench);
    return bench;
  } catch (error) {
    await bench.close();
    throw error;
  }
}

async function fill(bench: Bench): Promise<void> {
  const { db } = bench, grace = await createTestUser(db, "grace"), joan = await createTestUser(db, "joan");
  const ada = withToken(bench.replicas[0]!.url, bench.token);
  const post = async (path: string, body: unknown) => good(await ada.send("POST", path, body));
  const north = await bench.hub("north"), south = await bench.hub("south");
  const algebra = await bench.spoke(north, "algebra");
  await bench.becomes(algebra, "active");
  await addHubAdmin(db, grace, north);
  await addSpokeAdmin(db, joan, algebra);
  await until(async () => (await queryRows(db, "select 1 from templates where state = 'ready'")).length > 0);
  const biology = await bench.spoke(north, "biology"); // from the template
  await bench.becomes(biology, "active");
  good(
    await ada.send("PATCH", `/api/spokes/${biology}`, {
      displayName: "Bio & 'logy'",
      domain: "bio.spokes.example.org",
    }),
  );
  await act(bench, algebra, "backup");
  await act(bench, algebra, "suspend");
  await idle(bench, biology);
  const gone = await bench.spoke(south, "gone");
  good(await ada.send("DELETE", `/api/spokes/${gone}`));
  await bench.becomes(gone, "removed");
  await post(`/api/federations/${south}/members`, { email: "new@example.org", displayName: "Núria" });
  await post(`/api/spokes/${biology}/delegate`, { email: "joan@example.org", displayName: "Joan" });
  await ask(bench, grace);
  const { body: told } = await ada.send("GET", "/api/notifications?limit=5");
  // two adjacent ones form a range
  for (const { id } of told.slice(2, 4)) await post(`/api/notifications/${id}/read`, {});
  await readAll(bench, grace);
  await signIn(bench.replicas[0]!.url, joan.email, PASSWORD);
  for (const [table, rows] of Object.entries(extraRows(north, algebra, grace.id))) {
    for (const row of rows) await insert(bench, table, row);
  }
  const present = await db.now();
  for (const chain of await findUnsealedChains(db.rows, present)) {
    await db.transact((tx) => sealNextEvents(tx, chain, { until: present, limit: 1000 }));
  }
  await bench.replicas[0]!.drain(); // writes its counters on exit
  await bench.replicas[0]!.start();
  const held = bench.replicas[0]!.cluster.hold((text) => /^POST \S+\/jobs\?/.test(text));
  await bench.spoke(south, "half");
  await bench.spoke(south, "waits");
  await held.caught; // in a step that is about to create a Job
  await bench.replicas[0]!.kill();
}

/** Runs the action on the spoke and waits until it is finished. */
async function act(bench: Bench, spoke: string, action: string): Promise<void> {
  await bench.act(spoke, action);
  await idle(bench, spoke);
}

async function idle({ db }: Bench, spoke: string): Promise<void> {
  const live = "select 1 from jobs where spoke_id = $1 and visible and state in ('queued', 'running')";
  await until(async () => (await queryRows(db, live, [spoke])).length === 0);
}

/** Requests three hubs: one is approved, one is rejected, and one stays open. */
async function ask(bench: Bench, asker: TestUser): Promise<void> {
  const { plaintext } = await createTestToken(bench.db, asker, "cli"), { url } = bench.replicas[0]!;
  const operator = withToken(url, bench.token);
  const [given, refused] = await Promise.all(
    ["east", "west", "centre"].map(async (slug) =>
      good(
        await withToken(url, plaintext).send("POST", "/api/federation-requests", {
          slug,
          name: slug,
          reason: "A school",
        }),
      )
    ),
  );
  good(await operator.send("POST", `/api/federation-requests/${given.id}/approve`, {}));
  good(
    await operator.send("POST", `/api/federation-requests/${refused.id}/reject`, { reason: "There is one already" }),
  );
}

async function readAll(bench: Bench, person: TestUser): Promise<void> {
  const { plaintext } = await createTestToken(bench.db, person, "cli");
  good(await withToken(bench.replicas[0]!.url, plaintext).send("POST", "/api/notifications/read-all", {}));
}

function good({ status, body }: ClientResponse): ClientResponse["body"] {
  if (status < 300) return body;
  throw new Error(`It was answered ${status}: ${JSON.stringify(body)}`);
}

type Row = Readonly<Record<string, unknown>>;

/** Returns rows that the API does not create in this scene. */
function extraRows(hub: string, spoke: string, user: string): Readonly<Record<string, readonly Row[]>> {
  const at = "2026-11-20T10:00:00.000Z";
  return {
    subscriptions: [{
      federation_id: hub,
      email: "pay@example.org",
      customer_id: "cus_1",
      subscription_id: "sub_1",
      status: "active",
    }],
    billing_events: [{ id: "evt_1", type: "charge.refunded", federation_id: hub, created_at: at, handled_at: at }],
    billing_refunds: [{
      id: "re_1",
      federation_id: hub,
      charge_id: "ch_1",
      amount: 500,
      currency: "EUR",
      created_at: at,
    }],
    retained_pvcs: [{
      spoke_id: spoke,
      claim: "moodledata-old",
      uid: "an-uid",
      operation_id: "op_1",
      reason: "replaced",
      until: "2099-01-01",
    }],
    database_restores: [{ restored_at: at, taken_at: at, released_at: at }],
    restore_requests: [{
      id: "rrq_1",
      federation_id: hub,
      spoke_id: spoke,
      backup_id: "bak_1",
      reason: "A course is lost",
      requested_by: user,
    }],
    rollouts: [{
      id: "rol_1",
      action: "restart",
      parameters: "{}",
      canary_spokes: 1,
      canary_minutes: 10,
      batch: "10%",
      max_unavailable: 5,
      max_failures: 1,
      federation_ids: `{${hub}}`,
      requested_by: user,
    }],
    spoke_usage: [{ spoke_id: spoke, observed_at: at, measured_at: at, files_used: 5, users: 3 }],
    spoke_addons: [{
      ...{ spoke_id: spoke, component: "mod_attendance", version: 2024101100, enabled: true },
      ...{ federation_id: hub, created_at: at },
    }],
    usage_samples: [{ spoke_id: spoke, grain: "hour", at, files_used: 5, users: 3 }],
    hub_usage_samples: [{ federation_id: hub, grain: "day", at, measured_at: at, spokes: 1, full_spokes: 0, users: 3 }],
    libraries: [{
      federation_id: hub,
      packages: '["aa"]',
      used_bytes: 5,
      free_bytes: 7,
      checked_at: at,
      check_due_at: at,
    }],
    library_backups: [{
      ...{ id: "lib_1", federation_id: hub, job_id: "op_library", cluster: "default", namespace: "hub-main-north" },
      ...{ state: "ready", volumes: '[{"claim": "library"}]', packages: '["aa"]', created_at: at, ready_at: at },
    }],
    policy_versions: [{
      ...{ federation_id: hub, section: "settings", version: 1, values: '{"language": "de"}' },
      ...{ overridable: "{timeZone}", changed_by: "ada@school.example" },
    }],
    rollout_spokes: [{ rollout_id: "rol_1", spoke_id: spoke, position: 0, wave: 0, state: "waiting" }],
    page_checks: [{ spoke_id: spoke, problem: "The site's login page responded with 500", reached_host: "a.example" }],
    daily_totals: [{ scope: "all", day: "2026-11-19", measure: "failure", key: "cluster_unreachable", total: 2 }],
    availability_hours: [{ spoke_id: spoke, hour: "2026-11-20T05:00:00Z", up: 1, down: 2, planned: 4 }],
    availability_days: [{
      ...{ spoke_id: spoke, federation_id: hub, day: "2026-11-19" },
      ...{ up: 1400, down: 2, planned: 30, unknown: 8 },
    }],
    availability_hub_days: [{ federation_id: hub, day: "2026-11-19", up: 1400, down: 2, planned: 30, unknown: 8 }],
    deprecation_announcements: [{ notice_id: "a-notice", first_announced_at: at }],
    deprecation_notices: [{ notice_id: "a-notice", user_id: user, notified_at: at }],
  };
}

async function insert({ db }: Bench, table: string, row: Row): Promise<void> {
  const names = Object.keys(row), marks = names.map((_, i) => `$${i + 1}`);
  await db.sql(`insert into ${table} (${names}) values (${marks})`, Object.values(row));
}
