/**
 * Paging through every list by `before`, as a client does: each of 500 rows, many of them with one timestamp and the
 * others a millisecond apart, is seen exactly once.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { withoutPortal } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";
import { endpointsOf } from "#test/support/probes/endpoints.ts";
import { fieldsOf } from "#test/support/probes/fields.ts";
import { insist } from "#test/support/probes/insist.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const ROWS = 500, TIED = 10;
/** Of row i: ten share each millisecond, and they come in no order. Later than all that the scene itself made. */
const STAMP = `timestamptz '2040-01-01' + ((i * 7919) % ${ROWS} / ${TIED}) * interval '1 millisecond'`;
const id = (prefix: string) => `'${prefix}_' || lpad(i::text, 26, '0')`;

/** What fills each list, by the pattern of its endpoint. `$1` is the hub, `$2` the spoke, `$3` the caller. */
const FILL: Readonly<Record<string, string>> = {
  "/api/federations": `insert into federations (id, slug, name, state, cluster, namespace, created_by, created_at)
    select ${id("fed")}, 'hub-' || i, 'x', 'active', 'default', 'hub-' || i, $3, ${STAMP}`,
  "/api/federations/:federationId/spokes": `insert into spokes (id, federation_id, slug, display_name, domain, size,
      admin_email, lms_version, state, cluster, namespace, blueprint_revision, blueprint_inputs, created_by, created_at)
    select ${id("spk")}, $1, 's-' || i, 'x', 's-' || i || '.example.org', 'small', 'a@example.org', '4.5.12', 'active',
      'default', 's-' || i, 'test', '{}', $3, ${STAMP}`,
  "/api/spokes/:spokeId/operations": `insert into jobs (id, kind, visible, federation_id, spoke_id, time_limit_ms, plan,
      step_names, label, asker_id, asker_email, asker_ip, asker_agent, state, created_at, finished_at)
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
  "/api/audit": `insert into audit_events (id, kind, actor_id, actor_email, object_type, object_id, metadata, ip,
      user_agent, at, federation_id, spoke_id, customer_visible)
    select ${id("evt")}, 'spoke_actioned', $3, 'x', 'spoke', $2, '{}', '', '', ${STAMP}, $1, $2, true`,
};
/** Lists that show the rows of another. */
const ALSO: Readonly<Record<string, string>> = {
  "/api/my-spokes": "spk",
  "/api/federations/:federationId/operations": "op",
  "/api/spokes/:spokeId/activity": "evt",
  "/api/notifications": "evt",
  "/api/spokes/:spokeId/restore-requests": "rsr",
};

const test = suite<{ scene: Scene }>("paging");
test.before(async (context) => {
  const { db, hub, spoke, people } = context.scene = await openScene();
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

const lists = endpointsOf(withoutPortal(manifest)).filter(({ endpoint }) =>
  fieldsOf(endpoint.query).some(({ name }) => name === "before")
);

test("is tried on every list", () => {
  assert.equal(lists.map(({ pattern }) => pattern).sort(), [...Object.keys(FILL), ...Object.keys(ALSO)].sort());
});

for (const { name, pattern } of lists) {
  test(`${name} one by one sees each row once, and by larger pages too`, async ({ scene }) => {
    const prefix = ALSO[pattern] ?? /'(\w+)_'/.exec(FILL[pattern]!)![1];
    const path = pattern.replace(":federationId", scene.hub).replace(":spokeId", scene.spoke);
    const all = Array.from({ length: ROWS }, (_, i) => `${prefix}_${String(i + 1).padStart(26, "0")}`);
    for (const limit of [1, 64]) {
      const seen = await pageThrough(scene, path, limit);
      assert.is(seen.length, new Set(seen).size, "none is seen twice");
      assert.equal(seen.filter((one) => one.includes("_000000")).sort(), all, "none is passed over");
    }
  });
}

test.run();

/** The ids, in the order in which they are seen. */
async function pageThrough(scene: Scene, path: string, limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (let before = "";;) {
    const { status, body } = await insist(() => scene.as("operator").get(`${path}?limit=${limit}${before}`));
    assert.is(status, 200, JSON.stringify(body));
    if (body.length === 0) return seen;
    const stamps: string[] = body.map((one: Record<string, string>) => one.at ?? one.createdAt);
    assert.equal(stamps, [...stamps].sort().reverse(), "newest first");
    // It may run past its limit by what shares the last one's timestamp, and by nothing else.
    assert.ok(body.length <= limit || stamps[limit - 1] === stamps.at(-1), `${body.length} at once`);
    seen.push(...body.map((one: Record<string, string>) => one.id ?? one.userId));
    before = `&before=${encodeURIComponent(stamps.at(-1)!)}`;
  }
}
