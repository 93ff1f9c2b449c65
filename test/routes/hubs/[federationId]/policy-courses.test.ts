/** Tests the portal's panel of the courses that a hub gives to its spokes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BIOLOGY, insertCourses, PHYSICS } from "#test/support/insert-rows.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const PREVIEW = "Preview the courses", APPLY = "Apply to the sites", NONE = "Not given to the sites";
const test = suite<{ scene: Scene; path: string }>("the courses on /hubs/{id}/policy");
test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  context.path = `/hubs/${scene.hub}/policy`;
  await insertCourses(scene.db, scene.hub, scene.spoke);
  await updateRows(scene.db, "spokes", { content: true }, { id: scene.spoke });
});
test.after.each(({ scene }) => scene.close());

async function readReleases({ as, hub }: Scene): Promise<readonly string[] | null> {
  return (await as("hubAdmin").get(`/api/federations/${hub}/policy`)).body.courses.values.releases;
}

test("explains what courses are good for if the hub has none", async ({ scene, path }) => {
  await updateRows(scene.db, "federations", { courses: null }, { id: scene.hub });
  const panel = (await parsePage(scene, path, "hubAdmin")).part("region", "Courses");
  assert.match(panel.text, "No courses yet Build a course once");
  assert.is(panel.link("Publish a course"), `/hubs/${scene.hub}/courses/publish`);
  assert.not(panel.has("button", PREVIEW));
});

test("shows the versions of each course, previews a choice, and applies it", async ({ scene, path }) => {
  const page = await parsePage(scene, path, "hubAdmin"), panel = page.part("region", "Courses");
  assert.equal(page.field("Biology").options, [NONE, "Version 3 (newest)", "Version 2", "Version 1"]);
  assert.equal(panel.part("region", "Versions of Biology").table()[1], [
    "3",
    "23 Nov 2026, 10:00 UTC",
    "head@school.example",
    "20 MiB",
    "never",
    "Moodle 4.5, mod_attendance",
    "Delete version 3 of Biology",
  ]);
  const preview = await page.submit(PREVIEW, { Biology: "3", Physics: "1" });
  assert.equal(preview.part("region", "Changes").table().slice(1), [
    ["Biology", "not given to the sites", "version 3"],
    ["Physics", "not given to the sites", "version 1"],
  ]);
  assert.match(preview.part("region", "Sites").text, "Biology needs mod_attendance, which the site has not reported");
  assert.is(await readReleases(scene), null, "a preview changes nothing");
  const saved = await preview.submit(APPLY);
  assert.is(saved.path, `${path}?done=shared`);
  assert.equal(await readReleases(scene), [`${BIOLOGY}@3`, `${PHYSICS}@1`]);
  assert.is(saved.field("Biology").value, "3");
  assert.match(saved.text, /Courses 1 [^;]+ Biology, version 3; Physics, version 1 Newest/);
  assert.not.match(saved.text, "crs_", "people do not see the IDs of courses");
});

test("shows the library, and deletes a version after a confirmation", async ({ scene, path }) => {
  const page = await parsePage(scene, path, "hubAdmin");
  assert.match(page.text, /The packages use [\d.]+ MiB of 20 GiB. Last backup: never/);
  const confirmation = await page.follow("Delete version 3 of Biology");
  assert.match(confirmation.text, "Biology, version 3 The package of 20 MiB is deleted");
  const done = await confirmation.submit("Delete the version");
  assert.is(done.path, `/hubs/${scene.hub}/operations?done=asked`);
  assert.match(done.text, "Delete course");
  const after = await parsePage(scene, path, "hubAdmin");
  assert.equal(after.field("Biology").options, [NONE, "Version 2 (newest)", "Version 1"]);
});

test("changes one course without touching the others, and takes all back", async ({ scene, path }) => {
  const first = [`${PHYSICS}@1`, `${BIOLOGY}@2`];
  await scene.as("hubAdmin").patch(`/api/federations/${scene.hub}/policy`, { courses: { releases: first } });
  const page = await parsePage(scene, path, "hubAdmin");
  assert.match((await page.submit(PREVIEW)).text, "Nothing changes");
  const preview = await page.submit(PREVIEW, { Biology: "1" });
  assert.equal(preview.part("region", "Changes").table().slice(1), [["Biology", "version 2", "version 1"]]);
  const saved = await preview.submit(APPLY);
  assert.equal(await readReleases(scene), [`${PHYSICS}@1`, `${BIOLOGY}@1`]);
  await (await saved.submit(PREVIEW, { Biology: "", Physics: "" })).submit(APPLY);
  assert.equal(await readReleases(scene), []);
  await (await parsePage(scene, path, "hubAdmin")).submit(/^Use again Courses, version 1/);
  assert.equal(await readReleases(scene), first);
});

test("keeps the choice if somebody else changed the courses meanwhile", async ({ scene, path }) => {
  const preview = await (await parsePage(scene, path, "hubAdmin")).submit(PREVIEW, { Biology: "2" });
  await scene.as("hubAdmin").patch(`/api/federations/${scene.hub}/policy`, { courses: { releases: [`${PHYSICS}@1`] } });
  const refused = await preview.submit(APPLY);
  assert.is(refused.status, 409);
  assert.match(refused.part("region", "Courses").text, "courses has version 1, and your change is based on version 0");
  assert.is(refused.field("Biology").value, "2");
  assert.equal(await readReleases(scene), [`${PHYSICS}@1`]);
});

test("refuses a version that the hub does not have", async ({ scene, path }) => {
  const { cookie } = await parsePage(scene, path, "hubAdmin");
  const body = `version:courses=0&preview=yes&${encodeURIComponent(`course:${BIOLOGY}`)}=`;
  for (const [version, message] of [["9", "no version 9"], ["x@y", "must be the ID of a course"]] as const) {
    const headers = { cookie, "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };
    const answer = await scene.send(path, { method: "POST", headers, body: body + encodeURIComponent(version) });
    assert.is(answer.status, 400);
    assert.match(String(answer.body), message);
  }
});

test("says why no site gets a course, and what to do", async ({ scene, path }) => {
  const { db, hub, spoke } = scene,
    read = async () => (await parsePage(scene, path, "hubAdmin")).part("region", "Courses").text;
  assert.not.match(await read(), /so the sites get no courses|No site uses/);
  await updateRows(db, "spokes", { content: false }, { id: spoke });
  assert.match(await read(), "No site uses the hub's courses: turn on “Shared courses”");
  await updateRows(db, "federations", { mode: "identity" }, { id: hub });
  assert.match(await read(), "The hub's mode is identity, so the sites get no courses: choose content or both");
});

test.run();
