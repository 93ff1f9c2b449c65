/**
 * Calls to the cluster at the worst moment: what a holder that was stopped would have sent next is not sent, and what was on
 * its way when its sender died is refused by the API server itself, by the fence that the object carries.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FENCE } from "#lib/moodle/names.ts";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { writerOf } from "#test/support/bench/cluster.ts";
import { isTakeover, readHolders } from "#test/support/bench/holders.ts";
import type { Replica } from "#test/support/bench/replica.ts";
import type { Held } from "#test/support/proxy.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ bench: Bench }>("a late call");
test.before(async (context) => void (context.bench = await openBench({ replicas: 2, delayMs: 60 })));
test.after(({ bench }) => bench?.close());

test("is not made by a holder that was stopped between looking and calling", async ({ bench }) => {
  const { holder, held, cause: id } = await catchCall(
    bench,
    afterInstall,
    async () => await bench.spoke(await bench.hub("late"), "algebra"),
  );
  const stopped = holder.id;
  holder.tell("SIGSTOP");
  await held.pass(); // the answer lies in its socket: on it the next call would follow, without any look at the clock
  await bench.becomes(id, "active");
  holder.tell("SIGCONT");
  await until(() => holder.log().some(({ message }) => message.startsWith("Let go of an operation")), 60_000);
  const claim = (await readHolders(bench.db)).find(isTakeover)!;
  const late = (await bench.cluster.writes()).filter((write) =>
    writerOf(write) === stopped && Date.parse(write.at) > claim.at
  );
  assert.equal(late, []);
});

test("of a holder that is dead is refused by the cluster, and nothing changes", async ({ bench }) => {
  const id = await bench.spoke(await bench.hub("math"), "algebra");
  const { namespace } = await bench.becomes(id, "active");
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/moodle`;
  await bench.act(id, "suspend");
  await bench.becomes(id, "suspended");
  await bench.act(id, "resume");
  await bench.becomes(id, "active");
  assert.ok((await bench.cluster.get(path)).metadata.annotations[FENCE], "the fence is on it since the first patch");

  const { holder, held } = await catchCall(
    bench,
    () => (text) => text.startsWith(`PATCH ${path}`),
    () => bench.act(id, "suspend"),
  );
  await holder.kill(); // in the middle of suspending: the patch that scales Moodle down is on its way
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

/** The look at the namespace that comes before the Job which asks what the install has made. */
function afterInstall(): (text: string) => boolean {
  let installed = false;
  return (text) => {
    installed ||= /^POST \S+\/jobs/.test(text) && text.includes('"install-');
    return installed && /^GET \/api\/v1\/namespaces\/spoke-[^/ ]+ HTTP/.test(text);
  };
}

/** Holds back the first such call of whichever replica makes it. */
async function catchCall<T>(
  { replicas }: Bench,
  matching: () => (text: string) => boolean,
  cause: () => Promise<T>,
): Promise<{ readonly holder: Replica; readonly held: Held; readonly cause: T }> {
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
