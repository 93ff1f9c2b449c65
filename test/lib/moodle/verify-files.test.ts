/** Tests verify-files.php with a real PHP, database and files. Skipped without PHP. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { toPhpCommandArgument } from "#lib/moodle/parse-blueprint.ts";
import { type FilesCheckResult, parseFilesCheckResult } from "#lib/moodle/job-results.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { missingPhpReason } from "#test/support/php.ts";

const run = promisify(execFile);
const SCRIPT = new URL("../../../lib/moodle/manifests/verify-files.php", import.meta.url);
const EMPTY = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

interface Context {
  db: TestDatabase;
  directory: string;
}

const test = suite<Context>(`verify-files.php${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`);
const inPhp = missingPhpReason === null ? test : test.skip;

test.before.each(async (context) => {
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-files-"));
  context.db = await openTestDatabase();
  await context.db.sql(
    `create table mdl_files (contenthash text, filename text, filesize bigint, referencefileid bigint,
    timecreated bigint default 0, timemodified bigint default 0)`,
  );
  await mkdir(join(context.directory, "data/filedir"), { recursive: true });
  await mkdir(join(context.directory, "html"));
});
test.after.each(async ({ db, directory }) => {
  await db.close();
  await rm(directory, { recursive: true });
});

function pathOf(directory: string, hash: string): string {
  return join(directory, "data/filedir", hash.slice(0, 2), hash.slice(2, 4), hash);
}

/** Uploads a text, and returns its hash. */
async function upload({ db, directory }: Context, text: string, time = 0): Promise<string> {
  const hash = createHash("sha1").update(text).digest("hex"), path = pathOf(directory, hash);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, text);
  const insert = "insert into mdl_files (contenthash, filename, filesize, timecreated) values ($1, 'f', $2, $3)";
  await db.sql(insert, [hash, text.length, time]);
  return hash;
}

async function check({ db, directory }: Context, more: Record<string, string> = {}): Promise<FilesCheckResult | null> {
  const { hostname, port, pathname, username, password } = new URL(db.url);
  const env = {
    PATH: process.env["PATH"],
    ...{ DB_HOST: hostname || "127.0.0.1", DB_PORT: port || "5432", DB_NAME: pathname.slice(1) },
    ...{ DB_USER: decodeURIComponent(username), DB_PASS: decodeURIComponent(password) },
    ...{ HTML_DIR: join(directory, "html"), DATA_DIR: join(directory, "data"), ...more },
  };
  const { stdout } = await run("php", ["-r", toPhpCommandArgument(await readFile(SCRIPT, "utf8"))], { env });
  return parseFilesCheckResult(stdout.split("\n"));
}

const WHOLE = {
  ...{ files: 0, bytes: 0, hashed: 0, missing: 0, otherSize: 0, otherContent: 0, newer: 0 },
  ...{ hasDirectory: true, elsewhere: false, examples: [], codeVersion: null, codeRelease: null },
};

inPhp("finds every file with its size and content, and the version of the code", async (context) => {
  await upload(context, "one");
  await upload(context, "two and three");
  await upload(context, "one"); // a second row of the same content
  await context.db.sql("insert into mdl_files values ($1, '.', 0, null)", [EMPTY]);
  await context.db.sql("insert into mdl_files values ($1, 'empty', 0, null)", [EMPTY]);
  await context.db.sql("insert into mdl_files values ($1, 'elsewhere', 9, 4)", ["c".repeat(40)]);
  const code =
    "<?php\ndefined('X');\n$version  = 2024100712.00;   // by date\n$release  = '4.5.12 (Build: 20261005)';\n";
  await writeFile(join(context.directory, "html/version.php"), code);
  assert.equal(await check(context), {
    ...WHOLE,
    ...{ files: 2, bytes: 16, hashed: 2, codeVersion: "2024100712.00", codeRelease: "4.5.12 (Build: 20261005)" },
  });
});

inPhp("reads the code of Moodle 5.1 and later below public/", async (context) => {
  await mkdir(join(context.directory, "html/public"));
  await writeFile(
    join(context.directory, "html/public/version.php"),
    "<?php\n$version = 2026042002;\n$release = '5.2.2';",
  );
  assert.equal(await check(context), { ...WHOLE, codeVersion: "2026042002", codeRelease: "5.2.2" });
});

inPhp("counts missing, truncated and changed files", async (context) => {
  const [missing, cut, changed] = [
    await upload(context, "missing"),
    await upload(context, "cut off"),
    await upload(context, "changed"),
  ];
  await upload(context, "whole");
  await rm(pathOf(context.directory, missing));
  await writeFile(pathOf(context.directory, cut), "cut");
  await writeFile(pathOf(context.directory, changed), "CHANGED");
  const { examples, ...found } = (await check(context))!;
  const { examples: _, ...whole } = WHOLE;
  assert.equal(found, { ...whole, files: 4, bytes: 26, hashed: 2, missing: 1, otherSize: 1, otherContent: 1 });
  assert.equal([...examples].sort(), [missing, cut, changed].sort());
});

inPhp("reports a missing directory", async (context) => {
  await upload(context, "one");
  await rm(join(context.directory, "data/filedir"), { recursive: true });
  const found = (await check(context))!;
  assert.equal([found.hasDirectory, found.files, found.missing], [false, 1, 1]);
});

inPhp("accepts only missing files that were uploaded after the start of the backup", async (context) => {
  for (const time of [999, 1000]) await rm(pathOf(context.directory, await upload(context, `at ${time}`, time)));
  const { missing, newer } = (await check(context, { SINCE: "1000" }))!;
  assert.equal([missing, newer], [1, 1]);
});

inPhp("stops hashing at its limit, and checks all sizes", async (context) => {
  for (let i = 0; i < 20; i++) await upload(context, `text ${String(i).padStart(5, "0")}`);
  const { files, hashed } = (await check(context, { HASH_BYTES: "50" }))!;
  assert.equal([files, hashed], [20, 5]);
});

inPhp("checks no files if the site uses another file store", async (context) => {
  await writeFile(join(context.directory, "html/config.php"), "<?php $CFG->alternative_file_system_class = 'x';");
  assert.is((await check(context))!.elsewhere, true);
});

inPhp("fails if the database does not answer", async (context) => {
  const error = await check(context, { DB_NAME: "nowhere" }).then(() => null, (error) => error);
  assert.is(error.code, 1);
  assert.match(error.stderr, /database "nowhere" does not exist/);
});

test.run();
