/** Tests the endpoints of the courses of a hub. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene; courses: string }>("/api/federations/{id}/courses");

test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  context.courses = `/api/federations/${scene.hub}/courses`;
});
test.after.each(({ scene }) => scene.close());

const AT = "2026-11-21T12:00:00.000Z";
const BIOLOGY = {
  id: "crs_06fj2d1m7q4w9z2xbc8v5n3t1y",
  title: "Biology",
  versions: [1, 2].map((version) => ({
    ...{ version, title: "Biology", shortname: "BIO-D", sha256: "a".repeat(64), bytes: 21_000_000, plugins: [] },
    ...{ branch: "4.5", moodle: 2024100700, spokeId: "spk_of_another_school", operationId: `op_${version}` },
    ...{ publishedAt: "2026-11-21T12:00:00.000Z", publishedBy: "ann@north.example" },
  })),
};

test("lists versions, newest first, and tells only who manages the hub where they come from", async (context) => {
  const { scene, courses } = context;
  await updateRows(scene.db, "federations", { courses: JSON.stringify([BIOLOGY]) }, { id: scene.hub });
  const { status, body: [course] } = await scene.as("hubAdmin", "readonly").get(courses);
  assert.equal([status, course.title, course.delivered], [200, "Biology", null]);
  assert.equal(course.versions.map(({ release }: { release: string }) => release), [
    `${BIOLOGY.id}@2`,
    `${BIOLOGY.id}@1`,
  ]);
  const [{ spokeId, publishedBy }] = course.versions;
  assert.equal([spokeId, publishedBy], ["spk_of_another_school", "ann@north.example"]);
  const seen = await scene.as("spokeAdmin", "readonly").get(courses);
  assert.is(seen.body[0].versions.length, 2);
  assert.not.match(JSON.stringify(seen.body), /another_school|ann@north/);
  assert.is((await scene.as("stranger", "readonly").get(courses)).status, 404);
});

test("deletes a version that the hub does not give to its spokes, and shows the library", async (context) => {
  const { scene, courses } = context, admin = scene.as("hubAdmin", "cli");
  const policy = {
    courses: { version: 1, values: { releases: [`${BIOLOGY.id}@2`] }, overridable: [], changedAt: AT, changedBy: "a" },
  };
  const change = { courses: JSON.stringify([BIOLOGY]), policy: JSON.stringify(policy) };
  await updateRows(scene.db, "federations", change, { id: scene.hub });
  const remove = (version: string) => admin.delete(`${courses}/${BIOLOGY.id}/versions/${version}`);
  assert.equal([(await remove("7")).status, (await remove("x")).body.code], [404, "course_version_missing"]);
  const used = await remove("2");
  assert.equal([used.status, used.body.code], [409, "course_version_in_use"]);
  assert.is((await scene.as("spokeAdmin", "cli").delete(`${courses}/${BIOLOGY.id}/versions/1`)).status, 403);
  const { status, body } = await remove("1");
  assert.equal([status, body.kind], [202, "delete-course"]);
  const [job] = await selectRows(scene.db, "jobs", { kind: "delete-course" });
  assert.equal([job.payload["version"], job.lane, job.federationId], [1, `library:${scene.hub}`, scene.hub]);
  const { body: library } = await scene.as("hubAdmin", "readonly").get(courses.replace(/courses$/, "library"));
  assert.equal([library.packages, library.packageBytes, library.capacityBytes], [1, 21_000_000, 20 * 2 ** 30]);
  assert.equal([library.checkedAt, library.missing, library.backups], [null, [], []]);
});

test("publishes a course once for each request with the same key, and records who asked", async ({ scene, courses }) => {
  const admin = scene.as("hubAdmin", "cli"), body = { spokeId: scene.spoke, course: "BIO-D" };
  const headers = { "idempotency-key": "publish-biology" };
  const [first, again] = [await admin.post(courses, body, headers), await admin.post(courses, body, headers)];
  assert.equal([first.status, first.body.kind, again.body.id], [202, "publish-course", first.body.id]);
  const jobs = await selectRows(scene.db, "jobs", { kind: "publish-course" });
  assert.equal(jobs.map(({ payload }) => payload), [{ course: "BIO-D", deliver: true }]);
  const [audit] = await selectRows(scene.db, "audit_events", { kind: "spoke_actioned" });
  assert.equal([audit.objectId, audit.metadata["action"]], [scene.spoke, "publish-course"]);
});

test("refuses a spoke of another hub, an unknown course, a stopped site, and too many courses", async (context) => {
  const { scene, courses } = context, admin = scene.as("hubAdmin", "cli"), { id: userId } = scene.people.operator;
  const other = await insertSpoke(scene.db, userId, await insertHub(scene.db, userId, "west"), "elm");
  const publish = async (body: object): Promise<string> => {
    const { body: { code } } = await admin.post(courses, { spokeId: scene.spoke, course: "BIO-D", ...body });
    return code;
  };
  assert.is(await publish({ spokeId: other }), "spoke_missing");
  assert.is(await publish({ courseId: BIOLOGY.id }), "course_missing");
  const many = Array.from({ length: 50 }, (_, index) => ({ ...BIOLOGY, id: `crs_${String(index).padStart(26, "0")}` }));
  await updateRows(scene.db, "federations", { courses: JSON.stringify(many) }, { id: scene.hub });
  assert.is(await publish({}), "too_many_courses");
  await updateRows(scene.db, "federations", { courses: null }, { id: scene.hub });
  await updateRows(scene.db, "spokes", { state: "suspended" }, { id: scene.spoke });
  assert.is(await publish({}), "spoke_state");
  const spokeAdmin = await scene.as("spokeAdmin", "cli").post(courses, { spokeId: scene.spoke, course: "BIO-D" });
  assert.is(spokeAdmin.status, 403);
  assert.equal(await selectRows(scene.db, "jobs", { kind: "publish-course" }), []);
});

test.run();
