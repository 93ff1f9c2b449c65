/** Tests deliver-courses.php with a real PHP, a real library, and stand-ins for Moodle. Skipped without PHP. */
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseDelivery } from "#lib/moodle/course-jobs.ts";
import { missingPhpReason } from "#test/support/php.ts";
import { EMPTY_SITE, runCourseScript, type SiteRows } from "#test/lib/moodle/course-scripts.ts";
import { authorize, type LibraryServer, startLibrary } from "#test/lib/moodle/library-server.ts";

interface Context {
  library: LibraryServer;
  directory: string;
}

const test = suite<Context>(`deliver-courses.php${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`);
const inPhp = missingPhpReason === null ? test : test.skip;

if (missingPhpReason === null) {
  test.before.each(async (context) => {
    context.library = await startLibrary();
    context.directory = await mkdtemp(join(tmpdir(), "wheelwright-deliver-"));
  });
  test.after.each(async ({ library, directory }) => {
    await library.close();
    await rm(directory, { recursive: true });
  });
}

type Wanted = Record<string, unknown> & { family: string; version: number };

/** Stores a package, and returns what the control plane tells a site about it. */
async function publish({ library }: Context, version: number, more: object = {}): Promise<Wanted> {
  const bytes = JSON.stringify({ title: "Biology", shortname: "BIO", version, ...more });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await writeFile(join(library.directory, `${sha256}.mbz`), bytes);
  const ticket = authorize("GET", `/packages/${sha256}`).Authorization.replace("Ticket ", "");
  return {
    ...{ family: "crs_bio", version, title: "Biology", sha256, bytes: bytes.length, ticket, plugins: [] },
    moodle: 2024100712.00,
  };
}

async function deliver(context: Context, wanted: readonly Wanted[], site: SiteRows, fence = 1, writes?: number) {
  const { library, directory } = context;
  const env = { COURSES: JSON.stringify(wanted), LIBRARY_URL: library.url, FENCE: String(fence), TEMP_DIR: directory };
  const replaced = ["deliver_print", "deliver_is_used"];
  const more = writes === undefined ? {} : { writes };
  const end = await runCourseScript("deliver-courses.php", { env, site, replaced, php: USE, ...more });
  return { ...end, delivery: parseDelivery(end.lines) };
}

/** The site's rows say which courses are used; a real Moodle compares many tables. */
const USE = `
function deliver_print($id) { return 'print'; }
function deliver_is_used($id, $print) { global $site; return in_array($id, $site['used']); }
`;

/** Returns the courses of a site with their enrolment: open, or closed for new people. */
function courses({ course, enrol }: SiteRows): string[] {
  return course.filter(({ id }) => id !== 1).map(({ id, shortname, fullname, idnumber }) => {
    const methods = enrol.filter(({ courseid }) => courseid === id);
    const isOpen = methods.every(({ enrol, status, customint6 }) =>
      status === "0" && (enrol !== "self" || customint6 === "1")
    );
    return [shortname, fullname, ...(idnumber ? [idnumber] : []), isOpen ? "open" : "closed"].join(" ");
  });
}

const currentId = ({ course }: SiteRows) => course.find(({ idnumber }) => idnumber === "wheelwright:crs_bio")!.id;

const use = (site: SiteRows): SiteRows => ({ ...site, used: [...site.used, currentId(site)] });

inPhp("replaces a version that nobody has used", async (context) => {
  const first = await deliver(context, [await publish(context, 1)], EMPTY_SITE);
  assert.equal(courses(first.site), ["BIO Biology wheelwright:crs_bio open"]);
  const second = await deliver(context, [await publish(context, 2)], first.site);
  assert.equal(courses(second.site), ["BIO Biology wheelwright:crs_bio open"]);
  assert.is.not(currentId(second.site), currentId(first.site));
  const [course] = second.delivery!.courses;
  assert.equal([course!.outcome, course!.former], ["restored", "deleted"]);
  const again = await deliver(context, [await publish(context, 2)], second.site);
  assert.equal(again.site, second.site);
  assert.equal([again.delivery!.courses[0]!.outcome, again.delivery!.courses[0]!.former], ["kept", "none"]);
  assert.equal(await readdir(context.directory), []);
});

inPhp("keeps a used version closed beside the new one, and opens it again as it was", async (context) => {
  const one = await publish(context, 1), two = await publish(context, 2);
  const first = use((await deliver(context, [one], EMPTY_SITE)).site);
  const second = await deliver(context, [two], first);
  assert.equal(courses(second.site), ["BIO Biology closed", "BIO_1 Biology wheelwright:crs_bio open"]);
  assert.is(second.delivery!.courses[0]!.former, "closed");
  const back = await deliver(context, [one], second.site);
  assert.equal([courses(back.site), back.site.enrol.length], [["BIO Biology wheelwright:crs_bio open"], 3]);
  assert.equal([back.delivery!.courses[0]!.outcome, back.delivery!.courses[0]!.former], ["reopened", "deleted"]);
  assert.equal(back.site.enrol, first.enrol);
});

inPhp("does not open a method that the school has closed in the meantime", async (context) => {
  const one = await publish(context, 1);
  const site = use((await deliver(context, [one], EMPTY_SITE)).site);
  const guest = (status: string, rows: SiteRows): SiteRows => ({
    ...rows,
    enrol: rows.enrol.map((row) => row.enrol === "guest" ? { ...row, status } : row),
  });
  const closed = guest("1", site);
  const withdrawn = await deliver(context, [], closed);
  assert.equal((await deliver(context, [one], withdrawn.site)).site.enrol, closed.enrol);
});

inPhp("keeps an end of enrolment that the school has set in the meantime", async (context) => {
  const one = await publish(context, 1);
  const site = use((await deliver(context, [one], EMPTY_SITE)).site);
  const fee = { id: 99, courseid: currentId(site), enrol: "fee", status: "0", customint6: null, enrolenddate: "0" };
  const ends = ({ enrol }: SiteRows) => enrol.at(-1)!.enrolenddate;
  const withdrawn = await deliver(context, [], { ...site, enrol: [...site.enrol, fee] });
  assert.is(ends(withdrawn.site), "1");
  assert.is(ends((await deliver(context, [one], withdrawn.site)).site), "0");
  const changed = [...withdrawn.site.enrol.slice(0, -1), { ...fee, enrolenddate: "777" }];
  assert.is(ends((await deliver(context, [one], { ...withdrawn.site, enrol: changed })).site), "777");
});

inPhp("closes or deletes the course of a family that the hub no longer gives", async (context) => {
  const one = await publish(context, 1), other = { ...one, family: "crs_other" };
  const { site } = await deliver(context, [one, other], EMPTY_SITE);
  const end = await deliver(context, [], use(site));
  assert.equal(courses(end.site), ["BIO Biology closed"]);
  assert.equal(end.delivery!.removed, [
    { family: "crs_bio", outcome: "closed" },
    { family: "crs_other", outcome: "deleted" },
  ]);
});

inPhp("skips a course that cannot be delivered, with its former version as it was", async (context) => {
  const before = (await deliver(context, [await publish(context, 1)], EMPTY_SITE)).site;
  const two = await publish(context, 2), good = { ...two, family: "crs_good" };
  const broken = await publish(context, 2, { fails: true });
  const other = await publish(context, 2, { other: true });
  const path = (sha256: unknown) => join(context.library.directory, `${sha256}.mbz`);
  await writeFile(path(other["sha256"]), " ".repeat(other["bytes"] as number));
  const cases: [string, object][] = [
    ["WrongHash", other],
    ["OlderMoodle", { moodle: 2025041400.00 }],
    ["MissingPlugin", { plugins: ["mod_attendance"] }],
    ["SiteFull", { bytes: 1e15 }],
    ["WrongHash", { bytes: 5 }],
    ["DownloadFailed", { ticket: "1.x" }],
    ["RestoreFailed", broken],
  ];
  for (const [reason, wrong] of cases) {
    const { status, delivery, site } = await deliver(context, [{ ...two, ...wrong }, good], before);
    const [skipped, next] = delivery!.courses;
    assert.equal([status, skipped!.outcome, skipped!.reason, next!.outcome], [0, "skipped", reason, "restored"]);
    assert.type(skipped!.detail, "string");
    assert.equal(courses(site).slice(0, 1), courses(before), reason);
    assert.equal(site.course.length, before.course.length + 1, reason);
  }
  assert.equal(await readdir(context.directory), []);
});

inPhp("accepts a package of a later patch release, and finds an installed plugin", async (context) => {
  const wanted = { ...await publish(context, 1), moodle: 2024100799.00, plugins: ["mod_attendance"] };
  const { delivery } = await deliver(context, [wanted], { ...EMPTY_SITE, plugins: ["mod_attendance"] });
  assert.is(delivery!.courses[0]!.outcome, "restored");
});

inPhp("restores a course again that the school has deleted", async (context) => {
  const one = await publish(context, 1), { site } = await deliver(context, [one], EMPTY_SITE);
  const gone = { ...site, course: site.course.filter(({ id }) => id === 1), enrol: [] };
  const end = await deliver(context, [one], gone);
  assert.equal([end.delivery!.courses[0]!.outcome, courses(end.site).length], ["restored", 1]);
});

inPhp("restores a version with the same number and other content", async (context) => {
  const site = use((await deliver(context, [await publish(context, 1)], EMPTY_SITE)).site);
  const end = await deliver(context, [await publish(context, 1, { other: true })], site);
  assert.equal(courses(end.site), ["BIO Biology closed", "BIO_1 Biology wheelwright:crs_bio open"]);
  assert.is(end.delivery!.courses[0]!.former, "closed");
});

inPhp("reaches the same end from wherever it was killed", async (context) => {
  // After a kill, the short name may keep the number that Moodle adds to it.
  const normalize = (site: SiteRows) => courses(site).map((each) => each.replace(/_\d+/, ""));
  const two = await publish(context, 2),
    unused = (await deliver(context, [await publish(context, 1)], EMPTY_SITE)).site;
  for (const before of [unused, use(unused)]) {
    const whole = await deliver(context, [two], before, 2);
    let kills = 0;
    for (let writes = 0;; writes++) {
      const killed = await deliver(context, [two], before, 2, writes);
      if (killed.status === 0) break;
      kills++;
      const end = await deliver(context, [two], killed.site, 3);
      const versions = ({ config_plugins }: SiteRows) => config_plugins.map(({ name }) => name).sort();
      assert.equal(normalize(end.site), normalize(whole.site), `${writes} writes`);
      assert.equal(versions(end.site), versions(whole.site), `${writes} writes`);
      assert.is(end.site.enrol.length, whole.site.enrol.length);
    }
    assert.ok(kills > 15, `${kills}`);
  }
});

inPhp("keeps an incomplete course that a person has visited", async (context) => {
  const one = await publish(context, 1);
  const killed = await deliver(context, [one], EMPTY_SITE, 1, 6);
  const [, course] = killed.site.course;
  const end = await deliver(context, [one], { ...killed.site, user_lastaccess: [{ courseid: course!.id }] }, 2);
  assert.equal(end.site.course.map(({ id }) => id).includes(course!.id), true);
  assert.is(end.delivery!.courses[0]!.outcome, "restored");
});

inPhp("does nothing after a later attempt has begun", async (context) => {
  const one = await publish(context, 1), { site } = await deliver(context, [one], EMPTY_SITE, 9);
  const late = await deliver(context, [], site, 8);
  assert.equal([late.status, late.delivery, late.site], [1, null, site]);
});

test.run();
