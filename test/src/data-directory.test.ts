/** DATA_DIR and its lock, held by processes that live, and left by ones that were killed. */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lockDataDirectory } from "#src/data-directory.ts";
import { rejection } from "#test/support/until.ts";

const HOLDER = fileURLToPath(new URL("../support/lock-directory.ts", import.meta.url));
const BEFORE = "deno" in process.versions ? ["run", "--quiet", "-A"] : [];

const test = suite<{ directory: string }>("holdDirectory");
test.before.each(async (context) => {
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-held-"));
});
test.after.each(({ directory }) => rm(directory, { recursive: true }));

test("makes what is not there yet, and says whose it is", async ({ directory }) => {
  const path = join(directory, "a", "b");
  const letGo = await lockDataDirectory(path);
  assert.is(await readFile(join(path, "pid"), "utf8"), `${process.pid}\n`);
  letGo();
});

test("refuses while another process has it, by the number of that one; takes it over once that was killed", async ({ directory }) => {
  const child = spawn(process.execPath, [...BEFORE, HOLDER, directory], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const error = await rejection(lockDataDirectory(directory));
  assert.match(
    error.message,
    `Another Wheelwright, process ${child.pid}, uses DATA_DIR ${directory}. Stop it`,
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  process.kill(child.pid!, "SIGKILL");
  await ended;
  (await lockDataDirectory(directory))();
});

test("is not deterred by the number of a process that lives and has nothing to do with it", async ({ directory }) => {
  await writeFile(join(directory, "pid"), `${process.ppid}\n`);
  await writeFile(join(directory, "lock"), "");
  (await lockDataDirectory(directory))();
});

test("may be held again after it was let go", async ({ directory }) => {
  (await lockDataDirectory(directory))();
  (await lockDataDirectory(directory))();
});

test.run();
