/** Tests publish-course.php with a real PHP, a real library, and stand-ins for Moodle. Skipped without PHP. */
import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parsePublishedPackage, parsePublishRefusal } from "#lib/moodle/course-jobs.ts";
import { missingPhpReason } from "#test/support/php.ts";
import { EMPTY_SITE, runCourseScript } from "#test/lib/moodle/course-scripts.ts";
import { authorize, type LibraryServer, startLibrary } from "#test/lib/moodle/library-server.ts";

interface Context {
  library: LibraryServer;
  directory: string;
}

const test = suite<Context>(`publish-course.php${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`);
const inPhp = missingPhpReason === null ? test : test.skip;

if (missingPhpReason === null) {
  test.before.each(async (context) => {
    context.library = await startLibrary({ LIBRARY_LIMIT: "1000000" });
    context.directory = await mkdtemp(join(tmpdir(), "wheelwright-publish-"));
  });
  test.after.each(async ({ library, directory }) => {
    await library.close();
    await rm(directory, { recursive: true });
  });
}

const SITE = {
  ...EMPTY_SITE,
  course: [{ id: 1, shortname: "site" }, { id: 7, shortname: "BIO", fullname: 'Bio "äß" / 1' }],
  plugins: ["block_extra", "qtype_extra", "filter_extra", "filter_off", "availability_extra", "mod_unused"],
};

/** Moodle makes no backup here: a file and an unpacked directory stand in for it. */
const BACKUP = `
function publish_backup($course) { return [new stored_file(getenv('PACKAGE')), publish_addons(getenv('UNPACKED'))]; }
function publish_clean() {}
function publish_check_space($course) {}
`;

async function publish(context: Context, bytes: Uint8Array, more: Record<string, string> = {}, site = SITE) {
  const { library, directory } = context;
  const file = join(directory, "package"), unpacked = join(directory, "unpacked");
  await writeFile(file, bytes);
  await mkdir(join(unpacked, "course/blocks/extra_1"), { recursive: true });
  const xml = (name: string, text: string) => writeFile(join(unpacked, name), `<?xml version="1.0"?><a>${text}</a>`);
  await xml("moodle_backup.xml", "<modulename>quiz</modulename><modulename>page</modulename>");
  await xml("questions.xml", "<qtype>extra</qtype><name>qtype mod_unused</name>");
  await xml("course/blocks/extra_1/block.xml", "<blockname>extra</blockname>");
  await xml("course/filters.xml", "<filter>extra</filter><active>1</active><filter>off</filter><active>-1</active>");
  await xml("course/section.xml", '<availability>{"c":[{"type":"extra"},{"type":"date"}]}</availability>');
  const ticket = authorize("PUT", "/uploads/up_1").Authorization.replace("Ticket ", "");
  const env = {
    COURSE: "BIO",
    LIBRARY_URL: library.url,
    UPLOAD: "up_1",
    TICKET: ticket,
    FENCE: "3",
    TEMP_DIR: directory,
  };
  const paths = { PACKAGE: file, UNPACKED: unpacked };
  const replaced = ["publish_backup", "publish_clean", "publish_check_space"];
  const end = await runCourseScript("publish-course.php", {
    env: { ...env, ...paths, ...more },
    site,
    replaced,
    php: BACKUP,
  });
  const isDeleted = await access(file).then(() => false, () => true);
  assert.not.match(end.lines.join("\n"), ticket.split(".")[1]!, "the ticket is secret");
  return { ...end, isDeleted };
}

inPhp("uploads the package, names its add-ons, and deletes it on the site", async (context) => {
  const bytes = new TextEncoder().encode("a package"), sha256 = createHash("sha256").update(bytes).digest("hex");
  const { status, lines, isDeleted } = await publish(context, bytes);
  assert.equal([status, isDeleted, await context.library.files()], [0, true, [`${sha256}.mbz`]]);
  assert.match(lines.at(-1)!, /"moodle":2024100712\.00,/);
  assert.equal(parsePublishedPackage(lines), {
    ...{ sha256, bytes: 9, title: 'Bio "äß" / 1', shortname: "BIO", moodle: 2024100712, branch: "4.5" },
    plugins: ["availability_extra", "block_extra", "filter_extra", "qtype_extra"],
  });
});

inPhp("refuses in one line, and leaves no package on the site", async (context) => {
  const small = new Uint8Array([1]);
  const cases: [string, Uint8Array, Record<string, string>][] = [
    ["NoSuchCourse", small, { COURSE: "OTHER" }],
    ["SiteCourse", small, { COURSE: "site" }],
    ["TooLarge", new Uint8Array(1_000_001), {}],
    ["TicketRefused", small, { UPLOAD: "up_2" }],
    ["TicketExpired", small, {
      TICKET: authorize("PUT", "/uploads/up_1", -2).Authorization.replace("Ticket ", ""),
    }],
    ["UploadFailed", small, { LIBRARY_URL: "http://127.0.0.1:1" }],
  ];
  for (const [reason, bytes, more] of cases) {
    const { status, lines, isDeleted } = await publish(context, bytes, more);
    const refusal = parsePublishRefusal(lines.slice(-1));
    assert.equal([status, refusal?.reason], [3, reason]);
    assert.match(refusal!.detail, /^[A-Z][^\n]+$/);
    assert.is(isDeleted, !["NoSuchCourse", "SiteCourse"].includes(reason), reason);
  }
  assert.equal(await context.library.files(), []);
});

inPhp("does nothing after a later attempt has begun", async (context) => {
  const attempt = { plugin: "local_wheelwright", name: "publish_attempt", value: "4" };
  const { status, lines } = await publish(
    context,
    new Uint8Array([1]),
    {},
    { ...SITE, config_plugins: [attempt] } as never,
  );
  assert.equal([status, lines, await context.library.files()], [
    1,
    ["not changed: attempt 4 has begun after this one, 3"],
    [],
  ]);
});

test.run();
