import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { showOperation } from "#lib/domains/operations/show.ts";
import { OperationDetail } from "#lib/jobs/operation.ts";
import { CLUSTER_CASES, type FailureCase } from "./failure-cases.ts";
import { SITE_CASES } from "./failure-cases-site.ts";
import { openFailures } from "./failure-scene.ts";
import type { WorkScene } from "#test/lib/workers/scene.ts";

const CASES = [...CLUSTER_CASES, ...SITE_CASES];

/** Spokes of one hub that fail one after another, each in its own way. The last one succeeds. */
const test = suite<{ scene: WorkScene; ids: Map<string, string>; last: string }>("a failed install");
test.before(async (context) => void Object.assign(context, await openFailures(CASES)));
test.after(({ scene }) => scene.close());

for (const each of CASES) {
  test(`reports ${each.name}`, async ({ scene, ids }) => {
    const id = ids.get(each.slug)!;
    await scene.ended(id, "provision");
    const [job] = await scene.operations(id);
    const view = await showOperation(scene.db.rows, scene.actor, job!);
    const { state, error, label } = v.parse(OperationDetail, JSON.parse(JSON.stringify(view)));
    const text = JSON.stringify({ state, label, ...error, events: error?.events.length }, null, 2);
    assert.equal([state, error?.step, error?.code, error?.fault], ["failed", each.step, each.code, each.fault], text);
    assert.match(error!.message, each.message, error!.message);
    assert.match(error!.hint ?? "", each.hint);
    readable(each, error!);
    if (each.log) assert.match(error!.log.join("\n"), each.log);
    if (each.event) assert.ok(error!.events.some(({ reason }) => reason === each.event), text);
    assert.is((await scene.row(id)).stateReason, error!.message);
  });
}

test("continues the lane after each failure", async ({ scene, ids, last }) => {
  assert.is((await scene.becomes(last, "active", "failed")).state, "active");
  const runs = await Promise.all([...ids.values(), last].map(async (id) => (await scene.operations(id)).at(-1)!));
  const others = runs.filter(({ attempt }) => attempt === 1);
  for (const [i, run] of others.entries()) {
    if (i > 0) assert.ok(run.startedAt! >= others[i - 1]!.finishedAt!, `${i} began before ${i - 1} had ended`);
  }
});

/** Checks each failure: readable sentences of limited length, in order, and no password. */
function readable(each: FailureCase, error: NonNullable<v.InferOutput<typeof OperationDetail>["error"]>): void {
  assert.match(error.message, /^[A-Z"]/);
  assert.not.match(error.message, /undefined|\bnull\b|\[object|: *$/);
  assert.match(error.hint!, /^[A-Z].*\.$/);
  assert.ok(error.message.length <= 2000 && error.hint!.length < 300, each.slug);
  assert.ok(error.log.length <= 200 && error.events.length <= 100);
  const times = error.events.map(({ at }) => at);
  assert.equal(times, times.toSorted());
  const keys = error.events.map(({ object, reason, message }) => `${object} ${reason} ${message}`);
  assert.is(new Set(keys).size, keys.length, "an event stands there twice");
  assert.not.match(JSON.stringify(error), /s3cret|\\u0000/);
}

test.run();
