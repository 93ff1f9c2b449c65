import { suite } from "uvu";
import * as assert from "uvu/assert";
import { abortRollout, pauseRollout, resumeRollout } from "#lib/domains/rollouts/change.ts";
import type { NewRollout, RolloutDetail } from "#lib/domains/rollouts/views.ts";
import type { RolloutSpokeState } from "#lib/model/rollout.ts";
import type { Job } from "#lib/jobs/job.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { breakSite, readRolloutRow, startRollout, waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ scene: WorkScene; ids: string[] }>("rollouts");
const SLUGS = ["ash", "birch", "cedar", "elm", "fir"];

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  const hub = await scene.hub("north");
  context.ids = [];
  for (const slug of SLUGS) context.ids.push(await scene.spoke(hub, slug));
  await scene.replica();
  for (const id of context.ids) await scene.becomes(id, "active");
});
test.after(({ scene }) => scene.close());

const start = (scene: WorkScene, input: Partial<NewRollout> = {}): Promise<RolloutDetail> =>
  startRollout(scene, { action: "restart", ...input });

/** Returns the restarts since the rollout was created, in order. */
async function restartsOf({ db }: WorkScene, { createdAt }: RolloutDetail): Promise<Job[]> {
  const all = await selectRows(db, "jobs", { kind: "restart" }, { orderBy: "seq" });
  return all.filter((job) => job.createdAt >= new Date(createdAt)) as never;
}

/** Returns the template and the numbers of each email about the rollout. */
async function mailsAbout({ db }: WorkScene, { id }: RolloutDetail): Promise<[string, object][]> {
  const jobs = await selectRows(db, "jobs", { kind: "mail" }, { orderBy: "seq" });
  return jobs.flatMap(({ payload }) => {
    const { template, about } = (payload as unknown as { letter: RolloutLetter }).letter;
    const { done, failed, changed } = about;
    return about.id === id ? [[template, { done, failed, changed }]] : [];
  });
}

interface RolloutLetter {
  readonly template: string;
  readonly about: { readonly id: string; readonly done: number; readonly failed: number; readonly changed: number };
}

const statesOf = ({ spokes }: RolloutDetail): Record<string, RolloutSpokeState> =>
  Object.fromEntries(spokes.map(({ slug, state }) => [slug, state]));

test("restarts all spokes wave by wave, never more at once than allowed", async ({ scene, ids }) => {
  const rollout = await start(scene);
  assert.equal(rollout.spokes.map(({ slug, wave }) => [slug, wave]), [
    ...[["ash", 0], ["birch", 1], ["cedar", 1], ["elm", 2], ["fir", 2]],
  ]);
  const done = await waitForRollout(scene, rollout, "completed");
  assert.equal(Object.values(statesOf(done)), SLUGS.map(() => "succeeded"));
  const restarts = await restartsOf(scene, rollout);
  assert.equal(restarts.map(({ spokeId }) => spokeId), ids, "each spoke once, in order");
  for (const [i, { startedAt }] of restarts.slice(1).entries()) {
    assert.ok(startedAt! >= restarts[i]!.finishedAt!, "one at a time");
  }
  const audit = await selectRows(scene.db, "audit_events", { objectId: rollout.id }, { orderBy: "at" });
  assert.equal(audit.map(({ kind }) => kind), ["rollout_created", "rollout_completed"]);
  const events = await scene.db.rows.selectFrom("stream_events").select(["type", "data"])
    .where("type", "like", "RolloutUpdate%").orderBy("number").execute();
  assert.equal(events.map(({ type }) => type), ["RolloutUpdateRunning", "RolloutUpdateCompleted"]);
  assert.is((events[0]!.data as { rolloutId?: string }).rolloutId, rollout.id);
  assert.equal(await mailsAbout(scene, rollout), [["rollout-completed", { done: 5, failed: 0, changed: 5 }]]);
});

test("pauses at the first failure with its report, and tries it again when it is resumed", async ({ scene, ids }) => {
  const heal = await breakSite(scene, ids[2]!);
  const rollout = await start(scene), paused = await waitForRollout(scene, rollout, "paused");
  assert.equal(statesOf(paused), {
    ...{ ash: "succeeded", birch: "succeeded", cedar: "failed", elm: "waiting", fir: "waiting" },
  });
  assert.is(paused.reason, "One spoke failed");
  assert.equal(await mailsAbout(scene, rollout), [["rollout-paused", { done: 2, failed: 1, changed: 5 }]]);
  assert.match(paused.spokes[2]!.reason!, /./);
  heal();
  await resumeRollout(scene.app, scene.actor, await readRolloutRow(scene, rollout), { failed: "retry" });
  const done = await waitForRollout(scene, rollout, "completed");
  assert.equal(Object.values(statesOf(done)), SLUGS.map(() => "succeeded"));
  const restarts = await restartsOf(scene, rollout);
  assert.equal(restarts.map(({ spokeId }) => spokeId), [ids[0], ids[1], ids[2], ids[2], ids[3], ids[4]]);
});

test("pauses when the user who started it has lost the rights", async ({ scene }) => {
  await updateRows(scene.db, "users", { operator: false }, { id: scene.actor.userId });
  const rollout = await start(scene), paused = await waitForRollout(scene, rollout, "paused");
  await updateRows(scene.db, "users", { operator: true }, { id: scene.actor.userId });
  assert.is(paused.reason, "ann@example.org no longer has the rights for this rollout");
  assert.is(paused.counts.waiting, SLUGS.length);
  await abortRollout(scene.app, scene.actor, await readRolloutRow(scene, rollout));
});

test("waits for the operations that still run when it pauses", async ({ scene, ids }) => {
  const heal = await breakSite(scene, ids[0]!);
  const rollout = await start(scene, { canary: { spokes: 0, minutes: 0 }, batch: "3", maxUnavailable: 3 });
  const paused = await waitForRollout(scene, rollout, "paused");
  assert.equal(statesOf(paused), {
    ...{ ash: "failed", birch: "succeeded", cedar: "succeeded", elm: "waiting", fir: "waiting" },
  });
  heal();
  await abortRollout(scene.app, scene.actor, await readRolloutRow(scene, rollout));
});

test("skips a failed spoke on request, and spokes that the action cannot change", async ({ scene, ids }) => {
  const heal = await breakSite(scene, ids[0]!);
  const rollout = await start(scene), paused = await waitForRollout(scene, rollout, "paused");
  assert.is(statesOf(paused)["ash"], "failed");
  await scene.db.rows.updateTable("spokes").set({ state: "suspended" }).where("id", "=", ids[4]!).execute();
  await resumeRollout(scene.app, scene.actor, await readRolloutRow(scene, rollout), { failed: "skip" });
  const done = await waitForRollout(scene, rollout, "completed");
  assert.equal(statesOf(done), {
    ...{ ash: "skipped", birch: "succeeded", cedar: "succeeded", elm: "succeeded", fir: "skipped" },
  });
  assert.match(done.spokes[4]!.reason!, "Cannot restart a spoke that is suspended");
  heal();
  await scene.db.rows.updateTable("spokes").set({ state: "active" }).where("id", "=", ids[4]!).execute();
});

test("starts nothing while it is paused, and nothing more after it is aborted", async ({ scene }) => {
  const rollout = await start(scene);
  await pauseRollout(scene.app, scene.actor, await readRolloutRow(scene, rollout));
  const paused = await waitForRollout(scene, rollout, "paused");
  assert.ok(paused.counts.waiting >= 4);
  const aborted = await abortRollout(scene.app, scene.actor, await readRolloutRow(scene, rollout));
  assert.is(aborted.counts.waiting, 0);
  assert.is(aborted.counts.skipped, paused.counts.waiting);
  const row = await readRolloutRow(scene, rollout);
  const { code } = await rejection(resumeRollout(scene.app, scene.actor, row, { failed: "retry" }));
  assert.is(code, "rollout_state");
  assert.ok((await restartsOf(scene, rollout)).length <= 1);
});

test("another replica continues, and starts nothing twice", async ({ scene, ids }) => {
  const rollout = await start(scene);
  await until(async () => (await restartsOf(scene, rollout))[0]?.state === "succeeded");
  await scene.stopReplicas();
  await scene.replica();
  await waitForRollout(scene, rollout, "completed");
  assert.equal((await restartsOf(scene, rollout)).map(({ spokeId }) => spokeId), ids);
});

test.run();
