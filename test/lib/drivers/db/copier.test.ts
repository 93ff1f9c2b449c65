import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CopyConnection, openCopyConnection } from "#lib/drivers/db/copier.ts";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase; copier: CopyConnection }>("openCopyConnection");
test.before(async (context) => {
  context.db = await openTestDatabase();
  await context.db.sql("create table one (a int primary key)");
  await context.db.sql("create table other (a int primary key references one (a))");
});
test.before.each(async (context) => void (context.copier = await openCopyConnection(context.db.url, "test")));
test.after.each(({ copier }) => copier.close());
test.after(({ db }) => db.close());

async function* numbers(from: number, through: number): AsyncGenerator<Buffer> {
  for (let i = from; i <= through; i++) yield Buffer.from(`${i}\n`);
}

async function lengthOf(pieces: AsyncIterable<Buffer>): Promise<number> {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return length;
}

const lines = (count: number, row = "i") => `copy (select ${row} from generate_series(1, ${count}) i) to stdout`;

test("reads all rows in chunks, and runs the next statement afterwards", async ({ copier }) => {
  assert.is(await lengthOf(copier.copyOut(lines(200_000, "repeat('x', 9)"))), 2_000_000);
  assert.is(await lengthOf(copier.copyOut(lines(0))), 0);
  assert.equal((await copier.run("select $1::int as two", ["2"]))[0]!.two, 2);
});

test("writes all rows in its transaction", async ({ copier, db }) => {
  await copier.run("begin");
  await copier.copyIn("copy one from stdin", numbers(1, 100_000));
  assert.is((await copier.run("select count(*)::int as rows from one"))[0]!.rows, 100_000);
  assert.is((await db.sql("select count(*)::int as rows from one"))[0].rows, 0);
  await copier.run("rollback");
});

test("throws the server's error during a read", async ({ copier }) => {
  const failure = await rejection(lengthOf(copier.copyOut(lines(100_000, "1 / (50000 - i)"))));
  assert.is(failure.message, "division by zero");
});

test("throws the server's error for a row, and for all rows after the last one", async ({ copier }) => {
  const twice = async function* () {
    yield* numbers(1, 10);
    yield* numbers(1, 10);
  };
  await copier.run("begin");
  assert.is((await rejection(copier.copyIn("copy one from stdin", twice()))).code, "23505");
  await copier.run("rollback");
  await copier.run("begin");
  assert.is((await rejection(copier.copyIn("copy other from stdin", numbers(1, 10)))).code, "23503");
  await copier.run("rollback");
});

test("throws the source's error and writes no rows", async ({ copier }) => {
  const broken = async function* () {
    yield* numbers(1, 10_000);
    throw Object.assign(new Error("the disk fails"), { code: "EIO" });
  };
  assert.is((await rejection(copier.copyIn("copy one from stdin", broken()))).message, "the disk fails");
  assert.is((await copier.run("select count(*)::int as rows from one"))[0]!.rows, 0);
});

test("fails if the connection ends during a copy, and never reconnects", async ({ copier, db }) => {
  const end = async () => {
    await db.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test'");
  };
  const reading = async () => {
    let failed = false;
    for await (const _ of copier.copyOut(lines(1_000_000, "repeat('x', 100)"))) {
      if (!failed) await end();
      failed = true;
    }
  };
  await copier.run("select 1");
  assert.instance(await rejection(reading()), ConnectionLost);
  assert.instance(await rejection(copier.run("select 1")), ConnectionLost);

  const other = await openCopyConnection(db.url, "test");
  const writing = async function* () {
    yield* numbers(1, 1000);
    await end();
    for (let i = 1001;; i++) {
      yield Buffer.from(`${i}\n`);
      if (i % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  assert.instance(await rejection(other.copyIn("copy one from stdin", writing())), ConnectionLost);
  await other.close();
});

test.run();
