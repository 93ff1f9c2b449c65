import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Database } from "#lib/drivers/db/database.ts";
import { isFinalJobState } from "#lib/jobs/job.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { pruneOldRows } from "#lib/workers/upkeep/prune.ts";
import { DAY } from "#lib/base/time.ts";
import { openQueryExplainer } from "#test/support/query-plans.ts";
import { kind, loose, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { deleteRows, selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("pruneOldRows");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

async function runOnce(scene: Scene): Promise<void> {
  const handler = pruneOldRows({ db: scene.db });
  const { repeatEvery: _, ...once } = handler.kind;
  const [job] = await scene.enqueue(loose(once));
  const scheduler = await scene.open([{ ...handler, kind: once }]);
  const after = await scene.until(job!.id, ({ state }) => isFinalJobState(state));
  assert.equal(after.failure, null);
  await scheduler.close();
}

/** Inserts the events `from` to `to` of the hub with this age in days. */
async function events(scene: Scene, hub: string, from: number, to: number, days: number, spoke: string | null = null) {
  await scene.db.sql(
    `insert into stream_events (federation_id, number, type, at, spoke_id, data)
     select $1, n, 'X', now() - $4::int * interval '1 day', $5, '{}' from generate_series($2::int, $3::int) as n`,
    [hub, from, to, days, spoke],
  );
}

test("keeps the events of a week, the newest thousand of each hub and the latest of each spoke", async ({ scene }) => {
  const [big, small] = [await scene.hub(1), await scene.hub(0)];
  await events(scene, big.id, 1, 1, 30, big.spokes[0]);
  await events(scene, big.id, 2, 1200, 8);
  await events(scene, big.id, 1201, 2500, 6);
  await events(scene, small.id, 1, 900, 30);
  await scene.db.sql("insert into stream_heads (federation_id, number) values ($1, 2500), ($2, 900)", [
    big.id,
    small.id,
  ]);
  await runOnce(scene);
  const remaining = await scene.db.sql(
    "select federation_id as id, array_agg(number::int order by number) as numbers from stream_events group by 1",
  );
  const of = (id: string): number[] => remaining.find((row) => row.id === id).numbers;
  assert.is(of(small.id).length, 900);
  assert.equal(of(big.id).slice(0, 2), [1, 1201]);
  assert.is(of(big.id).length, 1301);
  const heads = await scene.db.sql("select pruned_through::int as through from stream_heads order by number desc");
  assert.equal(heads.map(({ through }) => through), [1200, 0]);
});

test("deletes idempotency keys after a day, ended sessions and stopped replicas", async ({ scene }) => {
  const user = scene.asker.userId;
  await scene.db.sql(
    `insert into idempotency_keys (user_id, method, path, key, body_hash, created_at) values
     ($1, 'POST', '/', 'old', '', now() - interval '25 hours'), ($1, 'POST', '/', 'new', '', now())`,
    [user],
  );
  await scene.db.sql(
    `insert into sessions (id, user_id, token_hash, ip, user_agent, ended_at) values
     ('ended', $1, sha256('a'), '', '', now() - interval '2 days'), ('live', $1, sha256('b'), '', '', null)`,
    [user],
  );
  await scene.db.sql(
    "insert into replicas (id, release, heartbeat_at) values ('gone', 'x', now() - $1::float8 * interval '1 millisecond')",
    [2 * DAY],
  );
  await runOnce(scene);
  assert.equal((await selectRows(scene.db, "idempotency_keys")).map(({ key }) => key), ["new"]);
  assert.equal((await selectRows(scene.db, "sessions")).map(({ id }) => id), ["live"]);
  assert.equal(await selectRows(scene.db, "replicas", { id: "gone" }), []);
});

test("deletes hidden jobs after a week, but no operations", async ({ scene }) => {
  const jobs = await scene.enqueue(
    ...[false, false, true].map((visible) => loose(kind("work", ["only"], { visible }))),
  );
  const [old, young, operation] = jobs.map(({ id }) => id);
  await scene.db.sql(
    `update jobs set state = 'failed', finished_at = now() - case when id = $1 then 6 else 8 end * interval '1 day'
     where id = any($2::text[])`,
    [young, [old, young, operation]],
  );
  await runOnce(scene);
  const remaining = await selectRows(scene.db, "jobs", { kind: "work" }, { columns: ["id"] });
  assert.equal(remaining.map(({ id }) => id).sort(), [young, operation].sort());
});

test("deletes links a month after they expired, used or not", async ({ scene }) => {
  await scene.db.sql(
    `insert into one_time_tokens (id, purpose, user_id, created_at, expires_at, used_at)
     select 'days' || days, 'invitation', $1, now() - (days + 7) * interval '1 day', now() - days * interval '1 day',
       case when days % 2 = 0 then now() - days * interval '1 day' end
     from unnest('{-5, 1, 29, 31, 32}'::int[]) as days`,
    [scene.asker.userId],
  );
  await runOnce(scene);
  const remaining = await selectRows(scene.db, "one_time_tokens", {}, { columns: ["id"], orderBy: "id" });
  assert.equal(remaining.map(({ id }) => id), ["days-5", "days1", "days29"]);
});

test("deletes API call counts after 31 days, and events of the payment provider after 90 days", async ({ scene }) => {
  await scene.db.sql(
    `insert into api_tokens (id, user_id, name, scope, prefix, token_hash) values ('tok_1', $1, '', 'cli', '', sha256('a'))`,
    [scene.asker.userId],
  );
  await scene.db.sql(
    `insert into token_calls (token_id, endpoint, day, calls)
     select 'tok_1', 'GET /', (now() at time zone 'UTC')::date - days, 1 from unnest('{0, 30, 31, 32, 40}'::int[]) as days`,
  );
  await scene.db.sql(
    `insert into billing_events (id, type, created_at, received_at)
     select 'days' || days, 'x', now(), now() - days * interval '1 day' from unnest('{1, 89, 91}'::int[]) as days`,
  );
  await runOnce(scene);
  const days = await scene.db.sql("select (now() at time zone 'UTC')::date - day as age from token_calls order by 1");
  assert.equal(days.map(({ age }) => age), [0, 30, 31]);
  assert.equal((await selectRows(scene.db, "billing_events", {}, { orderBy: "id" })).map(({ id }) => id), [
    "days1",
    "days89",
  ]);
});

test("deletes operations after 400 days, except the last one of each spoke and hub", async ({ scene }) => {
  const hub = await scene.hub(2), [ash, birch] = hub.spokes, days = [500, 450, 401, 399];
  const add = async (spoke: string | null, ages: readonly number[]) => {
    for (const age of ages) {
      const [job] = await scene.enqueue({ ...loose(kind("work", ["only"])), federationId: hub.id, spokeId: spoke });
      await scene.db.sql(
        `update jobs set visible = true, state = 'succeeded', payload = to_jsonb($2::text),
         finished_at = now() - $3::int * interval '1 day', created_at = now() - $3::int * interval '1 day' where id = $1`,
        [job!.id, `${spoke === ash ? "ash" : spoke === birch ? "birch" : "hub"} ${age}`, age],
      );
    }
  };
  await add(ash!, days);
  await add(birch!, [500, 450]);
  await add(null, [500, 450]);
  await runOnce(scene);
  const remaining = await scene.db.sql("select payload from jobs where kind = 'work' order by finished_at, payload");
  assert.equal(remaining.map(({ payload }) => payload), ["birch 450", "hub 450", "ash 399"]);
});

test("deletes the rows of good nightly backups 90 days after their deletion, and no others", async ({ scene }) => {
  const hub = await scene.hub(1), spoke = hub.spokes[0];
  const add = (id: string, kind: string, state: string, was: "ready" | "failed", days: number) =>
    scene.db.sql(
      `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, ready_at,
         failed_at, deleted_at)
       select $1, $2, $3, $1, 'default', 'x', $4, $5, case when $6 = 'ready' then at end, case when $6 = 'failed' then at end,
         case when $5 = 'deleted' then at end from (select now() - $7::int * interval '1 day' as at) as gone`,
      [id, spoke, hub.id, kind, state, was, days],
    );
  await add("gone", "nightly", "deleted", "ready", 91);
  await add("young", "nightly", "deleted", "ready", 89);
  await add("standing", "nightly", "ready", "ready", 900);
  await add("failed", "nightly", "deleted", "failed", 900);
  await add("asked", "manual", "deleted", "ready", 900);
  await runOnce(scene);
  const remaining = await selectRows(scene.db, "backups", {}, { columns: ["id"], orderBy: "id" });
  assert.equal(remaining.map(({ id }) => id), ["asked", "failed", "standing", "young"]);
});

test("deletes ready lanes that are unused for a week and have no queued job", async ({ scene }) => {
  const unknown = kind("of-a-later-release", ["only"]);
  const [waiting] = await scene.enqueue({ ...loose(unknown), lane: "waits" }, { ...loose(unknown), lane: "gone" });
  await deleteRows(scene.db, "jobs", { lane: "gone" });
  await scene.db.sql("insert into ready_lanes (kind, plan, at, lane) values ('of-a-later-release', 1, now(), 'young')");
  await scene.db.sql("update ready_lanes set at = at - interval '8 days' where lane in ('waits', 'gone')");
  await runOnce(scene);
  assert.is(waiting!.lane, "waits");
  const remaining = await selectRows(scene.db, "ready_lanes", { kind: "of-a-later-release" }, {
    columns: ["lane"],
    orderBy: "lane",
  });
  assert.equal(remaining.map(({ lane }) => lane), ["waits", "young"]);
});

/** Tables with one row per hub or replica. A scan of these is cheap. */
const SMALL = ["stream_heads", "replicas"];

test("finds old rows of each table by an index", async ({ scene }) => {
  const explainer = openQueryExplainer(scene.db.url, { enable_seqscan: "off" });
  const run = { throwIfStopped: () => {}, signal: new AbortController().signal } as unknown as JobRun;
  const scannedTables: string[] = [];
  for (const step of Object.keys(pruneOldRows(scene).steps)) {
    const plans = await explainer.explain((rows) => pruneOldRows({ db: { rows } as Database }).steps[step]!(run));
    assert.ok(plans.length > 0, step);
    scannedTables.push(...plans.flatMap((plan) => plan.scannedTables));
  }
  await explainer.close();
  assert.equal(scannedTables.filter((table) => !SMALL.includes(table)), []);
});

test.run();
