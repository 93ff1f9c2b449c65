/** Tests packages.php, which checks, deletes and restores packages, with a real PHP. Skipped without PHP. */
import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type LibraryPackage, type LibraryTask, parseLibraryContents } from "#lib/moodle/library-jobs.ts";
import { toPhpCommandArgument } from "#lib/moodle/parse-blueprint.ts";
import { missingPhpReason } from "#test/support/php.ts";

const SCRIPT = new URL("../../../lib/moodle/manifests/packages.php", import.meta.url);

interface Folders {
  readonly library: string;
  readonly backup: string;
}

const test = suite<Folders & { all: readonly LibraryPackage[] }>(
  `packages.php${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`,
);
const inPhp = missingPhpReason === null ? test : test.skip;

if (missingPhpReason === null) {
  test.before.each(async (context) => {
    const [library, backup] = await Promise.all(
      ["library", "backup"].map((name) => mkdtemp(join(tmpdir(), `wheelwright-${name}-`))),
    );
    const all = [await addPackage(library!), await addPackage(backup!), await addPackage(backup!)];
    Object.assign(context, { library, backup, all });
  });
  test.after.each(async ({ library, backup }) => {
    for (const folder of [library, backup]) await rm(folder, { recursive: true });
  });
}

async function addPackage(folder: string): Promise<LibraryPackage> {
  const content = randomBytes(300_000), sha256 = createHash("sha256").update(content).digest("hex");
  await writeFile(join(folder, `${sha256}.mbz`), content);
  return { sha256, bytes: content.length };
}

/** Runs the script as the Job does. */
async function run({ library, backup }: Folders, mode: LibraryTask["mode"], packages: readonly LibraryPackage[]) {
  const env = {
    ...{ PATH: process.env["PATH"]!, MODE: mode, LIBRARY_DIR: library, BACKUP_DIR: backup },
    PACKAGES: JSON.stringify(packages.map(({ sha256, bytes }) => [sha256, bytes])),
  };
  const script = toPhpCommandArgument(await readFile(SCRIPT, "utf8")).replaceAll("$$(", "$("); // as the kubelet does
  const { status, stdout } = spawnSync("php", ["-r", script], { env, encoding: "utf8" });
  const log = stdout.trimEnd().split("\n");
  return { status, log, contents: parseLibraryContents(log, packages) };
}

inPhp("reports the packages that the library has in their full size", async (context) => {
  const { library, all: [own, other] } = context;
  const { contents } = await run(context, "check", [own!, other!, { ...own!, bytes: 1 }]);
  assert.equal(contents!.packages, [own!.sha256]);
  assert.ok(contents!.free! > 0 && contents!.used! > 0);
  assert.equal(await readdir(library), [`${own!.sha256}.mbz`]);
});

inPhp("deletes a package, also if it is gone already", async (context) => {
  const { library, all: [own] } = context;
  for (const _ of [1, 2]) assert.equal((await run(context, "delete", [own!])).contents!.packages, []);
  assert.equal(await readdir(library), []);
});

inPhp("copies missing packages from the backup, and none that is damaged", async (context) => {
  const { library, backup, all: [own, good, damaged] } = context;
  await writeFile(join(backup, `${damaged!.sha256}.mbz`), randomBytes(damaged!.bytes));
  const { contents } = await run(context, "restore", [own!, good!, damaged!]);
  assert.equal(contents!.packages, [own!.sha256, good!.sha256]);
  assert.equal([contents!.copied, contents!.damaged], [1, 1]);
  assert.equal((await readdir(library)).sort(), [own!, good!].map(({ sha256 }) => `${sha256}.mbz`).sort());
  assert.is((await run(context, "restore", [own!, good!])).contents!.copied, 0);
});

inPhp("refuses a name that is no hash, and says why it failed", async (context) => {
  const { status, log, contents } = await run(context, "delete", [{ sha256: "../secret", bytes: 1 }]);
  assert.equal([status, contents, log], [1, null, ["failed: PACKAGES has a name that is no SHA-256"]]);
});

test.run();
