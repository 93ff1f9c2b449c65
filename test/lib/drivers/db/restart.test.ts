import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { Fault } from "#lib/base/errors.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { sleep } from "#lib/base/time.ts";
import { until } from "#test/support/until.ts";

const test = suite("openDatabase, while PostgreSQL restarts");

// An uncaught exception ends this process, and so fails this file.
test("survives restarts without hanging callers or partial transactions", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-restart-"));
  const start = (): Promise<EmbeddedPostgres> => startEmbeddedPostgres({ directory, durable: false, log: SILENT_LOG });
  let server = await start();
  const db = await openDatabase({ url: server.url, size: 5, log: SILENT_LOG });
  await sql`create table pairs (id text, half int)`.execute(db.rows);
  const done = { pairs: 0, singles: 0, faults: 0 };
  let over = false;

  async function work(turn: () => Promise<void>): Promise<void> {
    while (!over) {
      await turn().catch((error) => {
        if (!(error instanceof Fault)) throw error; // nothing but "try again" reaches a caller
        done.faults++;
        return sleep(5);
      });
    }
  }
  const pair = () =>
    db.transact(async (tx) => {
      const id = crypto.randomUUID();
      await sql`insert into pairs values (${id}, 1)`.execute(tx);
      await sql`insert into pairs values (${id}, 2)`.execute(tx);
    }).then(() => void done.pairs++);
  const single = () => sql`select pg_sleep(0.002)`.execute(db.rows).then(() => void done.singles++);
  const workers = [...Array.from({ length: 6 }, () => work(pair)), ...Array.from({ length: 6 }, () => work(single))];

  for (const signal of ["SIGINT", "SIGQUIT", "SIGINT", "SIGQUIT"] as const) {
    const before = { ...done };
    await until(() => done.pairs > before.pairs + 10 && done.singles > before.singles + 10);
    process.kill(server.pid, signal);
    await server.stop();
    server = await start();
  }
  const before = { ...done };
  await until(() => done.pairs > before.pairs + 10 && done.singles > before.singles + 10);
  over = true;
  await Promise.all(workers);
  const torn = await sql`select id from pairs group by id having count(*) <> 2`.execute(db.rows);
  assert.equal(torn.rows, []);
  await db.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

test.run();
