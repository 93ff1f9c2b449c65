/**
 * Tests addons.php with a real PHP, database, directories and downloads. Small programs stand in for Moodle's command-line
 * scripts. Skipped without PHP.
 */
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type AddonsScene,
  leaveAddonJournal,
  MOODLE_STAND_INS,
  NO_ADDON_TRACES,
  offerAddon,
  readAddonSite,
  runAddonsPhp,
  writeTestFile,
} from "#test/lib/moodle/addons-moodle.ts";
import { openTestDatabase } from "#test/support/database.ts";
import { missingPhpReason } from "#test/support/php.ts";

const test = suite<AddonsScene>(`addons.php${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`);
const inPhp = missingPhpReason === null ? test : test.skip;

test.before.each(async (context) => {
  const volume = context.volume = await mkdtemp(join(tmpdir(), "wheelwright-addons-"));
  context.db = await openTestDatabase();
  context.fence = 1;
  await context.db.sql("create table mdl_config_plugins (id bigserial, plugin text, name text, value text)");
  await context.db.sql("create table mdl_config (id bigserial, name text, value text)");
  await context.db.sql("create table mdl_modules (id bigint, name text)");
  await context.db.sql("create table mdl_course_modules (module bigint)");
  for (const [name, text] of Object.entries(MOODLE_STAND_INS)) await writeTestFile(volume, `html/${name}`, text);
  for (const each of ["html/local", "html/mod", "moodledata"]) await mkdir(join(volume, each), { recursive: true });
  context.zips = new Map();
  context.server = createServer(({ url }, response) => {
    const zip = context.zips.get(url!);
    response.writeHead(zip ? 200 : 404).end(zip);
  });
  await new Promise<void>((resolve) => context.server.listen(0, "127.0.0.1", resolve));
});
test.after.each(async ({ db, volume, server }) => {
  server.close();
  await db.close();
  await rm(volume, { recursive: true });
});

inPhp("installs, upgrades and removes an add-on, and then has nothing to do", async (context) => {
  const first = await offerAddon(context, "local_one", 1), second = await offerAddon(context, "local_one", 2);
  assert.equal((await runAddonsPhp(context, "check", [first])).changes, ["installs: local_one 1"]);
  assert.equal((await readAddonSite(context)).directories, []);
  const installed = await runAddonsPhp(context, "apply", [first]);
  assert.is(installed.result, "done", installed.output);
  const one = { ...NO_ADDON_TRACES, directories: ["one"], recorded: ["local_one"] };
  assert.equal(await readAddonSite(context), { ...one, installed: ["local_one 1"] });
  assert.equal((await runAddonsPhp(context, "apply", [second])).changes, ["upgrades: local_one 2"]);
  assert.equal(await readAddonSite(context), { ...one, installed: ["local_one 2"] });
  assert.is((await runAddonsPhp(context, "check", [second])).result, "unchanged");
  const older = await runAddonsPhp(context, "apply", [first]);
  assert.equal(older.skipped, ["local_one: the site has the newer version 2"]);
  assert.equal((await runAddonsPhp(context, "apply", [])).changes, ["removes: local_one"]);
  assert.equal(await readAddonSite(context), NO_ADDON_TRACES);
});

inPhp("puts a lost directory back, and leaves an add-on that somebody else has installed", async (context) => {
  const one = await offerAddon(context, "local_one", 1);
  await runAddonsPhp(context, "apply", [one]);
  await rm(join(context.volume, "html/local/one"), { recursive: true });
  assert.is((await runAddonsPhp(context, "apply", [one])).result, "done");
  assert.equal((await readAddonSite(context)).directories, ["one"]);
  await writeTestFile(
    context.volume,
    "html/local/own/version.php",
    "<?php $plugin->component = 'local_own'; $plugin->version = 1;",
  );
  await runAddonsPhp(context, "apply", []); // installs the directory, too
  const own = await offerAddon(context, "local_own", 2);
  assert.is((await runAddonsPhp(context, "apply", [own])).result, "done");
  assert.is((await runAddonsPhp(context, "apply", [])).result, "unchanged");
  const { directories, installed, recorded } = await readAddonSite(context);
  assert.equal({ directories, installed, recorded }, {
    ...{ directories: ["own"], installed: ["local_own 2"], recorded: [] },
  });
});

for (
  const [name, declared, more, words] of [
    ["a missing dependency", "$plugin->dependencies = ['mod_other' => 5];", {}, /it needs mod_other 5/],
    ["another branch", "$plugin->requires = 2026042000;", {}, /it requires Moodle 2026042000/],
    ["an incompatible branch", "$plugin->incompatible = 405;", {}, /incompatible with Moodle 405/],
    ["a syntax error", "", { "lib.php": "<?php function x( {" }, /syntax error/],
    ["another component", "$plugin->component = 'local_else';", {}, /contains local_else/],
    ["another version", "$plugin->version = 7;", {}, /contains the version 7/],
  ] as const
) {
  inPhp(`refuses an add-on with ${name} before anything changes`, async (context) => {
    const bad = await offerAddon(context, "local_bad", 1, declared, more),
      good = await offerAddon(context, "local_good", 1);
    for (const mode of ["check", "apply"]) {
      const { result, detail, output } = await runAddonsPhp(context, mode, [good, bad]);
      assert.is(result, "refused", output);
      assert.match(detail, words);
    }
    assert.equal(await readAddonSite(context), NO_ADDON_TRACES);
  });
}

inPhp("refuses a file with another hash, and a file that is missing", async (context) => {
  const one = await offerAddon(context, "local_one", 1), { url, sha256 } = one.source;
  const other = await runAddonsPhp(context, "check", [{ ...one, source: { url, sha256: "0".repeat(64) } }]);
  assert.match(other.detail, "another SHA-256");
  const missing = await runAddonsPhp(context, "check", [{ ...one, source: { url: `${url}x`, sha256 } }]);
  assert.match(missing.detail, "the download failed");
});

inPhp("returns the site to what it was if upgrade.php fails, and reports if it cannot", async (context) => {
  const bad = await offerAddon(context, "local_bad", 1, "", { fails: "" });
  const { result, detail } = await runAddonsPhp(context, "apply", [bad]);
  assert.equal([result, detail], ["restored", "Exception - it fails"]);
  assert.equal(await readAddonSite(context), NO_ADDON_TRACES);
  const good = await offerAddon(context, "local_bad", 2),
    worse = await offerAddon(context, "local_bad", 3, "", { fails: "" });
  await runAddonsPhp(context, "apply", [good]);
  const upgraded = await runAddonsPhp(context, "apply", [worse]);
  assert.is(upgraded.result, "partly");
  const { installed, maintenance } = await readAddonSite(context);
  assert.equal([installed, maintenance], [["local_bad 2"], true]);
  const mended = await offerAddon(context, "local_bad", 4);
  assert.is((await runAddonsPhp(context, "check", [mended])).result, "interrupted");
  assert.is((await runAddonsPhp(context, "apply", [mended])).result, "done");
  const site = { directories: ["bad"], installed: ["local_bad 4"], recorded: ["local_bad"] };
  assert.equal(await readAddonSite(context), { ...NO_ADDON_TRACES, ...site });
});

inPhp("puts the old directory back if it was killed between moving the old and the new one", async (context) => {
  const first = await offerAddon(context, "local_one", 1), { volume } = context;
  await runAddonsPhp(context, "apply", [first]);
  await leaveAddonJournal(context, "swapping");
  const html = join(volume, "html/local/one"), old = join(volume, "moodledata/wheelwright-addons/old");
  await mkdir(old);
  await rename(html, join(old, "local_one"));
  await writeFile(join(volume, "moodledata/climaintenance.html"), "");
  const { result, output } = await runAddonsPhp(context, "check", [first]);
  assert.is(result, "unchanged", output);
  const site = { directories: ["one"], installed: ["local_one 1"], recorded: ["local_one"] };
  assert.equal(await readAddonSite(context), { ...NO_ADDON_TRACES, ...site });
});

inPhp("completes the change if it was killed before or during upgrade.php", async (context) => {
  const first = await offerAddon(context, "local_one", 1), second = await offerAddon(context, "local_one", 2);
  await runAddonsPhp(context, "apply", [first]);
  await leaveAddonJournal(context, "upgrading");
  const text = "<?php $plugin->component = 'local_one'; $plugin->version = 2;";
  await writeTestFile(context.volume, "html/local/one/version.php", text);
  assert.is((await runAddonsPhp(context, "check", [second])).result, "interrupted");
  assert.is((await runAddonsPhp(context, "apply", [second])).result, "unchanged");
  const site = { directories: ["one"], installed: ["local_one 2"], recorded: ["local_one"] };
  assert.equal(await readAddonSite(context), { ...NO_ADDON_TRACES, ...site });
});

inPhp("refuses to remove a module that activities use, and one that another add-on needs", async (context) => {
  const mod = await offerAddon(context, "mod_game", 1), base = await offerAddon(context, "local_base", 1);
  const own =
    "<?php $plugin->component = 'local_own'; $plugin->version = 1; $plugin->dependencies = ['local_base' => 1];";
  await runAddonsPhp(context, "apply", [mod, base]);
  await writeTestFile(context.volume, "html/local/own/version.php", own);
  await context.db.sql("insert into mdl_modules values (7, 'game')");
  await context.db.sql("insert into mdl_course_modules values (7), (7)");
  const { result, skipped } = await runAddonsPhp(context, "apply", []);
  assert.is(result, "unchanged");
  assert.equal(skipped.toSorted(), [
    "local_base is not removed, because local_own needs it",
    "mod_game is not removed, because 2 activities use it",
  ]);
});

inPhp("gives way to a later attempt, and waits for a lock of Moodle", async (context) => {
  context.fence = 5;
  await runAddonsPhp(context, "check", []);
  assert.is((await runAddonsPhp(context, "check", [], { FENCE: "4" })).result, "stale");
  await context.db.sql(
    "insert into mdl_config (name, value) values ('upgraderunning', (extract(epoch from now()) + 90)::bigint)",
  );
  const { result, detail } = await runAddonsPhp(context, "check", []);
  assert.is(result, "locked");
  assert.ok(Number(detail) > 60 && Number(detail) <= 91);
});

test.run();
