/** Tests the progress of an installation: in the stream, in the operation, and after a takeover. */
import { OPERATIONS } from "#lib/operations/table.ts";
import { requireJobData } from "#lib/jobs/data.ts";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { until } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene }>("the progress of an installation");
test.before.each(async (context) => void (context.scene = await openWorkScene(5, {}, 0.05))); // an install takes 3.2 s
test.after.each(({ scene }) => scene.close());

const PART = /^Installing Moodle: part (\d+)(?: of (\d+))? \((\w+)\)$/;

/** Returns the progress that the operation shows, once it shows one. */
async function partOf(scene: WorkScene, id: string, least = 1) {
  return await until(async () => {
    const [, part, total, name] = PART.exec((await scene.operations(id))[0]!.label) ?? [];
    return Number(part) >= least && { part: Number(part), total: total && Number(total), name };
  });
}

async function labels(scene: WorkScene, id: string): Promise<string[]> {
  const rows = await selectRows(scene.db, "stream_events", { spokeId: id }, { columns: ["data"], orderBy: "number" });
  return rows.map(({ data }) => data.operation.label);
}

async function readInstallProgress(scene: WorkScene, id: string) {
  const [job] = await scene.operations(id);
  return requireJobData(OPERATIONS.provision.kind, job!).progress;
}

test("streams the parts of an installation, with their number after the first one", async ({ scene }) => {
  const hub = await scene.hub("math");
  await scene.replica();
  const first = await scene.spoke(hub, "algebra");
  assert.is((await partOf(scene, first)).total, undefined);
  await scene.becomes(first, "active");
  const { way, count } = (await readInstallProgress(scene, first)).parts!;
  assert.is(way, (await scene.row(first)).blueprintInputs.images.moodle);
  const parts = (await labels(scene, first)).flatMap((label) => PART.exec(label)?.[1] ?? []).map(Number);
  assert.ok(parts.length > 0 && parts.length < 6, `one a second, and not each: ${parts}`);
  assert.equal(parts, parts.toSorted((a, b) => a - b));

  const second = await scene.spoke(hub, "logic");
  assert.is((await partOf(scene, second)).total, count);
  await scene.becomes(second, "active");
  assert.ok((await labels(scene, second)).some((label) => label.includes(` of ${count} (`)));
});

test("is read from the start of its log after a takeover", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const first = await scene.replica();
  const { part } = await partOf(scene, id);
  await first.close();
  await scene.replica();
  await partOf(scene, id, part + 1);
  await scene.becomes(id, "active");
  const { installs, parts } = await readInstallProgress(scene, id);
  assert.is(installs!.length, 1, "one install, which the second replica has adopted");
  assert.ok(parts!.count > 50);
});

test.run();
