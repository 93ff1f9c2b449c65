/** Tests the cost of the overview. It depends on what is counted, not on finished operations or on other hubs. */
import postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { showOverview } from "#lib/domains/federations/overview.ts";
import type { Viewer } from "#lib/domains/federations/viewer.ts";
import { hubId, insertHubsAndSpokes, spokeId } from "#test/bench/plans-fill.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { openQueryExplainer, type QueryExplainer } from "#test/support/query-plans.ts";

const test = suite<{ db: TestDatabase; explainer: QueryExplainer }>("showOverview");

/** Creates 50 hubs with 40 spokes each. 99% of the operations are finished, and half belong to the first hub. */
test.before(async (context) => {
  const db = context.db = await openTestDatabase();
  const sql = postgres(db.url, { max: 1, onnotice: () => {} });
  await insertHubsAndSpokes(sql, { hubs: 50, spokes: 2000 });
  await sql.unsafe(
    `insert into jobs (id, kind, visible, lane, federation_id, spoke_id, time_limit_ms, plan, step_names, label,
      requester_id, requester_email, requester_ip, requester_agent, state, finished_at)
    select 'op_' || n, 'backup', true, spokes.id, federation_id, spokes.id, 1000, 1, '{one}', '', '', '', '', '',
      case when n % 100 = 0 then 'queued' else 'succeeded' end, case when n % 100 > 0 then now() end
    from generate_series(1, 20000) as n
    join spokes on spokes.id = 'spk_' || lpad(to_hex(case when n / 100 % 2 = 0 then n % 40 else n % 2000 end), 26, '0')`,
  );
  await sql`vacuum analyze`;
  await sql.end();
  context.explainer = openQueryExplainer(db.url);
});
test.after(async ({ db, explainer }) => {
  await explainer.close();
  await db.close();
});

const PAGES = 300; // more than all live operations, and far fewer than the finished ones
const OPERATOR: Viewer = { role: "operator", federationIds: [], spokeIds: [] };
const VIEWERS: readonly (readonly [who: string, viewer: Viewer, hub?: string])[] = [
  ["an operator who selects one hub", OPERATOR, hubId(0)],
  ["a hub admin", { role: "hub_admin", federationIds: [hubId(0)], spokeIds: [] }],
  ["a spoke admin", { role: "spoke_admin", federationIds: [], spokeIds: [spokeId(0)] }],
];

for (const [who, viewer, hub] of VIEWERS) {
  test(`reads only live objects, and no spokes of others, for ${who}`, async ({ explainer }) => {
    const plans = await explainer.explain((rows) =>
      showOverview(rows, viewer, { federationId: hub, revision: "test" })
    );
    const planText = plans.flatMap(({ lines }) => lines).join("\n");
    assert.ok(plans.reduce((sum, { buffers }) => sum + buffers, 0) < PAGES, planText);
    assert.equal(
      plans.flatMap(({ scannedTables: walked }) => walked).filter((table) => table !== "federations"),
      [],
      planText,
    );
  });
}

test("reads no finished operation for an operator", async ({ explainer }) => {
  const plans = await explainer.explain((rows) => showOverview(rows, OPERATOR, { revision: "test" }));
  const { indexes, scannedTables: walked, lines } = plans.find(({ query }) => query.includes("oldest_wait"))!;
  assert.equal([indexes, walked], [["jobs_of_state"], []], lines.join("\n"));
});

test.run();
