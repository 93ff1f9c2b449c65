/** The availability of spokes and hubs: percentages, months and permissions. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

interface Context {
  scene: Scene;
  /** A spoke and a hub that only the operator may see. */
  foreign: { spoke: string; hub: string };
}

const test = suite<Context>("GET …/availability");

test.before(async (context) => {
  const scene = context.scene = await openScene(), { db, people, hub, spoke } = scene;
  const south = await insertHub(db, people.operator.id, "south");
  context.foreign = { hub: south, spoke: await insertSpoke(db, people.operator.id, south, "elm") };
  const birch = await insertSpoke(db, people.operator.id, hub, "birch");
  const days = [
    ...[[spoke, hub, "2026-10-31", 1440, 0, 0, 0], [spoke, hub, "2026-11-01", 1430, 1, 9, 0]],
    ...[[spoke, hub, "2026-11-02", 0, 0, 0, 1440], [birch, hub, "2026-11-02", 0, 0, 1440, 0]],
  ];
  for (const day of days) await db.sql("insert into availability_days values ($1, $2, $3, $4, $5, $6, $7)", day);
  await db.sql(`insert into availability_hub_days
    select federation_id, day, sum(up), sum(down), sum(planned), sum(unknown) from availability_days group by 1, 2`);
});
test.after(({ scene }) => scene.close());

const OCTOBER = { month: "2026-10", availability: 100, up: 1440, down: 0, planned: 0, unknown: 0 };
const NOVEMBER = { month: "2026-11", availability: 99.93, up: 1430, down: 1, planned: 9, unknown: 1440 };

test("returns a spoke's months, newest first", async ({ scene }) => {
  for (const who of ["spokeAdmin", "hubAdmin", "operator"] as const) {
    const { status, body } = await scene.as(who, "readonly").get(`/api/spokes/${scene.spoke}/availability`);
    assert.equal([status, body], [200, { problem: null, certificateEndsAt: null, months: [NOVEMBER, OCTOBER] }], who);
  }
});

test("adds up the minutes of a hub's spokes", async ({ scene }) => {
  const { body } = await scene.as("hubAdmin").get("/api/federations/north/availability");
  assert.equal(body, { months: [{ ...NOVEMBER, planned: 1449 }, OCTOBER] });
});

test("returns no months before any minutes are added up", async ({ scene, foreign }) => {
  const operator = scene.as("operator");
  assert.equal((await operator.get(`/api/spokes/${foreign.spoke}/availability`)).body, {
    problem: null,
    certificateEndsAt: null,
    months: [],
  });
  assert.equal((await operator.get(`/api/federations/${foreign.hub}/availability`)).body, { months: [] });
});

test("says why the login page does not work, also in the portal", async ({ scene }) => {
  const problem = "The site's login page responded with 500", { db, spoke } = scene;
  await db.sql("insert into page_checks (spoke_id, problem) values ($1, $2)", [spoke, problem]);
  await db.sql("update spokes set health = 'degraded' where id = $1", [spoke]);
  assert.is((await scene.as("spokeAdmin").get(`/api/spokes/${spoke}/availability`)).body.problem, problem);
  assert.match(String((await scene.as("spokeAdmin").get(`/spokes/${spoke}`)).body), "login page responded with 500.");
  await db.sql("delete from page_checks");
});

test("never shows another customer's availability", async ({ scene, foreign }) => {
  const statusOf = async (who: "hubAdmin" | "spokeAdmin" | "stranger" | "nobody", path: string) =>
    (await scene.as(who).get(path)).status;
  for (const path of [`/api/spokes/${foreign.spoke}/availability`, `/api/federations/${foreign.hub}/availability`]) {
    const statuses = await Promise.all(
      (["hubAdmin", "spokeAdmin", "stranger"] as const).map((who) => statusOf(who, path)),
    );
    assert.equal(statuses, [404, 404, 404], path);
    assert.is(await statusOf("nobody", path), 401);
  }
  // A spoke admin sees only their own spokes of the hub.
  assert.is(await statusOf("spokeAdmin", `/api/federations/${scene.hub}/availability`), 403);
});

test("shows the months in the portal: to spoke admins for their spoke, to hub admins also for the hub", async ({ scene }) => {
  const page = async (who: "hubAdmin" | "spokeAdmin", path: string) => String((await scene.as(who).get(path)).body);
  assert.match(await page("spokeAdmin", `/spokes/${scene.spoke}`), "99.930%");
  assert.match(await page("hubAdmin", `/hubs/${scene.hub}`), "1,449");
  assert.not.match(await page("spokeAdmin", `/hubs/${scene.hub}`), "99.930%");
});

test.run();
