/**
 * Pages through every list by its links. The list has 5,500 rows, 5,000 of them with the same time. Each row appears
 * exactly once, and no page exceeds its limit.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { withoutPortal } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";
import { listEndpoints } from "#test/support/probes/endpoints.ts";
import { listFields } from "#test/support/probes/fields.ts";
import { retryUnavailable } from "#test/support/probes/retry-unavailable.ts";
import { nextPage } from "#test/support/next-page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const ROWS = 5500, SPREAD = 500, TIED = 10, MOMENT = "2039-01-01T00:00:00.000Z";
/** Ten rows share each millisecond, in no order, and 5,000 have the same time. All are later than the scene's rows. */
const STAMP = `case when i > ${SPREAD} then timestamptz '${MOMENT}'
  else timestamptz '2040-01-01' + ((i * 7919) % ${SPREAD} / ${TIED}) * interval '1 millisecond' end`;
const id = (prefix: string) => `'${prefix}_' || lpad(i::text, 26, '0')`;

const HUB_WEBHOOK = `whk_${"y".repeat(26)}`, INSTALLATION_WEBHOOK = `whk_${"z".repeat(26)}`;

/**
 * The statement that fills each list, by the pattern of its endpoint. `$1` is the hub, `$2` the spoke, `$3` the caller.
 */
const FILL: Readonly<Record<string, string>> = {
  "/api/federations": `insert into federations (id, slug, name, state, cluster, namespace, created_by, created_at)
    select ${id("fed")}, 'hub-' || i, 'x', 'active', 'default', 'hub-' || i, $3, ${STAMP}`,
  "/api/federations/:federationId/spokes": `insert into spokes (id, federation_id, slug, display_name, domain, size,
      admin_email, lms_version, state, cluster, namespace, blueprint_revision, blueprint_inputs, created_by, created_at)
    select ${id("spk")}, $1, 's-' || i, 'x', 's-' || i || '.example.org', 'small', 'a@example.org', '4.5.12', 'active',
      'default', 's-' || i, 'test', '{}', $3, ${STAMP}`,
  "/api/spokes/:spokeId/operations": `insert into jobs (id, kind, visible, federation_id, spoke_id, time_limit_ms, plan,
      step_names, label, requester_id, requester_email, requester_ip, requester_agent, state, created_at, finished_at)
    select ${id("op")}, 'restart', true, $1, $2, 1000, 1, '{}', 'x', $3, 'x', '', '', 'succeeded', ${STAMP}, ${STAMP}`,
  "/api/auth/tokens": `insert into api_tokens (id, user_id, name, scope, prefix, token_hash, created_at)
    select ${id("tok")}, $3, 'x', 'cli', 'x', sha256(i::text::bytea), ${STAMP}`,
  "/api/users": `insert into users (id, email, display_name, created_at)
    select ${id("usr")}, 'u' || i || '@example.org', 'x', ${STAMP}`,
  "/api/federations/:federationId/members": `insert into federation_members (federation_id, user_id, created_at)
    select $1, ${id("usr")}, ${STAMP}`,
  "/api/spokes/:spokeId/members": `insert into spoke_members (spoke_id, user_id, created_at)
    select $2, ${id("usr")}, ${STAMP}`,
  "/api/federation-requests": `insert into federation_requests (id, slug, name, requested_by, created_at)
    select ${id("frq")}, 'r-' || i, 'x', $3, ${STAMP}`,
  "/api/restore-requests": `insert into restore_requests (id, federation_id, spoke_id, backup_id, reason, requested_by,
      created_at)
    select ${id("rsr")}, $1, $2, 'b-' || i, 'x', $3, ${STAMP}`,
  "/api/rollouts": `insert into rollouts (id, action, parameters, canary_spokes, canary_minutes, batch, max_unavailable,
      max_failures, federation_ids, requested_by, created_at)
    select ${id("rol")}, 'restart', '{}', 1, 10, '10%', 5, 1, array[$1], $3, ${STAMP}`,
  "/api/federations/:federationId/webhooks":
    `insert into webhooks (id, federation_id, url, secret, created_by, created_at)
    select ${id("whk")}, $1, 'https://hooks.example/', 'x', $3, ${STAMP}`,
  "/api/webhooks": `insert into webhooks (id, url, secret, created_by, created_at)
    select ${id("whi")}, 'https://hooks.example/', 'x', $3, ${STAMP}`,
  "/api/federations/:federationId/webhooks/:webhookId/deliveries":
    `insert into webhook_deliveries (id, webhook_id, trigger,
      message_id, type, body, attempt, answer, duration_ms, created_at)
    select ${id("whd")}, '${HUB_WEBHOOK}', 'test', 'x', 'x', '{}', 1, '', 1, ${STAMP}`,
  "/api/webhooks/:webhookId/deliveries": `insert into webhook_deliveries (id, webhook_id, trigger,
      message_id, type, body, attempt, answer, duration_ms, created_at)
    select ${id("wdi")}, '${INSTALLATION_WEBHOOK}', 'test', 'x', 'x', '{}', 1, '', 1, ${STAMP}`,
  "/api/audit": `insert into audit_events (id, kind, actor_id, actor_email, object_type, object_id, metadata, ip,
      user_agent, at, federation_id, spoke_id, customer_visible)
    select ${id("evt")}, 'spoke_actioned', $3, 'x', 'spoke', $2, '{}', '', '', ${STAMP}, $1, $2, true`,
};
/** Lists that show the rows of another list. */
const ALSO: Readonly<Record<string, string>> = {
  "/api/my-spokes": "spk",
  "/api/federations/:federationId/operations": "op",
  "/api/operations": "op",
  "/api/spokes/:spokeId/activity": "evt",
  "/api/notifications": "evt",
  "/api/spokes/:spokeId/restore-requests": "rsr",
};

/**
 * The list that clients page by time. A page keeps rows with the same time together, and has at most 100 rows over its
 * limit.
 */
const BY_TIME = "/api/notifications";

const test = suite<{ scene: Scene }>("paging");
test.before(async (context) => {
  const { db, hub, spoke, people } = context.scene = await openScene();
  for (const [webhook, owner] of [[HUB_WEBHOOK, hub], [INSTALLATION_WEBHOOK, null]]) {
    await db.sql(
      "insert into webhooks (id, federation_id, url, secret, created_by) values ($1, $2, 'https://x.example/', 'x', $3)",
      [webhook, owner, people.operator.id],
    );
  }
  for (const fill of Object.values(FILL)) {
    const values = [hub, spoke, people.operator.id], used = values.filter((_, i) => fill.includes(`$${i + 1}`));
    const renumbered = values.reduce(
      (text, value, i) => text.replaceAll(`$${i + 1}`, `$${used.indexOf(value) + 1}`),
      fill,
    );
    await db.sql(`${renumbered} from generate_series(1, ${ROWS}) i`, used);
  }
});
test.after(({ scene }) => scene.close());

const lists = listEndpoints(withoutPortal(manifest)).filter(({ endpoint }) =>
  listFields(endpoint.query).some(({ name }) => name === "before")
);

test("is tested for every list", () => {
  assert.equal(lists.map(({ pattern }) => pattern).sort(), [...Object.keys(FILL), ...Object.keys(ALSO)].sort());
});

for (const { name, pattern } of lists) {
  test(`${name} shows each row once, in order, in pages of exactly the limit`, async ({ scene }) => {
    const path = pathOf(scene, pattern), prefix = prefixOf(pattern);
    const all = Array.from({ length: ROWS }, (_, i) => `${prefix}_${String(i + 1).padStart(26, "0")}`);
    const ids = await pageThrough(scene, path, 100);
    assert.is(ids.length, new Set(ids).size, "no row appears twice");
    assert.equal(ids.filter((one) => one.includes("_000000")).sort(), all, "no row is skipped");
    const some = await pageThrough(scene, path, 7, 40);
    assert.equal(some, ids.slice(0, some.length), "small pages return the same rows in the same order");
  });

  test(`${name} by a time shows what is older than it`, async ({ scene }) => {
    const { body, headers } = await read(scene, `${pathOf(scene, pattern)}?limit=3&before=2040-01-01T00:00:00.000Z`);
    const extra = pattern === BY_TIME ? 100 : 0;
    assert.equal(body.map(stampOf), Array(3 + extra).fill(MOMENT));
    assert.ok(headers.get("link"));
    const older = await read(scene, `${pathOf(scene, pattern)}?limit=3&before=${Date.parse(MOMENT)}`);
    assert.ok(older.body.every((row) => stampOf(row) < MOMENT));
  });
}

test("skips no notification for clients that continue with the time of the last row", async ({ scene }) => {
  const ids: string[] = [], newer = "2040-01-01T00:00:00.000Z";
  for (let before = ""; before === "" || before > newer;) {
    const { body } = await read(scene, `${BY_TIME}?limit=7${before && `&before=${before}`}`);
    assert.is(body.length % TIED, 0, "a page ends with the last row of its last time");
    ids.push(...body.map((row) => row["id"]!));
    before = stampOf(body.at(-1)!);
  }
  assert.is(ids.length, SPREAD);
  assert.is(new Set(ids).size, SPREAD);
});

test("the link to the next page keeps the filters, and the last page has none", async ({ scene }) => {
  const filtered = "/api/users?q=u12%40&limit=1";
  assert.is((await read(scene, filtered)).headers.get("link"), null);
  const { headers, body: [user] } = await read(scene, "/api/users?q=%40example.org&limit=1");
  const { pathname, searchParams } = new URL(nextPage(headers)!, "http://server");
  assert.equal(
    [pathname, ...searchParams.entries()].join(" "),
    [
      "/api/users",
      "q,@example.org",
      "limit,1",
      `before,${user!.createdAt},${user!.id}`,
    ].join(" "),
  );
});

test("rows that are added and removed during paging neither repeat nor hide others", async ({ scene }) => {
  const { db, people: { operator } } = scene, path = "/api/auth/tokens";
  const all = await pageThrough(scene, path, 100), gone = new Set<string>();
  let pages = 0;
  const ids = await pageThrough(scene, path, 100, Infinity, async (last) => {
    const at = all.indexOf(last);
    // The row of the cursor, one on the next page, and a new one, first or last of its time.
    const removed = [last, all[at + 50]].filter((id) => id !== undefined);
    for (const id of removed) gone.add(id);
    await db.sql("delete from api_tokens where id = any($1)", [removed]);
    for (const added of [`tok_zz${pages}`, `tok_00${pages}`]) {
      await db.sql(
        `insert into api_tokens (id, user_id, name, scope, prefix, token_hash, created_at)
         values ($1, $2, 'x', 'cli', 'x', sha256($1::text::bytea), $3)`,
        [added, operator.id, MOMENT],
      );
    }
    pages++;
  });
  assert.ok(pages > 50);
  assert.is(ids.length, new Set(ids).size, "no row appears twice");
  const expected = new Set(all), found = new Set(ids);
  assert.equal(ids.filter((id) => expected.has(id)), all.filter((id) => found.has(id)), "in order");
  assert.equal(all.filter((id) => !found.has(id) && !gone.has(id)), [], "no row is skipped");
});

test.run();

type Row = Readonly<Record<string, string>>;

const stampOf = (row: Row) => row["at"] ?? row["createdAt"]!;
const prefixOf = (pattern: string) => ALSO[pattern] ?? /'(\w+)_'/.exec(FILL[pattern]!)![1];
const pathOf = (scene: Scene, pattern: string) =>
  pattern.replace(":federationId", scene.hub).replace(":spokeId", scene.spoke)
    .replace(":webhookId", pattern.includes(":federationId") ? HUB_WEBHOOK : INSTALLATION_WEBHOOK);

async function read(scene: Scene, path: string): Promise<{ body: Row[]; headers: Headers }> {
  const { status, body, headers } = await retryUnavailable(() => scene.as("operator").get(path));
  assert.is(status, 200, JSON.stringify(body));
  return { body, headers };
}

/** Returns the IDs in order. `between` runs before each further page, with the last ID. */
async function pageThrough(
  scene: Scene,
  path: string,
  limit: number,
  most = Infinity,
  between: (last: string) => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const ids: string[] = [];
  for (let target: string | null = `${path}?limit=${limit}`, pages = 0; target !== null && pages < most; pages++) {
    if (ids.length > 0) await between(ids.at(-1)!);
    const { body, headers } = await read(scene, target);
    const stamps = body.map(stampOf);
    assert.equal(stamps, [...stamps].sort().reverse(), "newest first");
    target = nextPage(headers);
    const most = path === BY_TIME && ids.length === 0 ? limit + 100 : limit;
    assert.ok(body.length <= most && (target === null || body.length >= limit), `${body.length} at once`);
    ids.push(...body.map((row) => row["id"] ?? row["userId"]!));
  }
  return ids;
}
