import type { KyselyPlugin } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { removeSpoke } from "#lib/domains/spokes/remove.ts";
import { findSpokes, showListedSpokes, showSpoke } from "#lib/domains/spokes/show.ts";
import { findSpoke } from "#lib/domains/spokes/store.ts";
import { SpokeView } from "#lib/domains/spokes/views.ts";
import { type DomainScene, openDomainScene } from "#test/lib/domains/spokes/domain-scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ stage: DomainScene }>("findSpokes");
test.before(async (context) => {
  context.stage = await openDomainScene();
});
test.after(({ stage }) => stage.close());

function counting(rows: RowQueries): { rows: RowQueries; queries: () => number } {
  let count = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult({ result }) {
      count++;
      return Promise.resolve(result);
    },
  };
  return { rows: rows.withPlugin(plugin), queries: () => count };
}

async function crowd({ db, operator }: DomainScene, federationId: string, size: number): Promise<void> {
  await db.sql(
    `insert into spokes (id, federation_id, slug, display_name, domain, size, admin_email, lms_version, state, cluster,
       namespace, blueprint_revision, blueprint_inputs, created_by)
     select 'spk_' || lpad(n::text, 26, '0'), $1, 's' || n, 's', 's' || n || '.crowd.example', 'small', 'a@b.org', '4.5',
       'provisioning', 'default', 'crowd-' || n, 'r', '{"https": true}', $2 from generate_series(1, $3::int) as n`,
    [federationId, operator.userId, size],
  );
  await db.sql(
    `insert into jobs (id, kind, visible, lane, federation_id, spoke_id, time_limit_ms, plan, step_names, label,
       requester_id, requester_email, requester_ip, requester_agent)
     select replace(id, 'spk', 'op'), 'provision', true, 'federation:' || $1, $1, id, 1000, 1, '{a,b}', 'Waiting',
       '', '', '', ''
     from spokes where federation_id = $1 order by id`,
    [federationId],
  );
}

test("needs as many queries for 400 spokes as for two", async ({ stage }) => {
  const few = await stage.hub("few"), many = await stage.hub("many");
  await stage.spoke(few, { slug: "one" });
  await stage.spoke(few, { slug: "two" });
  await crowd(stage, many.id, 400);
  const forFew = counting(stage.db.rows), forMany = counting(stage.db.rows);
  await findSpokes(forFew.rows, stage.operator, { federationId: few.id }, "hidden");
  const found = (await findSpokes(forMany.rows, stage.operator, { federationId: many.id }, "hidden")).items;
  assert.equal([found.length, forMany.queries()], [400, forFew.queries()]);
  // All rows were created in one statement, so newest first means highest ID first, in reverse order of the queue.
  assert.equal(found.slice(0, 2).map((spoke) => [spoke.slug, spoke.operation!.position]), [["s400", 400], [
    "s399",
    399,
  ]]);
});

test("needs no extra queries for idle spokes", async ({ stage }) => {
  const { db, operator } = stage, home = await stage.hub("calm"), { id } = await stage.spoke(home, { slug: "calm" });
  const ask = async () => {
    const { rows, queries } = counting(db.rows);
    const [found] = (await findSpokes(rows, operator, { federationId: home.id }, "hidden")).items;
    const [alone] = await showListedSpokes(rows, operator, [(await findSpoke(rows, id, "hidden"))!]);
    assert.equal(v.parse(SpokeView, alone), v.parse(SpokeView, found));
    return { queries: queries(), kind: found!.operation?.kind, left: found!.formerDomains.map(({ domain }) => domain) };
  };
  await db.sql("update jobs set state = 'succeeded', started_at = now(), finished_at = now() where spoke_id = $1", [
    id,
  ]);
  assert.equal(await ask(), { queries: 2, kind: undefined, left: [] });
  await db.sql("insert into former_domains (domain, spoke_id, until) values ('left.example', $1, now())", [id]);
  assert.equal(await ask(), { queries: 4, kind: undefined, left: ["left.example"] });
  await updateRows(db, "jobs", { state: "queued", startedAt: null, finishedAt: null }, { spokeId: id });
  const busy = await ask();
  assert.equal([busy.kind, busy.left], ["provision", ["left.example"]]);
});

test("ends a page at its limit, even between spokes of the same millisecond", async ({ stage }) => {
  const { db, operator, hub } = stage;
  const [many] = await selectRows(db, "federations", { slug: "many" }, { columns: ["id"] });
  await updateRows(db, "spokes", { createdAt: "2026-01-01" }, { federationId: many.id });
  const page = await findSpokes(db.rows, operator, { federationId: many.id, limit: 10 }, "hidden");
  assert.equal([page.items.length, page.next], [10, `2026-01-01T00:00:00.000Z,${page.items[9]!.id}`]);
  const empty = await hub("empty");
  assert.equal((await findSpokes(db.rows, operator, { federationId: empty.id, limit: 10 }, "hidden")).items, []);
});

test("shows a blocking operation only to users who may see it", async ({ stage: { db, operator, person, hub, spoke } }) => {
  const home = await hub("queue");
  await spoke(home, { slug: "first" });
  const second = await spoke(home, { slug: "second" });
  const admin = await person({ spokeIds: [second.id] });
  const forAll = await showSpoke(db.rows, operator, second);
  const forOwn = await showSpoke(db.rows, admin, second);
  assert.is(forAll.operation!.waitingFor!.kind, "provision");
  assert.equal([forOwn.operation!.waitingFor, forOwn.operation!.position], [null, 2]);
});

test("shows the removal of a spoke instead of the cancelled operations", async ({ stage: { app, db, operator, hub, spoke } }) => {
  const oak = await spoke(await hub("called-off"), { slug: "oak" });
  await removeSpoke(app, operator, oak);
  const row = await findSpoke(db.rows, oak.id, "hidden");
  assert.is((await showSpoke(db.rows, operator, row!)).operation!.kind, "remove");
});

test.run();
