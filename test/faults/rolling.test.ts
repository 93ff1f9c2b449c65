/** Every replica is replaced by a new one, one after another, while people work: what a rolling update does. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MINUTE } from "#lib/base/time.ts";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { openLoad } from "#test/support/bench/load.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ bench: Bench }>("rolling replacement under load");
test.before(async (context) => void (context.bench = await openBench({ replicas: 3, delayMs: 20 })));
test.after(({ bench }) => bench.close());

test("loses no request, no install and no event, and counts no attempt", async ({ bench }) => {
  const { db, replicas } = bench;
  const hub = await bench.hub("north");
  const gone = new Set<string>();
  const urls = () => replicas.map(({ url }) => url).filter((url) => !gone.has(url));
  const load = openLoad({ urls, token: bench.token, hub, creations: 6, readers: 4, followers: 3 });
  for (const replica of replicas) {
    const count = load.created.size;
    await until(() => load.created.size >= Math.min(6, count + 2), MINUTE);
    await until(
      async () => (await db.sql("select 1 from jobs where visible and state = 'running'")).length > 0,
      MINUTE,
    );
    gone.add(replica.url); // as a load balancer does once a replica is no longer ready
    await replica.drain();
    await replica.start();
  }
  await load.allCreated;
  for (const id of load.created.values()) await bench.becomes(id, "active");
  const [{ number }] = await db.sql("select number::int from stream_heads where federation_id = $1", [hub]);
  await load.stop(number);

  assert.equal(load.surprises, []);
  assert.equal([...load.answers.keys()].filter((status) => !["200", "201", "503", "none"].includes(status)), []);
  const every = Array.from({ length: number }, (_, i) => i + 1);
  for (const numbers of load.heard) assert.equal(numbers, every);
  const rows = await db.sql("select id from spokes order by id");
  assert.equal(rows.map(({ id }) => id), [...load.created.values()].sort());
  const attempts = await db.sql("select distinct attempt from jobs where visible");
  assert.equal(attempts, [{ attempt: 1 }]);
  const installs = (await bench.cluster.list("/apis/batch/v1/jobs", "op=install")).map((job) => job.metadata.namespace);
  assert.is(installs.length, new Set(installs).size, "one install Job for each site");
  assert.equal(replicas.flatMap((replica) => replica.complaints()), []);
});

test.run();
