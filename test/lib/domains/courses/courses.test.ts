/** Tests courses of a hub: published from one site, brought to the others by rollouts, in a simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestCoursePublication } from "#lib/domains/courses/publish.ts";
import { listHubCourses } from "#lib/domains/courses/show.ts";
import { changeHub } from "#lib/domains/tiers/change.ts";
import { type FederationRow, findFederation } from "#lib/domains/federations/store.ts";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { previewPolicy } from "#lib/domains/policy/preview.ts";
import { showPolicy, showSpokePolicy } from "#lib/domains/policy/show.ts";
import { patchSpokePolicy } from "#lib/domains/policy/spoke.ts";
import { resumeRollout } from "#lib/domains/rollouts/change.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import type { DeliveredCourse } from "#lib/dev/simulator/programs/moodle/site.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { readRolloutRow, waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { rejection, until } from "#test/support/until.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const SUBSCRIBERS = 16;

interface Context {
  scene: WorkScene;
  hub: FederationRow;
  origin: string;
  subscribers: string[];
  puller: string;
  mirror: string;
}

const test = suite<Context>("courses of a hub");

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  context.hub = await scene.hub("north");
  await updateRows(scene.db, "federations", { mode: "content" }, { id: context.hub.id });
  context.origin = await scene.spoke(context.hub, "origin");
  const names = Array.from({ length: SUBSCRIBERS }, (_, index) => `s${String(index).padStart(2, "0")}`);
  context.subscribers = [];
  for (const slug of names) context.subscribers.push(await createReader(scene, context.hub, slug, "subscribe"));
  context.puller = await createReader(scene, context.hub, "puller", "pull");
  context.mirror = await createReader(scene, context.hub, "mirror", "mirror");
  await scene.replica();
  for (const id of [context.origin, ...context.subscribers, context.puller, context.mirror]) {
    await scene.becomes(id, "active");
  }
  await changeOrigin(context, (database) => ({ ...database, courses: ["BIO-D"] }));
});
test.after(({ scene }) => scene.close());

type Database = NonNullable<ReturnType<WorkScene["simulator"]["site"]>["database"]>;

async function createReader({ app, actor }: WorkScene, hub: FederationRow, slug: string, contentMode: string) {
  return (await createSpoke(app, actor, hub, { slug, size: "small", content: true, contentMode } as never, null)).id;
}

async function changeOrigin({ scene, origin }: Context, change: (database: Database) => Database): Promise<void> {
  scene.simulator.site((await scene.row(origin)).namespace).changeDatabase(change);
}

async function hubOf({ scene, hub }: Context): Promise<FederationRow> {
  return (await findFederation(scene.db.rows, hub.id, "shown"))!;
}

async function publish(context: Context, more: { courseId?: string; deliver?: boolean; course?: string } = {}) {
  const { scene, origin } = context, input = { spokeId: origin, course: "BIO-D", ...more } as never;
  const job = await requestCoursePublication(scene.app, scene.actor, await hubOf(context), input, null);
  return await until(async () => {
    const found = (await scene.operations(origin)).find(({ id }) => id === job.id)!;
    return ["succeeded", "failed"].includes(found.state) && found;
  });
}

/** Returns the hub's only course. */
async function courseOf(context: Context) {
  return (await listHubCourses(context.scene.db.rows, await hubOf(context), context.scene.actor))[0]!;
}

async function waitForPolicy({ scene, hub }: Context, state: "completed" | "paused" = "completed") {
  return await waitForRollout(scene, (await showPolicy(scene.db.rows, hub.id)).rollout!, state);
}

/** Returns the only course of the hub on this site. */
async function courseOn({ row, simulator }: WorkScene, id: string): Promise<DeliveredCourse | undefined> {
  return Object.values(simulator.site((await row(id)).namespace).database!.hubCourses ?? {})[0];
}

async function useCourse({ row, simulator }: WorkScene, id: string): Promise<void> {
  simulator.site((await row(id)).namespace).changeDatabase((database) => {
    const [[family, course]] = Object.entries(database.hubCourses!) as [[string, DeliveredCourse]];
    const used = Object.entries(course.versions).map(([version, one]) => [version, { ...one, isUsed: true }]);
    return { ...database, hubCourses: { [family]: { ...course, versions: Object.fromEntries(used) } } };
  });
}

/** Empties the library of the hub. Returns a function that puts the packages back. */
function takePackages({ simulator: { volumes } }: WorkScene): () => void {
  const [handle, library] = volumes.entries().find(([, data]) => data.packages)!;
  volumes.write(handle, { packages: {} });
  return () => volumes.write(handle, library);
}

test("publishes a course, and brings it to every site that subscribes", async (context) => {
  const { scene, subscribers, mirror, puller, origin } = context;
  const { state, progress } = await publish(context);
  assert.is(state, "succeeded", JSON.stringify(progress));
  const [course, ...others] = await listHubCourses(scene.db.rows, await hubOf(context), scene.actor);
  assert.equal([course!.title, course!.delivered, others.length], ["BIO-D", 1, 0]);
  assert.equal(course!.versions.map(({ version, spokeId, bytes }) => [version, spokeId, bytes]), [
    [1, origin, 21_000_000],
  ]);
  await waitForPolicy(context);
  for (const id of [...subscribers, mirror]) assert.is((await courseOn(scene, id))?.current, 1);
  assert.is(await courseOn(scene, puller), undefined, "it takes courses itself");
  assert.is(await courseOn(scene, origin), undefined, "it does not use the hub's courses");
  const { spokes } = await showPolicy(scene.db.rows, context.hub.id);
  assert.equal(spokes.courses, { in_sync: SUBSCRIBERS + 1, behind: 0, differs: 1, excluded: 1 });
});

test("replaces a version that nobody has used, and closes one that somebody has used", async (context) => {
  const { scene, subscribers: [first, second], mirror } = context;
  await useCourse(scene, second!);
  await changeOrigin(context, (database) => ({ ...database, courseContents: { "BIO-D": { edition: 2 } } }));
  const { id } = await courseOf(context);
  assert.is((await publish(context, { courseId: id })).state, "succeeded");
  await waitForPolicy(context);
  const unused = (await courseOn(scene, first!))!, used = (await courseOn(scene, second!))!;
  assert.equal([unused.current, Object.keys(unused.versions)], [2, ["2"]]);
  assert.equal([used.current, Object.keys(used.versions)], [2, ["1", "2"]]);
  assert.equal([used.versions["1"]!.isClosed, used.versions["1"]!.isUsed], [true, true]);
  assert.is((await courseOn(scene, mirror))!.current, 1, "a mirror keeps what it got first");
});

test("brings a version to a site that takes it", async (context) => {
  const { scene, puller, mirror } = context, newest = (await courseOf(context)).versions[0]!.release;
  const before = await showSpokePolicy(scene.db.rows, puller);
  assert.equal([before.courses.state, before.courses.reasons], ["differs", ["The site can take 1 version"]]);
  await patchSpokePolicy(scene.app, scene.actor, await scene.row(puller), { courses: { releases: [newest] } });
  assert.is((await scene.ended(puller, "configure")).state, "succeeded");
  assert.is((await courseOn(scene, puller))!.current, 2);
  assert.is((await showSpokePolicy(scene.db.rows, puller)).courses.state, "in_sync");
  const fixed = await rejection(
    patchSpokePolicy(scene.app, scene.actor, await scene.row(mirror), { courses: { releases: [newest] } }),
  );
  assert.is(fixed.code, "policy_fixed");
  const unknown = await rejection(
    patchSpokePolicy(scene.app, scene.actor, await scene.row(puller), {
      courses: { releases: [newest.replace(/@.*/, "@9")] },
    }),
  );
  assert.is(unknown.code, "course_missing");
});

test("goes back to the version before, which opens the closed course again", async (context) => {
  const { scene, hub, subscribers: [first, second] } = context;
  const { id } = await courseOf(context);
  await patchPolicy(scene.app, scene.actor, hub, { courses: { releases: [`${id}@1`] } });
  await waitForPolicy(context);
  const restored = (await courseOn(scene, first!))!, reopened = (await courseOn(scene, second!))!;
  assert.equal([restored.current, Object.keys(restored.versions)], [1, ["1"]]);
  assert.equal([reopened.current, reopened.versions["1"]!.isClosed], [1, undefined]);
});

test("reports a site that lacks an add-on, which keeps the version that it has", async (context) => {
  const { scene, hub, subscribers: [first] } = context;
  const content = { "BIO-D": { edition: 3, plugins: ["mod_attendance"] } };
  await changeOrigin(context, (database) => ({ ...database, courseContents: content }));
  const { id } = await courseOf(context);
  await publish(context, { courseId: id, deliver: false });
  const change = { courses: { releases: [`${id}@3`] } };
  const preview = await previewPolicy(scene.app, scene.actor, hub, change);
  assert.equal([preview.counts.changes, preview.counts.excluded], [SUBSCRIBERS, 1]);
  assert.match(preview.spokes.find(({ spokeId }) => spokeId === first)!.reason!, /^BIO-D needs mod_attendance/);
  await patchPolicy(scene.app, scene.actor, hub, change);
  await waitForPolicy(context);
  const shown = await showSpokePolicy(scene.db.rows, first!);
  assert.is(shown.courses.state, "differs");
  assert.match(shown.courses.reasons.join(), "the site lacks mod_attendance");
  assert.is((await courseOn(scene, first!))!.current, 1, "the former version stays");
});

test("pauses at the first site that cannot get the package, and goes on when it is there again", async (context) => {
  const { scene, hub, subscribers } = context;
  await changeOrigin(context, (database) => ({ ...database, courseContents: { "BIO-D": { edition: 4 } } }));
  const { id } = await courseOf(context);
  await publish(context, { courseId: id, deliver: false });
  const putBack = takePackages(scene);
  await patchPolicy(scene.app, scene.actor, hub, { courses: { releases: [`${id}@4`] } });
  const paused = await waitForPolicy(context, "paused");
  const failed = await selectRows(scene.db, "rollout_spokes", { rolloutId: paused.id, state: "failed" });
  assert.match(failed[0].reason ?? "", "its package is missing from the hub's library");
  const versions = await Promise.all(subscribers.map(async (spoke) => (await courseOn(scene, spoke))!.current));
  assert.equal([...new Set(versions)], [1], "every site keeps the version that it had");
  putBack();
  await resumeRollout(scene.app, scene.actor, await readRolloutRow(scene, paused), { failed: "retry" });
  await waitForPolicy(context);
  for (const spoke of subscribers) assert.is((await courseOn(scene, spoke))!.current, 4);
  await patchPolicy(scene.app, scene.actor, hub, { courses: { releases: [`${id}@1`] } });
  await waitForPolicy(context);
});

test("closes the courses when the hub's mode changes, and opens them again", async (context) => {
  const { scene, hub, subscribers: [first, second] } = context;
  await useCourse(scene, second!);
  await changeHub(scene.app, scene.actor, await hubOf(context), { mode: "identity" } as never);
  await waitForPolicy(context);
  assert.is(await courseOn(scene, first!), undefined, "nobody had used it");
  const closed = (await courseOn(scene, second!))!;
  assert.equal([closed.current, closed.versions["1"]!.isClosed], [null, true]);
  await patchPolicy(scene.app, scene.actor, hub, { courses: { releases: [] } });
  const { id } = await courseOf(context);
  await patchPolicy(scene.app, scene.actor, hub, { courses: { releases: [`${id}@1`] } });
  await changeHub(scene.app, scene.actor, await hubOf(context), { mode: "both" } as never);
  await waitForPolicy(context);
  assert.equal([(await courseOn(scene, second!))!.current, (await courseOn(scene, first!))!.current], [1, 1]);
});

test("gives a new spoke the courses that the others have", async ({ scene, hub }) => {
  const id = await createReader(scene, hub, "newcomer", "subscribe");
  await scene.becomes(id, "active");
  await until(async () => (await courseOn(scene, id))?.current === 1);
  await until(async () => (await showSpokePolicy(scene.db.rows, id)).courses.state === "in_sync");
});

test("refuses a course that the site does not have, and one that the hub does not have", async (context) => {
  const { state, failure } = await publish(context, { course: "NONE" });
  assert.equal([state, failure!.code], ["failed", "CourseUnpublished"]);
  assert.match(failure!.message, "The site has no course with this short name");
  assert.is((await rejection(publish(context, { courseId: `crs_${"0".repeat(26)}` }))).code, "course_missing");
});

test("says that a site in another cluster than its hub gets no courses", async (context) => {
  const { scene, hub, subscribers: [first] } = context, { id } = await courseOf(context);
  await updateRows(scene.db, "federations", { cluster: "elsewhere" }, { id: hub.id });
  await patchPolicy(scene.app, scene.actor, hub, { courses: { releases: [`${id}@2`] } });
  await waitForPolicy(context);
  const { courses } = await showSpokePolicy(scene.db.rows, first!);
  assert.equal([courses.state, courses.reasons], ["differs", [
    "the course BIO-D: the hub's library is in another cluster",
  ]]);
  assert.is((await courseOn(scene, first!))!.current, 1, "the site keeps what it has");
});

test.run();
