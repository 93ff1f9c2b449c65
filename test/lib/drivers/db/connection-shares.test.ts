import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openPool, type Pool } from "#lib/drivers/db/pool.ts";
import { openConnectionShares } from "#lib/drivers/db/connection-shares.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";

const test = suite<{ db: TestDatabase }>("openConnectionShares");

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.after(async ({ db }) => await db.close());

async function withPool(db: TestDatabase, work: (pool: Pool) => Promise<void>): Promise<void> {
  const pool = openPool({ url: db.url, name: "pool-test", size: 4, settings: {} });
  try {
    await work(pool);
  } finally {
    await pool.close();
  }
}

test("leave a quarter of the pool to others, and allow each user at least two connections", () => {
  for (const [size, most] of [[1, 2], [2, 2], [4, 3], [8, 6], [10, 7]] as const) {
    const shares = openConnectionShares(size);
    for (let i = 0; i < most; i++) {
      assert.ok(shares.mayTake("ada"));
      shares.take("ada");
    }
    assert.equal([shares.mayTake("ada"), shares.mayTake("ben"), shares.mayTake(undefined)], [false, true, true]);
    shares.release("ada");
    assert.ok(shares.mayTake("ada"));
  }
});

test("serve the user with the fewest connections, and otherwise in order of arrival", () => {
  const shares = openConnectionShares(8), waiting = ["ada", "ben", "eve"].map((user) => ({ user }));
  for (const user of ["ada", "ada", "ben"]) shares.take(user);
  assert.is(shares.next(waiting)?.user, "eve");
  shares.take("eve");
  assert.is(shares.next(waiting)?.user, "ben");
  assert.is(shares.next([]), undefined);
});

test("a user never gets the last quarter, and users with fewer connections are served first", ({ db }) =>
  withPool(db, async (pool) => {
    const ada = [await pool.acquire(undefined, "ada"), await pool.acquire(undefined, "ada")];
    ada.push(await pool.acquire(undefined, "ada"));
    const served: string[] = [];
    const wait = async (user?: string) => {
      const lease = await pool.acquire(undefined, user);
      served.push(user ?? "nobody");
      return lease;
    };
    const more = [wait("ada"), wait("ada")];
    const ben = await wait("ben"); // although two earlier callers are waiting
    const late = [wait("ben"), wait()];
    ben.release();
    for (const lease of late) (await lease).release();
    assert.equal(served, ["ben", "ben", "nobody"]);
    for (const lease of ada) lease.release();
    for (const lease of await Promise.all(more)) lease.release();
    assert.equal(served, ["ben", "ben", "nobody", "ada", "ada"]);
    assert.is(pool.stats().waiting, 0);
  }));

test("serves a waiting caller when a connection of the same user is lost", ({ db }) =>
  withPool(db, async (pool) => {
    const ada = await Promise.all([1, 2, 3].map(() => pool.acquire(undefined, "ada")));
    const idle = await pool.acquire(undefined, "ben");
    const waiting = pool.acquire(undefined, "ada");
    idle.release();
    assert.equal([pool.stats().idle, pool.stats().waiting], [1, 1]);
    ada[0]!.release(new Error("spoiled"));
    (await waiting).release();
    for (const lease of ada) lease.release();
  }));

test.run();
