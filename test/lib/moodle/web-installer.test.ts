/** Tests the command of settings.yaml that turns off the web installer of add-ons, with a real shell, sed and files. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { find, inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

/** A config.php such as Moodle's installer writes, and its lines before and after the one that the command writes. */
const BEFORE = "<?php  // Moodle configuration file\n\nunset($CFG);\nglobal $CFG;\n$CFG = new stdClass();\n";
const AFTER = "require_once(__DIR__ . '/lib/setup.php');\n\n// There is no php closing tag in this file\n";
const LINE = "$CFG->disableupdateautodeploy = true;\n";

const test = suite<{ directory: string }>("the command for the web installer");
const blueprint = openBlueprint();

test.before.each(async (context) => void (context.directory = await mkdtemp(join(tmpdir(), "wheelwright-config-"))));
test.after.each(({ directory }) => rm(directory, { recursive: true }));

/** Runs the commands as the image does, with another directory and without the command that needs Moodle. */
async function configure(directory: string, webInstaller?: boolean): Promise<string> {
  const inputs = inputsOf(blueprint, webInstaller === undefined ? {} : { webInstaller });
  const { data } = find(blueprint.spokeObjects(inputs, "secrets"), "ConfigMap", "moodle-env") as never as {
    data: Record<string, string>;
  };
  const commands = data["POST_CONFIGURE_COMMANDS"]!.replaceAll("/var/www/html", directory).replace(/php -d .*$/, ":");
  await promisify(execFile)("sh", ["-euc", 'eval "$POST_CONFIGURE_COMMANDS"'], {
    env: { PATH: process.env["PATH"], POST_CONFIGURE_COMMANDS: commands },
  });
  assert.equal(await readdir(directory), ["config.php"]);
  return await readFile(join(directory, "config.php"), "utf8");
}

test("writes one line before setup.php, also into a file that is read-only and again at each start", async ({ directory }) => {
  await writeFile(join(directory, "config.php"), BEFORE + AFTER, { mode: 0o444 });
  assert.is(await configure(directory), BEFORE + LINE + AFTER);
  assert.is(await configure(directory), BEFORE + LINE + AFTER);
  assert.is(await configure(directory, false), BEFORE + LINE + AFTER);
});

test("replaces the line if the catalog allows the web installer, or if somebody else wrote it", async ({ directory }) => {
  await writeFile(join(directory, "config.php"), BEFORE + AFTER + "$CFG->disableupdateautodeploy = false; // mine\n");
  assert.is(await configure(directory), BEFORE + LINE + AFTER);
  assert.is(await configure(directory, true), BEFORE + LINE.replace("true", "false") + AFTER);
});

test("is followed by what the image keeps and downloads, which does not depend on its defaults", () => {
  const [{ data }] = [find(blueprint.spokeObjects(inputsOf(blueprint), "secrets"), "ConfigMap", "moodle-env")];
  assert.equal([data.SYNC_PRESERVE_PLUGINS, data.PLUGINS, data.SYNC_MOODLE_CODE], ["true", "", "auto"]);
});

test.run();
