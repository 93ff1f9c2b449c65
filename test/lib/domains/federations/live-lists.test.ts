/** Tests that the tables for lists and counts (live_hubs, live_spokes, spoke_texts) follow the hubs and spokes. */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { LIVE_STATES } from "#lib/model/states.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ db: TestDatabase; user: string }>("live_hubs, live_spokes and spoke_texts");
test.before.each(async (context) => {
  context.db = await openTestDatabase();
  context.user = await insertUser(context.db);
});
test.after.each(({ db }) => db.close());

const TABLES = ["live_hubs", "live_spokes", "spoke_texts"];

async function readTables(db: TestDatabase): Promise<unknown[][]> {
  return await Promise.all(TABLES.map((table) => db.sql(`select * from ${table} order by 1`)));
}

/** Fills the tables again from the hubs and spokes, as the migrations do. */
async function fillAgain(db: TestDatabase): Promise<void> {
  const folder = new URL("../../../../sql/", import.meta.url);
  const first = await readFile(new URL("0015_create_live_lists.sql", folder), "utf8");
  const later = await readFile(new URL("0023_extend_lists.sql", folder), "utf8");
  const fill = first.match(/^insert into live_[^;]*;|^insert into spoke_texts[^;]*;/gm)!;
  fill.push(...later.match(/^update live_[^;]*;/gm)!);
  assert.is(fill.length, TABLES.length + 1);
  await db.sql(`truncate ${[...TABLES, "spoke_addons"].join()}`); // spoke_addons refers to live_spokes
  for (const statement of fill) await db.sql(statement);
}

async function assertExact(db: TestDatabase): Promise<void> {
  const maintained = await readTables(db);
  await fillAgain(db);
  assert.equal(maintained, await readTables(db));
}

test("have what the migration would fill in, after every kind of change", async ({ db, user }) => {
  const hubs = [await insertHub(db, user, "north"), await insertHub(db, user, "south")], spokes: string[] = [];
  for (let i = 0; i < 12; i++) spokes.push(await insertSpoke(db, user, hubs[i % 2]!, `spoke-${i}`));
  let seed = 1;
  const pick = <T>(list: readonly T[]): T => list[(seed = (seed * 48271) % 2147483647) % list.length]!;
  const time = () => pick([null, new Date("2026-01-01"), new Date("2026-01-02"), new Date("2026-01-03")]);
  for (let i = 0; i < 300; i++) {
    await updateRows(db, "spokes", {
      state: pick(LIVE_STATES),
      health: pick(["healthy", "degraded", "unknown"]),
      verifiedAt: time(),
      unverifiedSince: time(),
      ...(i % 4 === 0 && {
        size: pick(["small", "large"]),
        lmsVersion: pick(["4.5", "5.0"]),
        region: pick([null, "eu-west"]),
        blueprintRevision: pick(["r1", "r2"]),
        lastFailedAt: time(),
      }),
      ...(i % 10 === 0 && { displayName: createId("spk"), domain: `${i}.example.org` }),
    }, { id: pick(spokes) });
  }
  await updateRows(db, "spokes", { size: "medium" }, { id: spokes[3]! });
  await updateRows(db, "federations", { name: "Norden" }, { id: hubs[0]! });
  await updateRows(db, "spokes", { state: "removed", removedAt: new Date() }, { id: spokes[0]! });
  await assertExact(db);
  for (const id of spokes) await updateRows(db, "spokes", { state: "removed", removedAt: new Date() }, { id });
  await updateRows(db, "federations", { state: "removed", removedAt: new Date() }, { id: hubs[1]! });
  await assertExact(db);
  assert.is((await db.sql("select from live_hubs")).length, 1);
  assert.is((await db.sql("select from live_spokes union all select from spoke_texts")).length, 0);
});

test("count spokes that change in one hub at the same time", async ({ db, user }) => {
  const hub = await insertHub(db, user), other: Database = await db.openAgain();
  const spokes = await Promise.all(Array.from({ length: 8 }, (_, i) => insertSpoke(db, user, hub, `spoke-${i}`)));
  await Promise.all(spokes.map(async (id, i) => {
    for (let j = 0; j < 20; j++) {
      await (i % 2 ? db : other).transact(async (tx) => {
        const verifiedAt = new Date(Date.UTC(2026, 0, 1 + (i * 7 + j * 3) % 11));
        await tx.updateTable("spokes").set({ state: j % 3 ? "active" : "failed", verifiedAt }).where("id", "=", id)
          .execute();
      });
    }
  }));
  await assertExact(db);
});

test("are unchanged by a transaction that is rolled back", async ({ db, user }) => {
  const hub = await insertHub(db, user), id = await insertSpoke(db, user, hub), before = await readTables(db);
  await db.transact(async (tx) => {
    await tx.updateTable("spokes").set({ state: "active" }).where("id", "=", id).execute();
    throw new Error("rolled back");
  }).catch(() => {});
  assert.equal(await readTables(db), before);
});

test.run();
