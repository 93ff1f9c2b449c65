import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { addUpAvailability } from "#lib/workers/upkeep/availability.ts";
import { insertSpoke } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("addUpAvailability");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

async function addUp({ app }: Scene): Promise<void> {
  const run = { throwIfStopped: () => {} } as JobRun;
  for (const step of Object.values(addUpAvailability(app).steps)) await step(run);
}

/** Stores two hours that begin `hours` before today's midnight: 60 minutes up, then 30 up, 20 down and 10 planned. */
async function insertHours({ db, spoke }: Scene, hours: number): Promise<void> {
  await db.sql(
    `insert into availability_hours (spoke_id, hour, up, down, planned)
     select $1, date_trunc('day', wheelwright_now(), 'UTC') - $2::integer * interval '1 hour' + hour, up, down, planned
     from (values
       (interval '0', (1::bigint << 60) - 1, 0::bigint, 0::bigint),
       (interval '1 hour', (1::bigint << 30) - 1, ((1::bigint << 20) - 1) << 30, ((1::bigint << 10) - 1) << 50)
     ) as hours (hour, up, down, planned)`,
    [spoke, hours],
  );
}

const setReady = ({ db }: Scene, id: string, hours: number) =>
  db.sql(
    `update spokes set ready_at = date_trunc('day', wheelwright_now(), 'UTC') - $2::integer * interval '1 hour'
     where id = $1`,
    [id, hours],
  );
const days = async ({ db }: Scene, id: string) =>
  (await db.sql("select up, down, planned, unknown from availability_days where spoke_id = $1 order by day", [id]))
    .map(({ up, down, planned, unknown }) => [up, down, planned, unknown]);

test("adds up each day once, from the time at which the site was ready", async ({ scene }) => {
  await setReady(scene, scene.spoke, 50);
  await insertHours(scene, 50);
  await addUp(scene);
  await addUp(scene);
  const [first, second, third] = await days(scene, scene.spoke);
  assert.equal([first, second, third], [[90, 20, 10, 0], [0, 0, 0, 1440], [0, 0, 0, 1440]]);
});

test("adds up the spokes of a hub, also of removed ones until their removal", async ({ scene }) => {
  const { db, people, hub, spoke } = scene;
  const gone = await insertSpoke(db, people.operator.id, hub, "birch");
  await setReady(scene, spoke, 24);
  await setReady(scene, gone, 24);
  await db.sql("update spokes set state = 'removed', removed_at = ready_at + interval '90 minutes' where id = $1", [
    gone,
  ]);
  await insertHours(scene, 24);
  await addUp(scene);
  assert.equal(await days(scene, gone), [[0, 0, 0, 90]]);
  const text =
    "select up, down, planned, unknown from availability_hub_days where federation_id = $1 order by day limit 1";
  assert.equal(await db.sql(text, [hub]), [{ up: "90", down: "20", planned: "10", unknown: String(22 * 60 + 90) }]);
});

test("keeps minutes for two days, also while they are not added up, and sums for two years", async ({ scene }) => {
  const { db, spoke, hub } = scene,
    count = async (table: string) => (await db.sql(`select count(*)::int as count from ${table}`))[0]!.count;
  await setReady(scene, spoke, 100);
  await insertHours(scene, 96);
  await insertHours(scene, 20);
  await db.sql("insert into availability_days values ($1, $2, current_date - 740, 1, 0, 0, 0)", [spoke, hub]);
  await db.sql("insert into availability_hub_days values ($1, current_date - 740, 1, 0, 0, 0)", [hub]);
  await db.sql("insert into availability_days values ($1, $2, current_date - 700, 1, 0, 0, 0)", [spoke, hub]);
  await addUp(scene);
  assert.is(await count("availability_hours"), 2);
  assert.is(await count("availability_days where day < current_date - 60"), 1);
  assert.is(await count("availability_hub_days where day < current_date - 60"), 0);
});

test.run();
