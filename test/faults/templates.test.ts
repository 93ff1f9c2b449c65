/** Tests a template whose replica is killed in each step, and a site created from it under the same conditions. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { queryRows } from "#test/support/bench/query.ts";
import type { Replica } from "#test/support/bench/replica.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ bench: Bench; hub: string }>("a template whose replica is killed");
test.before(async (context) => {
  context.bench = await openBench({ replicas: 3, delayMs: 400, env: { TEMPLATES: "on" } });
  context.hub = await context.bench.hub("north");
});
test.after(({ bench }) => bench?.close());

const PATIENCE = 300_000;
const CONTENTS = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents";

/**
 * Kills the job's holder after each step until the job ends, and restarts it meanwhile. Returns the number of kills.
 */
async function killOnItsWay({ db, replicas }: Bench, kind: string, about: string): Promise<number> {
  const starts: Promise<void>[] = [], starting = new Set<Replica>(); // still with the old ID until they have restarted
  for (let kills = 0, steps = -1;; kills++) {
    const next = await until(async () => {
      const [row] = await queryRows(
        db,
        `select state, holder, cardinality(finished_steps) as done from jobs where kind = $1 and coalesce(spoke_id, '') = $2`,
        [kind, about],
      );
      if (row?.state === "succeeded") return { done: null };
      const holder = row?.done > steps && replicas.find((one) => one.id === row.holder && !starting.has(one));
      return holder && { holder, done: Number(row.done) };
    }, PATIENCE);
    if (next.done === null) return await Promise.all(starts).then(() => kills);
    steps = next.done;
    const { holder } = next;
    starting.add(holder);
    await holder.kill();
    starts.push(holder.start().finally(() => starting.delete(holder)));
  }
}

async function sandboxes({ cluster }: Bench): Promise<string[]> {
  const all = await cluster.list("/api/v1/namespaces", "wheelwright.dev/sandbox");
  return all.map(({ metadata }) => metadata.name);
}

test("is created once, without orphans", async ({ bench, hub }) => {
  const first = await bench.spoke(hub, "first");
  const kills = await killOnItsWay(bench, "create-template", "");
  await bench.becomes(first, "active");
  assert.ok(kills >= 4, `${kills} were killed`);
  const [template] = await queryRows(bench.db, "select volumes from templates where state = 'ready'");
  const contents = await bench.cluster.list(CONTENTS);
  const volumeContents = template.volumes.map(({ content }: { content: string }) => content).sort();
  assert.equal(contents.map(({ metadata }) => metadata.name).sort(), volumeContents);
  assert.equal([await sandboxes(bench), (await queryRows(bench.db, "select 1 from templates")).length], [[], 1]);
  const made = (await bench.cluster.history("Namespace")).filter(({ name, type }) =>
    name.startsWith("sandbox-") && type === "ADDED"
  );
  assert.is(made.length, 1);
});

test("creates a site whose replicas are killed as well, without a Job and without orphans", async ({ bench, hub }) => {
  const id = await bench.spoke(hub, "second");
  const kills = await killOnItsWay(bench, "provision", id);
  assert.ok(kills >= 4, `${kills} were killed`);
  const { namespace } = await bench.becomes(id, "active");
  const jobs = (await bench.cluster.history("Job")).filter((each) => each.namespace === namespace);
  assert.equal(jobs.filter(({ name }) => name.startsWith("install-")), []);
  assert.is((await bench.cluster.list(CONTENTS)).length, 2);
  const [row] = await queryRows(bench.db, "select progress from jobs where spoke_id = $1", [id]);
  assert.ok(row.progress.notes.includes("Created from the template for Moodle 4.5.12"));
});

test.run();
