/** Tests late calls to the cluster. A stopped holder does not send its next call. A call in transit when its sender
 * dies is refused by the API server, because of the fence in the object. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FENCE_METADATA_KEY } from "#lib/moodle/names.ts";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { writerOf } from "#test/support/bench/cluster.ts";
import { isTakeover, readHolderTimeline } from "#test/support/bench/holder-timeline.ts";
import type { Replica } from "#test/support/bench/replica.ts";
import type { HeldData } from "#test/support/proxy.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ bench: Bench }>("a late call to the cluster");
test.before(async (context) => void (context.bench = await openBench({ replicas: 2, delayMs: 60 })));
test.after(({ bench }) => bench?.close());

test("is not sent by a holder that was stopped just before it", async ({ bench }) => {
  const { holder, held, cause: id } = await catchCall(
    bench,
    afterInstall,
    async () => await bench.spoke(await bench.hub("late"), "algebra"),
  );
  const stopped = holder.id;
  holder.tell("SIGSTOP");
  await held.pass(); // the response is in the holder's socket; without a check of the clock, the next call would follow
  await bench.becomes(id, "active");
  holder.tell("SIGCONT");
  await until(() => holder.log().some(({ message }) => message.startsWith("Released an operation")));
  const claim = (await readHolderTimeline(bench.db)).find(isTakeover)!;
  const late = (await bench.cluster.writes()).filter((write) =>
    writerOf(write) === stopped && Date.parse(write.at) > claim.at
  );
  assert.equal(late, []);
});

test("is rejected by the cluster if its sender is dead, and changes nothing", async ({ bench }) => {
  const id = await bench.spoke(await bench.hub("math"), "algebra");
  const { namespace } = await bench.becomes(id, "active");
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/moodle`;
  await bench.act(id, "suspend");
  await bench.becomes(id, "suspended");
  await bench.act(id, "resume");
  await bench.becomes(id, "active");
  assert.ok(
    (await bench.cluster.get(path)).metadata.annotations[FENCE_METADATA_KEY],
    "the fence is on it since the first patch",
  );

  const { holder, held } = await catchCall(
    bench,
    () => (text) => text.startsWith(`PATCH ${path}`),
    () => bench.act(id, "suspend"),
  );
  await holder.kill(); // during a suspend: the patch that scales Moodle down is in transit
  await bench.becomes(id, "suspended");
  await bench.act(id, "resume");
  await bench.becomes(id, "active");

  const before = await bench.cluster.get(path);
  const rows = await bench.db.sql("select * from jobs where spoke_id = $1 order by seq", [id]);
  assert.match(await held.release(), /^HTTP\/1\.1 422 /);
  assert.equal(await bench.cluster.get(path), before);
  assert.is(before.spec.replicas, 1);
  assert.equal(await bench.db.sql("select * from jobs where spoke_id = $1 order by seq", [id]), rows);
  const last = (await bench.cluster.writes()).filter((write) => write.path.startsWith(path)).at(-1)!;
  assert.equal([last.status, last.changed], [422, false]);
});

/** Matches the read of the namespace before the Job that checks the install's result. */
function afterInstall(): (text: string) => boolean {
  let installed = false;
  return (text) => {
    installed ||= /^POST \S+\/jobs/.test(text) && text.includes('"install-');
    return installed && /^GET \/api\/v1\/namespaces\/spoke-[^/ ]+ HTTP/.test(text);
  };
}

/** Holds back the first matching call of any replica. */
async function catchCall<T>(
  { replicas }: Bench,
  matching: () => (text: string) => boolean,
  cause: () => Promise<T>,
): Promise<{ readonly holder: Replica; readonly held: HeldData; readonly cause: T }> {
  const traps = replicas.map((holder) => ({ holder, held: holder.cluster.hold(matching()) }));
  const caused = await cause();
  const found = await Promise.race(traps.map(async (trap) => {
    await trap.held.caught;
    return trap;
  }));
  for (const { held } of traps) held.forget();
  return { ...found, cause: caused };
}

test.run();
