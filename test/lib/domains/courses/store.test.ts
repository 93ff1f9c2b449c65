/** Tests how versions of a hub's courses are stored, and which are dropped. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type NewCourseVersion, storeCourseVersion } from "#lib/domains/courses/store.ts";
import { MAX_COURSE_VERSIONS, MAX_COURSES, type ParsedRelease } from "#lib/model/course.ts";
import { updateRows } from "#test/support/rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ scene: Scene }>("storeCourseVersion");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

let operations = 0;

async function store({ db, hub, spoke, people }: Scene, more: Partial<NewCourseVersion> = {}): Promise<ParsedRelease> {
  const requester = { userId: people.operator.id, email: "ann@example.org", ip: "", userAgent: "", tokenPrefix: null };
  const added: NewCourseVersion = {
    ...{ courseId: undefined, operationId: `op_${operations++}`, spokeId: spoke, title: "Biology", shortname: "BIO-D" },
    ...{ sha256: "a".repeat(64), bytes: 1, plugins: [], branch: "4.5", moodle: 2024100700, ...more },
  };
  return await db.transact((tx) => storeCourseVersion(tx, requester, hub, added));
}

async function versionsOf({ db, hub }: Scene): Promise<number[]> {
  const { courses } = await db.rows.selectFrom("federations").select("courses").where("id", "=", hub)
    .executeTakeFirstOrThrow();
  return courses![0]!.versions.map(({ version }) => version);
}

test("drops the oldest version, but none that the hub or a site of it has", async ({ scene }) => {
  const { course: courseId } = await store(scene), { db, hub, spoke } = scene;
  while ((await versionsOf(scene)).length < MAX_COURSE_VERSIONS) await store(scene, { courseId });
  const inputs = (version: number) => ({
    shared: { courses: { version: 1, values: { releases: [`${courseId}@${version}`] } } },
  });
  await updateRows(db, "spokes", { blueprintInputs: JSON.stringify(inputs(1)) }, { id: spoke });
  const released = {
    values: { releases: [`${courseId}@2`] },
    version: 1,
    overridable: [],
    changedAt: "",
    changedBy: "",
  };
  await updateRows(db, "federations", { policy: JSON.stringify({ courses: released }) }, { id: hub });
  await store(scene, { courseId });
  assert.equal((await versionsOf(scene)).slice(0, 3), [1, 2, 4], "a mirror has version 1, the hub gives version 2");
});

test("adds a version once for each operation", async ({ scene }) => {
  const first = await store(scene, { operationId: "op_same" });
  assert.equal(await store(scene, { operationId: "op_same" }), first);
  assert.equal(await versionsOf(scene), [1]);
});

test("refuses more courses than the hub's record has room for", async ({ scene }) => {
  const { course: courseId } = await store(scene);
  const plugins = Array.from({ length: 6000 }, () => `mod_${"x".repeat(90)}`);
  assert.is((await rejection(store(scene, { courseId, plugins }))).code, "too_many_courses");
  for (let count = 1; count < MAX_COURSES; count++) await store(scene);
  assert.is((await rejection(store(scene))).code, "too_many_courses");
  assert.is((await store(scene, { courseId })).version, 2, "a new version of a course is accepted");
});

test.run();
