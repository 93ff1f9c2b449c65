/** Tests PostgreSQL restarts under load: an orderly one, one like a crash, and one longer than any timeout. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MINUTE, SECOND, sleep } from "#lib/base/time.ts";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { openBackgroundLoad } from "#test/support/bench/load.ts";
import {
  createTemplateDatabase,
  openSeparatePostgresServer,
  type SeparatePostgresServer,
} from "#test/support/server.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ server: SeparatePostgresServer; db: TestDatabase; bench: Bench }>(
  "PostgreSQL restarted under load",
);
test.before(async (context) => {
  context.server = await openSeparatePostgresServer();
  const { url } = context.server;
  context.db = await openTestDatabase({}, { url, template: await createTemplateDatabase(url) });
  context.bench = await openBench({ replicas: 3, delayMs: 20, db: context.db });
});
test.after(async ({ bench, db, server }) => {
  await bench?.close();
  await db.close();
  await server.stop();
});

test("no process exits, requests get 503 and recover, and streams miss no event", async ({ server, db, bench }) => {
  const pids = bench.replicas.map(({ pid }) => pid);
  const hub = await bench.hub("north");
  const urls = () => bench.replicas.map(({ url }) => url);
  const load = openBackgroundLoad({ urls, token: bench.token, hub, creations: 6, readers: 4, followers: 3 });
  for (const [signal, pause] of [["SIGINT", 0], ["SIGQUIT", 0], ["SIGINT", 6 * SECOND]] as const) {
    const count = load.created.size;
    await until(() => load.created.size > count || load.created.size === 6, MINUTE);
    await server.down(signal);
    await sleep(pause); // longer than the connection timeout and than a lease without a heartbeat
    await server.up();
    console.log(`  After ${signal}, the readers were answered again within ${await load.recovery()} ms`);
  }
  await load.allCreated;
  for (const id of load.created.values()) await bench.becomes(id, "active");
  const [{ number }] = await db.sql("select number::int from stream_heads where federation_id = $1", [hub]);
  await load.stop(number);

  assert.equal(load.surprises, []);
  assert.equal([...load.answers.keys()].filter((status) => !["200", "201", "503"].includes(status)), []);
  assert.ok((load.answers.get("503") ?? 0) > 0, "somebody must have noticed, else this shows nothing");
  const every = Array.from({ length: number }, (_, i) => i + 1);
  for (const numbers of load.heard) assert.equal(numbers, every);
  assert.equal(bench.replicas.map(({ pid }) => pid), pids);
  assert.equal(bench.replicas.flatMap((replica) => replica.complaints()), []);
  const rows = await db.sql("select id from spokes order by id");
  assert.equal(rows.map(({ id }) => id), [...load.created.values()].sort());
});

test.run();
