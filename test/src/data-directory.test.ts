/** Tests the lock of DATA_DIR while its process runs, and after the process was killed. */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ensureSecretsKey, lockDataDirectory } from "#src/data-directory.ts";
import { read } from "#test/lib/base/config-scene.ts";
import { rejection } from "#test/support/until.ts";

const HOLDER = fileURLToPath(new URL("../support/lock-directory.ts", import.meta.url));
const BEFORE = "deno" in process.versions ? ["run", "--quiet", "-A"] : [];

const test = suite<{ directory: string }>("lockDataDirectory");
test.before.each(async (context) => {
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-held-"));
});
test.after.each(({ directory }) => rm(directory, { recursive: true }));

test("creates a missing directory and writes its process ID", async ({ directory }) => {
  const path = join(directory, "a", "b");
  const letGo = await lockDataDirectory(path);
  assert.is(await readFile(join(path, "pid"), "utf8"), `${process.pid}\n`);
  letGo();
});

test("rejects a directory that another process uses, and locks it after that process was killed", async ({ directory }) => {
  const child = spawn(process.execPath, [...BEFORE, HOLDER, directory], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const error = await rejection(lockDataDirectory(directory));
  assert.match(
    error.message,
    `Another Wheelwright process (${child.pid}) uses DATA_DIR ${directory}. Stop it`,
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  process.kill(child.pid!, "SIGKILL");
  await ended;
  (await lockDataDirectory(directory))();
});

test("ignores the ID of an unrelated running process", async ({ directory }) => {
  await writeFile(join(directory, "pid"), `${process.ppid}\n`);
  await writeFile(join(directory, "lock"), "");
  (await lockDataDirectory(directory))();
});

test("can be locked again after it was unlocked", async ({ directory }) => {
  (await lockDataDirectory(directory))();
  (await lockDataDirectory(directory))();
});

test("generates the key for secrets once, for its owner only", async ({ directory }) => {
  const key = await ensureSecretsKey(directory);
  assert.equal(read({ SECRETS_KEY: key }, "dev").secretsKeys, [key]);
  assert.is(await ensureSecretsKey(directory), key);
  assert.is((await stat(join(directory, "secrets-key"))).mode & 0o777, 0o600);
});

test.run();
