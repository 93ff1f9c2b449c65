/** Runs the part of seed.php that sets what a hub shares, with a real PHP and stand-ins for Moodle's functions. */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { missingPhpReason } from "#test/support/php.ts";

const test = suite(`seed_shared_settings${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`);
const inPhp = missingPhpReason === null ? test : test.skip;

/**
 * Moodle's functions as far as the script calls them. They keep the settings of each plugin in an array. The third
 * argument is the number of writes after which the program ends, as if it were killed.
 */
const MOODLE = `<?php
$CFG = (object) ['dirroot' => '/nowhere', 'admin' => 'admin'];
$all = json_decode($argv[1], true);
function get_config($plugin, $name) { global $all; return $all[$plugin][$name] ?? false; }
function count_write() {
    global $all, $argv;
    if ($argv[3]-- <= 0) { echo json_encode($all); exit; }
}
function set_config($name, $value, $plugin = 'core') {
    global $all;
    count_write();
    if ($value === null) { unset($all[$plugin][$name]); } else { $all[$plugin][$name] = (string) $value; }
}
function unset_config($name, $plugin = 'core') { global $all; count_write(); unset($all[$plugin][$name]); }
function mtrace($text) { fwrite(STDERR, $text . "\\n"); }
class Strings {
    function translation_exists($language, $disabled) { return in_array($language, ['en', 'de'], true); }
    function reset_caches() {}
}
function get_string_manager() { return new Strings(); }
`;

type Configuration = Record<string, Record<string, string>>;

/** Returns all settings after the script. */
async function run(before: Configuration, settings: object, writes = 1000): Promise<Configuration> {
  const script = await readFile("lib/moodle/manifests/seed.php", "utf8");
  const source = script.slice(
    script.indexOf("/** The settings that a hub shares"),
    script.indexOf("/** Downloads a file"),
  );
  assert.match(source, "function seed_shared_settings");
  const calls = "seed_shared_settings(json_decode($argv[2], true)); echo json_encode($all);";
  const args = ["-r", `${MOODLE.replace("<?php", "")}${source}${calls}`, "--"];
  const output = execFileSync("php", [...args, JSON.stringify(before), JSON.stringify(settings), String(writes)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return JSON.parse(output);
}

inPhp("sets values, and returns them to the former ones", async () => {
  const before = { core: { lang: "en", forcelogin: "0" } };
  const shared = await run(before, { language: "de", forcedLogin: true, timeZone: null, uploadLimit: 50 });
  assert.equal(shared["core"], { lang: "de", forcelogin: "1", maxbytes: "52428800" });
  const changed = await run(shared, { language: "de", forcedLogin: false });
  assert.is(changed["core"]!["forcelogin"], "0");
  const back = await run(changed, { language: null, forcedLogin: null });
  assert.equal(back, { ...before, local_wheelwright: [] as never });
});

inPhp("knows the former value however often it was killed", async () => {
  const before = { core: { forcelogin: "0" } };
  for (let writes = 0; writes <= 3; writes++) {
    const killed = await run(before, { forcedLogin: true }, writes);
    const shared = await run(killed, { forcedLogin: true });
    assert.is(shared["core"]!["forcelogin"], "1");
    assert.is((await run(shared, { forcedLogin: null }))["core"]!["forcelogin"], "0", `killed after ${writes} writes`);
  }
});

inPhp("removes a setting that the site did not have", async () => {
  const shared = await run({ core: {} }, { supportName: "Help desk" });
  assert.is(shared["core"]!["supportname"], "Help desk");
  assert.equal((await run(shared, {}))["core"] as unknown, []);
});

inPhp("keeps a value that someone changed on the site", async () => {
  const shared = await run({ core: { lang: "en" } }, { language: "de" });
  const changed = { ...shared, core: { lang: "fr" } };
  assert.is((await run(changed, { language: null }))["core"]!["lang"], "fr");
});

inPhp("leaves out a language that the site cannot install", async () => {
  assert.equal(await run({ core: { lang: "en" } }, { language: "xx" }), { core: { lang: "en" } });
});

test.run();
