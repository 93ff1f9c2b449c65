/** Tests the portal's form that publishes a course of a site. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BIOLOGY, insertCourses, insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";
import { addHubAdmin } from "#test/support/users.ts";
import { openWorkScene } from "#test/lib/workers/scene.ts";

const SHORT_NAME = "Short name of the course", PUBLISH = "Publish the course";
const AT_ONCE = "Give it to the sites as soon as it is published";
const test = suite<{ scene: Scene; path: string }>("/hubs/{id}/courses/publish");
test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  context.path = `/hubs/${scene.hub}/courses/publish`;
});
test.after.each(({ scene }) => scene.close());

const readPayloads = async ({ db }: Scene) =>
  (await selectRows(db, "jobs", { kind: "publish-course" }, { columns: ["payload"] })).map(({ payload }) => payload);

test("publishes a new course, and shows its operation", async ({ scene, path }) => {
  const form = await parsePage(scene, path, "hubAdmin");
  assert.match(form.field(SHORT_NAME).description, "Course short name");
  assert.equal(form.field("Publish as").options, ["A new course"]);
  const started = await form.submit(PUBLISH, { [SHORT_NAME]: " BIO " });
  assert.match(started.path, new RegExp(`^/spokes/${scene.spoke}/operations/op_\\w+\\?done=asked$`));
  assert.match(started.text, "Making a package of the course");
  assert.is(started.link("Courses of the hub"), `/hubs/${scene.hub}/policy#courses`);
  assert.equal(await readPayloads(scene), [{ course: "BIO", deliver: true }]);
});

test("publishes a new version of a course, and leaves the sites as they are", async ({ scene }) => {
  await insertCourses(scene.db, scene.hub, scene.spoke);
  const page = await parsePage(scene, `/hubs/${scene.hub}/policy`, "hubAdmin");
  const form = await parsePage(
    scene,
    page.part("region", "Courses").link("Publish a new version of Biology"),
    "hubAdmin",
  );
  assert.equal([form.field(SHORT_NAME).value, form.field("Publish as").value], ["BIO", BIOLOGY]);
  assert.is(form.field(AT_ONCE).ticked, true);
  await form.submit(PUBLISH, { [AT_ONCE]: false });
  assert.equal(await readPayloads(scene), [{ course: "BIO", courseId: BIOLOGY, deliver: false }]);
});

test("keeps the input if the site cannot publish now, or a value is missing", async ({ scene, path }) => {
  await insertCourses(scene.db, scene.hub, scene.spoke);
  const form = await parsePage(scene, path, "hubAdmin");
  await updateRows(scene.db, "spokes", { state: "suspended" }, { id: scene.spoke });
  const refused = await form.submit(PUBLISH, { [SHORT_NAME]: "BIO", "Publish as": BIOLOGY, [AT_ONCE]: false });
  assert.is(refused.status, 409);
  assert.match(refused.text, "Cannot publish a course of a spoke that is suspended; it must be active");
  assert.equal([refused.field(SHORT_NAME).value, refused.field("Publish as").value, refused.field(AT_ONCE).ticked], [
    "BIO",
    BIOLOGY,
    false,
  ]);
  const empty = await refused.submit(PUBLISH, { [SHORT_NAME]: "" });
  assert.is(empty.status, 400);
  assert.is(empty.field(SHORT_NAME).wrong, true);
});

test("keeps the input if the hub lost the course, or has too many courses", async ({ scene, path }) => {
  const { db, hub } = scene;
  await insertCourses(db, hub, scene.spoke);
  const form = await parsePage(scene, path, "hubAdmin");
  const [{ courses }] = await selectRows(db, "federations", { id: hub }, { columns: ["courses"] });
  await updateRows(db, "federations", { courses: null }, { id: hub });
  const lost = await form.submit(PUBLISH, { [SHORT_NAME]: "BIO", "Publish as": BIOLOGY });
  assert.equal([lost.status, lost.field(SHORT_NAME).value], [400, "BIO"]);
  assert.match(lost.field("Publish as").description, "The hub has no course");
  const many = Array.from(
    { length: 50 },
    (_, index) => ({ ...courses![0]!, id: `crs_${String(index).padStart(26, "0")}` }),
  );
  await updateRows(db, "federations", { courses: JSON.stringify(many) }, { id: hub });
  const full = await form.submit(PUBLISH, { [SHORT_NAME]: "MAT", "Publish as": "" });
  assert.equal([full.status, full.field(SHORT_NAME).value], [409, "MAT"]);
  assert.match(full.field("Publish as").description, "publish a new version of one of them instead");
});

test("offers active sites, and starts from a site's page", async ({ scene, path }) => {
  const { db, hub, people } = scene, elm = await insertSpoke(db, people.operator.id, hub, "elm");
  await updateRows(db, "spokes", { state: "active" }, { id: elm });
  const spoke = await parsePage(scene, `/spokes/${scene.spoke}`, "hubAdmin");
  const form = await parsePage(scene, spoke.link("Publish a course …"), "hubAdmin");
  assert.equal([form.field("Site").value, form.field("Site").options.length], [scene.spoke, 2]);
  assert.not((await parsePage(scene, `/spokes/${scene.spoke}`, "spokeAdmin")).has("link", "Publish a course …"));
  await updateRows(db, "spokes", { state: "suspended" }, { id: elm });
  assert.is((await parsePage(scene, path, "hubAdmin")).field("Site").options.length, 1);
  assert.is((await parsePage(scene, `${path}?from=${elm}`, "hubAdmin")).field("Site").value, elm);
  const foreign = await insertSpoke(db, people.operator.id, await insertHub(db, people.operator.id, "south"), "ash");
  assert.is((await parsePage(scene, `${path}?from=${foreign}`, "operator")).field("Site").options.length, 1);
  await updateRows(db, "spokes", { state: "suspended" });
  const none = await parsePage(scene, path, "hubAdmin");
  assert.match(none.text, "No site is active");
  assert.not(none.has("button", PUBLISH));
});

test("shows what was published, and gives it to the sites", async () => {
  const work = await openWorkScene(), hub = await work.hub("math"), id = await work.spoke(hub, "algebra");
  await updateRows(work.db, "federations", { mode: "content" }, { id: hub.id });
  const { app: { clusters, log }, db } = work, scene = await openScene({ world: { db, clusters, log } });
  await addHubAdmin(db, scene.people.hubAdmin, hub.id);
  await work.replica();
  const { namespace } = await work.becomes(id, "active");
  work.simulator.site(namespace).changeDatabase((database) => ({ ...database, courses: ["BIO-D"] }));
  const form = await parsePage(scene, `/hubs/${hub.id}/courses/publish`, "hubAdmin");
  const { path } = await form.submit(PUBLISH, { [SHORT_NAME]: "BIO-D" });
  await work.ended(id, "publish-course");
  const ended = await parsePage(scene, path, "hubAdmin");
  assert.match(ended.text, "Version 1 of BIO-D is published");
  assert.not.match(ended.text, "crs_", "people do not see the IDs of courses");
  const courses = await ended.follow("Courses of the hub");
  assert.is(courses.field("BIO-D").value, "1");
  await work.close();
});

test("is for admins of the hub", async ({ scene, path }) => {
  assert.is((await parsePage(scene, path, "spokeAdmin")).status, 403);
  assert.is((await parsePage(scene, path, "stranger")).status, 404);
});

test.run();
