/** Tests `wheelwright restore --rollout` as a process, after a rollout of an upgrade that fails on one site. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { resumeRollout } from "#lib/domains/rollouts/change.ts";
import type { RolloutDetail } from "#lib/domains/rollouts/views.ts";
import { readRolloutRow, startRollout, waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { installSpoke, NEW, OLD } from "#test/lib/workers/upgrade/scene.ts";
import { startProgram } from "#test/support/program.ts";
import { updateRows } from "#test/support/rows.ts";

interface Context {
  scene: WorkScene;
  ids: string[];
  rollout: RolloutDetail;
  heal: () => void;
  run: (...line: string[]) => Promise<{ readonly status: number | null; readonly text: string }>;
}

const test = suite<Context>("wheelwright restore --rollout");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await updateRows(scene.db, "users", { operator: true }, { id: scene.actor.userId });
  await scene.replica();
  context.ids = await Promise.all(["ash", "birch", "cedar"].map((slug) => installSpoke(scene, slug)));
  const { namespace } = await scene.row(context.ids[1]!), { faults } = scene.simulator;
  const fault = faults.answer(403, { method: "PATCH", path: `/namespaces/${namespace}/services/moodle` });
  context.heal = () => faults.remove(fault);
  context.run = async (...line) => {
    const program = startProgram(["restore", "--rollout", ...line], { DATABASE_URL: scene.db.url });
    const status = await program.ended;
    return { status, text: program.lines.join("\n") };
  };
  const rollout = await startRollout(scene, {
    action: "upgrade",
    lmsVersion: NEW,
    canary: { spokes: 0, minutes: 0 },
    selector: { ids: context.ids },
  });
  context.rollout = await waitForRollout(scene, rollout, "paused");
});
test.after(({ scene }) => scene.close());

const readVersions = ({ scene, ids }: Context) => Promise.all(ids.map(async (id) => (await scene.row(id)).lmsVersion));

test("a dry run lists the spokes of the failed wave with their backups, and writes nothing", async (context) => {
  const { rollout, run } = context, before = await context.scene.db.sql("select count(*) from jobs where visible");
  assert.equal(rollout.spokes.map(({ state, wave }) => [state, wave]), [
    ...[["succeeded", 1], ["failed", 1], ["waiting", 2]],
  ]);
  const { status, text } = await run(rollout.id, "--dry-run");
  assert.is(status, 0, text);
  assert.match(text, `Wave 1 of the rollout ${rollout.id} would be restored`);
  for (const slug of ["ash", "birch"]) assert.match(text, new RegExp(`^${slug}\\.\\S+ +bak_\\w+`, "m"));
  assert.not.match(text, "cedar");
  assert.match(text, /Nothing was written\.$/);
  assert.equal(await context.scene.db.sql("select count(*) from jobs where visible"), before);
});

test("refuses a rollout that is unknown or has nothing to restore, and options that do not fit", async ({ rollout, run }) => {
  const cases: readonly (readonly [line: readonly string[], status: number, words: RegExp])[] = [
    [["rol_1", "--yes"], 65, /There is no rollout rol_1/],
    [[rollout.id, "--wave", "2", "--yes"], 65, /No spoke of the wave can be restored/],
    [[rollout.id, "--wave", "first"], 2, /--wave must be the number of a wave/],
    [[rollout.id, "--back"], 2, /--rollout can be combined only with --wave, --dry-run, --yes and --no-wait/],
    [[rollout.id], 2, /2 spokes lose all changes since the rollout's backups.*confirm with --yes/],
  ];
  for (const [line, status, words] of cases) {
    const result = await run(...line);
    assert.match(result.text, words);
    assert.is(result.status, status, line.join(" "));
  }
});

test("restores the whole wave, and the resumed rollout upgrades it again", async (context) => {
  const { scene, rollout, run, heal } = context;
  assert.equal(await readVersions(context), [NEW, OLD, OLD]);
  heal();
  const { status, text } = await run(rollout.id, "--yes");
  assert.is(status, 0, text);
  assert.equal(text.match(/Done: the operation succeeded/g)?.length, 2);
  assert.equal(await readVersions(context), [OLD, OLD, OLD]);
  for (const id of context.ids) assert.is((await scene.row(id)).state, "active");
  await resumeRollout(scene.app, scene.actor, await readRolloutRow(scene, rollout), { failed: "retry" });
  await waitForRollout(scene, rollout, "completed");
  assert.equal(await readVersions(context), [NEW, NEW, NEW]);
});

test.run();
