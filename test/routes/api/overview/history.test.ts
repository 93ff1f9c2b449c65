/** Tests the history of the overview: the job that adds it up, and what each user sees of it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { addUpHistory } from "#lib/workers/upkeep/history.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { selectRows } from "#test/support/rows.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";

const MIB = 2 ** 20;
const test = suite<{ scene: Scene; north: string; south: string; oak: string; ash: string }>(
  "GET /api/overview/history",
);
test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  const [{ id, federationId }] = await selectRows(scene.db, "spokes", { slug: "oak" });
  const south = await insertHub(scene.db, scene.people.operator.id, "south");
  const ash = await insertSpoke(scene.db, scene.people.operator.id, south, "ash");
  Object.assign(context, { north: federationId, south, oak: id, ash });
  await scene.db.sql("update jobs set visible = false"); // the scene's own operations
});
test.after.each(({ scene }) => scene.close());

interface EndedOperation {
  readonly hub: string;
  readonly spoke: string;
  readonly kind?: string;
  readonly daysAgo?: number;
  /** Seconds from the request to the start, and from the start to the end. */
  readonly waited?: number;
  readonly took?: number;
  readonly code?: string;
  readonly requester?: string;
}

let count = 0;
async function addOperation({ db }: Scene, operation: EndedOperation): Promise<void> {
  const { hub, spoke, kind = "restart", daysAgo = 0, waited = 1, took = 10, code, requester = "usr_1" } = operation;
  await db.sql(
    `insert into jobs (id, kind, visible, federation_id, spoke_id, time_limit_ms, plan, step_names, label, requester_id,
      requester_email, requester_ip, requester_agent, state, failure, created_at, started_at, finished_at)
    select $1, $2, true, $3, $4, 1000, 1, '{one}', '', $5, '', '', '', case when $6::text is null then 'succeeded' else 'failed' end,
      case when $6::text is not null then jsonb_build_object('code', $6::text) end,
      at - ($8::float8 + $9::float8) * interval '1 second', at - $9::float8 * interval '1 second', at
    from (select (date_trunc('day', now(), 'UTC') - $7::integer * interval '1 day') + interval '1 ms' as at) as clock`,
    [`op_${count++}`, kind, hub, spoke, requester, code ?? null, daysAgo, waited, took],
  );
}

/** Runs all steps of the job once. */
async function addUp({ db }: Scene): Promise<void> {
  const run = { throwIfStopped: () => {} } as JobRun;
  for (const step of Object.values(addUpHistory({ db }).steps)) await step(run as never);
}

async function read(scene: Scene, who: SceneRole, query = "") {
  const { status, body } = await scene.as(who, "readonly").get(`/api/overview/history${query}`);
  assert.is(status, 200, `${who} ${query}`);
  return body;
}

test("counts installs, failures by cause, and waits per day, with medians", async ({ scene, north, south, oak, ash }) => {
  for (const took of [80, 100, 300]) await addOperation(scene, { hub: north, spoke: oak, kind: "provision", took });
  await addOperation(scene, { hub: south, spoke: ash, kind: "provision", took: 20, daysAgo: 1 });
  for (let i = 0; i < 18; i++) await addOperation(scene, { hub: south, spoke: ash, waited: 4, daysAgo: 1 });
  await addOperation(scene, { hub: south, spoke: ash, waited: 1000, daysAgo: 1 });
  await addOperation(scene, { hub: south, spoke: ash, waited: 5000, daysAgo: 1, requester: "system" });
  for (const code of ["no_space", "no_space", "image_missing"]) {
    await addOperation(scene, { hub: north, spoke: oak, code, daysAgo: 2 });
  }
  await addOperation(scene, { hub: north, spoke: oak, code: "no_space", daysAgo: 40 });
  await addUp(scene);
  await addUp(scene);
  const { samples, updatedAt, ...all } = await read(scene, "operator");
  assert.equal([samples.length, typeof updatedAt], [30, "string"]);
  assert.equal([all.installs, all.failures], [4, 3]);
  assert.equal(all.causes, [{ code: "no_space", count: 2 }, { code: "image_missing", count: 1 }]);
  const [before, yesterday, today] = samples.slice(-3);
  assert.equal([before.failures, yesterday.failures, today.failures], [3, 0, 0]);
  assert.equal([yesterday.installs, today.installs, before.installs, before.installSeconds], [1, 3, 0, null]);
  const isNear = (value: number, expected: number) => assert.ok(Math.abs(value / expected - 1) < 0.05, `${value}`);
  isNear(today.installSeconds, 100);
  isNear(yesterday.installSeconds, 20);
  isNear(yesterday.waitSeconds, 4);
  isNear(yesterday.waitSeconds95, 4); // 19 of 20 waited for at most 4 s
  isNear(all.waitSeconds95, 4);
  assert.is((await read(scene, "operator", "?days=2")).failures, 0);
});

test("shows hubs to their admins, and single spokes to theirs", async ({ scene, north, south, oak, ash }) => {
  const elm = await insertSpoke(scene.db, scene.people.operator.id, north, "elm");
  await addOperation(scene, { hub: north, spoke: oak, code: "own" });
  await addOperation(scene, { hub: north, spoke: elm, code: "neighbour" });
  await addOperation(scene, { hub: south, spoke: ash, code: "foreign" });
  await addUp(scene);
  const codesOf = async (who: SceneRole, query = "") =>
    (await read(scene, who, query)).causes.map(({ code }: { code: string }) => code).sort();
  assert.equal(await codesOf("operator"), ["foreign", "neighbour", "own"]);
  assert.equal(await codesOf("operator", "?federationId=south"), ["foreign"]);
  assert.equal(await codesOf("hubAdmin"), ["neighbour", "own"]);
  assert.equal(await codesOf("spokeAdmin"), ["own"]);
  assert.equal(await codesOf("spokeAdmin", "?federationId=north"), ["own"]);
  assert.equal(await codesOf("stranger"), []);
  const hidden = await scene.as("stranger", "readonly").get("/api/overview/history?federationId=north");
  assert.equal([hidden.status, hidden.body.code], [404, "federation_missing"]);
  await scene.db.sql("insert into spoke_members values ($1, $2), ($3, $2)", [oak, scene.people.hubAdmin.id, ash]);
  const { failures } = await read(scene, "hubAdmin");
  assert.is(failures, 3, "a spoke in an own hub counts once");
});

test("lists six causes, and counts the others together", async ({ scene, north, oak }) => {
  for (let i = 0; i < 8; i++) await addOperation(scene, { hub: north, spoke: oak, code: `cause_${i}` });
  await addUp(scene);
  const { causes } = await read(scene, "operator");
  assert.equal([causes.length, causes[0], causes[6]], [7, { code: "cause_0", count: 1 }, { code: "other", count: 2 }]);
});

test("adds up used storage per day, and its growth", async ({ scene, north, south, oak }) => {
  const add = async (table: string, column: string, id: string, extra: string) =>
    await scene.db.sql(
      `insert into ${table} (${column}, grain, at, files_used, database_used ${
        extra && ", measured_at, spokes, full_spokes"
      })
      select $1, 'day', date_trunc('day', now(), 'UTC') - i * interval '1 day', (10 - i) * 1048576, 1048576 ${extra}
      from generate_series(0, 2) as i`,
      [id],
    );
  for (const hub of [north, south]) await add("hub_usage_samples", "federation_id", hub, ", now(), 1, 0");
  await add("usage_samples", "spoke_id", oak, "");
  await addUp(scene);
  for (const [who, hubs] of [["operator", 2], ["hubAdmin", 1], ["spokeAdmin", 1]] as const) {
    const { samples } = await read(scene, who), [first, , last] = samples.slice(-3);
    assert.equal([last.filesUsed, last.databaseUsed, last.growth], [hubs * 10 * MIB, hubs * MIB, hubs * MIB], who);
    assert.equal([first.filesUsed, first.growth, samples[0].filesUsed], [hubs * 8 * MIB, null, null], who);
  }
});

test("adds up the days since the last run, and removes old ones", async ({ scene, north, oak }) => {
  await addUp(scene);
  await scene.db.sql("update daily_totals set total = total - 3 * 86400 where measure = 'added-up'");
  await addOperation(scene, { hub: north, spoke: oak, code: "late", daysAgo: 2 });
  await addOperation(scene, { hub: north, spoke: oak, code: "older", daysAgo: 20 });
  await scene.db.sql("insert into daily_totals values ('all', current_date - 100, 'failure', 'ancient', 1)");
  await addUp(scene);
  assert.equal((await read(scene, "operator")).causes, [{ code: "late", count: 1 }], "older days are not read again");
  assert.equal(await scene.db.sql("select 1 from daily_totals where key = 'ancient'"), []);
});

test("refuses other periods", async ({ scene }) => {
  for (const days of ["0", "91", "-1", "1.5", "all", ""]) {
    assert.is((await scene.as("operator", "readonly").get(`/api/overview/history?days=${days}`)).status, 400, days);
  }
});

test.run();
