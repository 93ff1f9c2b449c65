/** Tests `wheelwright backup` as a process. */
import { spawn } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { writeFileAtomically } from "#src/commands/backup-file.ts";
import { rowsIn } from "#test/lib/drivers/dump/dump-scene.ts";
import { PROGRAM } from "#test/src/cli/cli-fixture.ts";
import type { TestDatabase } from "#test/support/database.ts";
import { startProgram } from "#test/support/program.ts";
import { databaseUrl, withAdminConnection } from "#test/support/server.ts";
import { rejection, until } from "#test/support/until.ts";
import { type BackupContext, PASSPHRASE, withBackups } from "./backup-fixture.ts";

const test = suite<BackupContext>("wheelwright backup");
withBackups(test);

test("writes a file that only its owner can read, and verifies it without a database", async (context) => {
  const { run, file, directory } = context;
  const { status, text } = await run(["backup", file]);
  assert.is(status, 0, text);
  assert.match(
    text,
    /^Backed up \d+ tables, [\d,]+ rows, taken at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC, by release \S+ \(\d{4}_\w+\);/,
  );
  assert.match(text, /read by \w+, not encrypted$/);
  assert.is((await stat(file)).mode & 0o777, 0o600);
  assert.equal(await readdir(directory), ["it.backup"]);
  const verified = await run(["backup", "--verify", file], {});
  assert.is(verified.status, 0, verified.text);
  assert.match(verified.text, /^The backup \S+ is complete: \d+ tables, /);
});

test("writes and reads an encrypted backup through pipes", async ({ run, file, db, directory }) => {
  const url = await db.freshUrl(), program = PROGRAM.map((word) => `'${word}'`).join(" ");
  const script = `set -o pipefail
    DATABASE_URL='${db.url}' ${program} backup - 2> said | tee '${file}' | DATABASE_URL='${url}' ${program} restore-database -`;
  const env = { ...process.env, BACKUP_PASSPHRASE: PASSPHRASE };
  const shell = spawn("bash", ["-c", script], { cwd: directory, stdio: "ignore", env });
  assert.is(await new Promise((resolve) => shell.once("close", resolve)), 0);
  assert.equal((await rowsIn(url)).users, (await rowsIn(db.url)).users);
  assert.match(await readFile(join(directory, "said"), "utf8"), /^Backed up .*, encrypted\n$/);
  assert.match((await readFile(file)).toString("latin1"), "age-encryption.org/v1\n");
  const other = await run(["backup", "--verify", file], { BACKUP_PASSPHRASE: "correct horse batterx" });
  assert.is(other.status, 65);
  assert.match(other.text, "he passphrase is wrong, or the start of the file is damaged");
  const none = await run(["backup", "--verify", file], {});
  assert.is(none.status, 2);
  assert.match(none.text, "set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE");
});

test("keeps the former file if it is killed while writing", async ({ file, db, directory }) => {
  await writeFile(file, "yesterday's");
  const lock = connectionThatHolds(db);
  await lock.held;
  const program = startProgram(["backup", file], { DATABASE_URL: db.url });
  await until(async () => (await readdir(directory)).some((name) => name.endsWith(".part")) || null);
  await until(async () => (await db.sql(WAITING)).length > 0);
  await program.stop("SIGKILL");
  lock.release();
  assert.is(await readFile(file, "utf8"), "yesterday's");
});

/** Locks the sequence, so that a backup stops after its first bytes. */
const WAITING =
  "select from pg_stat_activity where application_name = 'wheelwright-backup' and wait_event_type = 'Lock'";

function connectionThatHolds(db: TestDatabase) {
  const held = Promise.withResolvers<void>(), over = Promise.withResolvers<void>();
  const ended = withAdminConnection(db.url, (sql) =>
    sql.begin(async (tx) => {
      await tx`lock table pg_sequence in access exclusive mode`;
      held.resolve();
      await over.promise;
    }));
  return { held: held.promise, release: () => (over.resolve(), ended) };
}

test("stops at a signal and leaves no files behind", async ({ file, db, directory }) => {
  const lock = connectionThatHolds(db);
  await lock.held;
  const program = startProgram(["backup", file], { DATABASE_URL: db.url });
  await until(async () => (await db.sql(WAITING)).length > 0);
  program.tell("SIGTERM");
  assert.is(await program.ended, 130, program.lines.join("\n"));
  await lock.release();
  assert.match(program.lines.join("\n"), "Stopped; nothing was written");
  assert.equal(await readdir(directory), []);
});

test("reports a full disk in one sentence, and leaves no partial file", async ({ db, directory, file }) => {
  const full = async function* () {
    yield Buffer.from("a part");
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  };
  assert.is((await rejection(writeFileAtomically(file, full()))).code, "ENOSPC");
  assert.equal(await readdir(directory), []);
  const program = PROGRAM.map((word) => `'${word}'`).join(" "), env = { ...process.env, DATABASE_URL: db.url };
  const shell = spawn("bash", ["-c", `${program} backup - > /dev/full`], {
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe"],
    env,
  });
  let stderr = "";
  shell.stderr.on("data", (text) => stderr += text);
  assert.is(await new Promise((resolve) => shell.once("close", resolve)), 69);
  assert.is(stderr, "wheelwright backup failed: the disk is full\n");
});

test("rejects a foreign and an unreachable database", async ({ run, file, db }) => {
  const empty = await run(["backup", file], { DATABASE_URL: await db.freshUrl() });
  assert.is(empty.status, 78, empty.text);
  assert.match(empty.text, "The database has no Wheelwright tables");
  const away = await run(["backup", file], { DATABASE_URL: "postgres://127.0.0.1:1/x" });
  assert.is(away.status, 69, away.text);
  assert.match(away.text, "The database cannot be reached");
  const missing = await run(["backup", file], { DATABASE_URL: databaseUrl(db.url, "nowhere") });
  assert.is(missing.status, 78, missing.text);
});

test("names missing arguments", async ({ run, file }) => {
  for (
    const [line, stderr] of [
      [["backup"], "wheelwright backup needs FILE: "],
      [["restore-database"], "wheelwright restore-database needs FILE: "],
      [["backup", "--verify", "--encrypt", file], "--verify cannot be combined with --encrypt"],
    ] as const
  ) {
    const { status, text } = await run(line);
    assert.is(status, 2, text);
    assert.match(text, stderr);
  }
});

test.run();
