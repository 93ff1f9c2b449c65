import { suite } from "uvu";
import * as assert from "uvu/assert";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { requestCoursePublication } from "#lib/domains/courses/publish.ts";
import { listHubCourses } from "#lib/domains/courses/show.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { showPolicy } from "#lib/domains/policy/show.ts";
import { configure } from "#lib/operations/configure.ts";
import { publishCourse } from "#lib/operations/tasks.ts";
import { listSteps, openDyingReplicas } from "#test/lib/workers/dying-replicas.ts";
import { openWorkScene } from "#test/lib/workers/scene.ts";
import { waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite("what a hub shares, while replicas are killed");

test("reaches every site once, though a replica dies after each step and another one runs", async () => {
  const scene = await openWorkScene(), died: string[] = [];
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  const replicas = await openDyingReplicas(scene, ["configure", "run-rollout"], died);
  try {
    const hub = await scene.hub("north"), ids: string[] = [];
    for (const slug of ["ash", "birch", "cedar", "elm"]) ids.push(await scene.spoke(hub, slug));
    for (const id of ids) await scene.becomes(id, "active");
    const { rollout } = await patchPolicy(scene.app, scene.actor, hub, {
      settings: { language: "de" },
      brand: { color: "#00aa44" },
    });
    await waitForRollout(scene, rollout!, "completed");
    assert.equal(died.filter((name) => name.startsWith("configure")).sort(), listSteps(configure));
    assert.ok(died.includes("run-rollout advance"));
    for (const id of ids) {
      const { config } = scene.simulator.site((await scene.row(id)).namespace).database!;
      assert.equal([config!.lang, config!.brandcolor], ["de", "#00aa44"]);
    }
    const jobs = await selectRows(scene.db, "jobs", { kind: "configure" }, { columns: ["spokeId", "state"] });
    assert.equal(jobs.map(({ spokeId }) => spokeId).sort(), [...ids].sort(), "one operation for each spoke");
    const { settings, brand } = (await showPolicy(scene.db.rows, hub.id)).spokes;
    assert.equal([settings.in_sync, brand.in_sync], [4, 4]);
  } finally {
    await Promise.all(replicas.map((replica) => replica.close()));
    await scene.close();
  }
});

test("publishes a course once, and brings it once to each site", async () => {
  const scene = await openWorkScene(), died: string[] = [];
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  const replicas = await openDyingReplicas(scene, ["publish-course", "configure", "run-rollout"], died);
  try {
    const { id } = await scene.hub("north"), ids: string[] = [];
    await updateRows(scene.db, "federations", { mode: "content" }, { id });
    const hub = (await findFederation(scene.db.rows, id, "shown"))!;
    for (const slug of ["ash", "birch", "cedar", "elm"]) ids.push(await scene.spoke(hub, slug));
    for (const spoke of ids) await scene.becomes(spoke, "active");
    await updateRows(scene.db, "spokes", { content: true }, { federationId: id });
    const siteOf = async (spoke: string) => scene.simulator.site((await scene.row(spoke)).namespace);
    (await siteOf(ids[0]!)).changeDatabase((database) => ({ ...database, courses: ["BIO-D"] }));
    await requestCoursePublication(scene.app, scene.actor, hub, { spokeId: ids[0]!, course: "BIO-D" } as never, null);
    assert.is((await scene.ended(ids[0]!, "publish-course")).state, "succeeded");
    await waitForRollout(scene, (await showPolicy(scene.db.rows, id)).rollout!, "completed");
    assert.equal(died.filter((name) => name.startsWith("publish-course")).sort(), listSteps(publishCourse));
    const [course, ...others] = await listHubCourses(
      scene.db.rows,
      (await findFederation(scene.db.rows, id, "shown"))!,
      scene.actor,
    );
    assert.equal([course!.versions.length, course!.delivered, others], [1, 1, []]);
    assert.equal((await siteOf(ids[0]!)).database!.hubCourses ?? {}, {}, "the site that published it has it already");
    for (const spoke of ids.slice(1)) {
      const courses = Object.values((await siteOf(spoke)).database!.hubCourses!);
      assert.equal(courses.map(({ current, versions }) => [current, Object.keys(versions)]), [[1, ["1"]]]);
    }
  } finally {
    await Promise.all(replicas.map((replica) => replica.close()));
    await scene.close();
  }
});

test.run();
