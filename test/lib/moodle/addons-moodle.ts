/** Runs addons.php with programs and classes that stand in for Moodle. */
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import type { WantedAddon } from "#lib/model/addon.ts";
import { type AddonsResult, parseAddonsResult } from "#lib/moodle/addons.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import type { TestDatabase } from "#test/support/database.ts";

export interface AddonsScene {
  db: TestDatabase;
  volume: string;
  server: Server;
  zips: Map<string, Uint8Array>;
  fence: number;
}

const blueprint = openBlueprint();
const { containers } = blueprint.jobObject(inputsOf(blueprint), "addons-apply", "1")["spec"].template.spec;
const SCRIPT: string = containers[0].command[2];

/** The parts of Moodle that the script needs. A plugin is installed when upgrade.php finds its directory. */
export const MOODLE_STAND_INS: Readonly<Record<string, string>> = {
  "config.php": `<?php
    $CFG = (object) ['dirroot' => __DIR__, 'libdir' => __DIR__ . '/lib', 'theme' => 'boost'];
    class core_component {
      static function normalize_component($component) { return explode('_', $component, 2); }
      static function get_plugin_types() { return ['local' => __DIR__ . '/local', 'mod' => __DIR__ . '/mod']; }
    }
    class core_plugin_manager {
      static function instance() { return new self(); }
      function get_plugins() {
        $all = [];
        foreach (glob(__DIR__ . '/{local,mod}/*/version.php', GLOB_BRACE) as $file) {
          $plugin = (object) ['dependencies' => []]; require $file;
          $one = new plugin_stub(); $one->component = $plugin->component; $one->versiondisk = $plugin->version;
          $one->dependencies = $plugin->dependencies; $all[] = $one;
        }
        return [$all];
      }
    }
    class plugin_stub { public $component, $versiondisk, $dependencies; function is_uninstall_allowed() { return true; } }
    defined('MOODLE_INTERNAL') || define('MOODLE_INTERNAL', 1);`,
  "version.php": "<?php $version = 2024100700.00; $branch = '405';",
  "admin/cli/upgrade.php": `<?php require __DIR__ . '/../../config.php';
    $db = pg_connect(getenv('URL'));
    foreach (core_plugin_manager::instance()->get_plugins()[0] as $plugin) {
      $old = pg_fetch_result(pg_query_params($db, "select max(value) from mdl_config_plugins where name = 'version' and plugin = $1", [$plugin->component]), 0, 0);
      if ((string) $old === (string) $plugin->versiondisk) { continue; }
      echo "-->$plugin->component\\n";
      $directory = __DIR__ . '/../../' . str_replace('_', '/', $plugin->component);
      if (is_file("$directory/fails")) { echo "!!! Exception - it fails !!!\\n"; exit(1); }
      pg_query_params($db, "delete from mdl_config_plugins where name = 'version' and plugin = $1", [$plugin->component]);
      pg_query_params($db, "insert into mdl_config_plugins (plugin, name, value) values ($1, 'version', $2)", [$plugin->component, $plugin->versiondisk]);
      echo "++ Success ++\\n";
    }`,
  "admin/cli/uninstall_plugins.php": `<?php $db = pg_connect(getenv('URL'));
    pg_query_params($db, "delete from mdl_config_plugins where plugin = $1", [substr($argv[1], strlen('--plugins='))]);`,
  "admin/cli/maintenance.php": `<?php $file = __DIR__ . '/../../../moodledata/climaintenance.html';
    in_array('--enable', $argv) ? touch($file) : @unlink($file);`,
  "admin/cli/purge_caches.php": "<?php",
  "lib/upgradelib.php": "<?php function upgrade_component_updated($component) {}",
  "lib/adminlib.php": `<?php
    class stub_session { static function set_user($user) {} }
    class_alias('stub_session', 'core\\\\session\\\\manager');
    function get_admin() { return null; }
    function uninstall_plugin($type, $name) {
      pg_query_params(pg_connect(getenv('URL')), "delete from mdl_config_plugins where plugin = $1", ["{$type}_$name"]);
    }`,
};

export async function writeTestFile(directory: string, name: string, text: string): Promise<void> {
  await mkdir(join(directory, name, ".."), { recursive: true });
  await writeFile(join(directory, name), text);
}

/** Offers an add-on for download. `more` are files; `declared` follows the version in version.php. */
export async function offerAddon(
  { volume, zips, server }: AddonsScene,
  component: string,
  version: number,
  declared = "",
  more: Record<string, string> = {},
): Promise<WantedAddon> {
  const folder = join(volume, "made", `${component}-${version}`), name = component.split("_")[1]!;
  const text = `<?php defined('MOODLE_INTERNAL') || die(); $plugin->component = '${component}';
    $plugin->version = ${version}; $plugin->requires = 2024042200; ${declared}`;
  for (const [file, content] of Object.entries({ "version.php": text, ...more })) {
    await writeTestFile(folder, `${name}-main/${file}`, content);
  }
  const code = `$zip = new ZipArchive(); $zip->open($argv[1], ZipArchive::CREATE);
    foreach (array_slice($argv, 2) as $file) { $zip->addFile($file); } $zip->close();`;
  const files = ["version.php", ...Object.keys(more)].map((file) => `${name}-main/${file}`);
  execFileSync("php", ["-r", code, "out.zip", ...files], { cwd: folder });
  const bytes = await readFile(join(folder, "out.zip")), path = `/${component}-${version}.zip`;
  zips.set(path, bytes);
  const { port } = server.address() as { port: number };
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { component, version, source: { url: `http://127.0.0.1:${port}${path}`, sha256 } };
}

type Options = Readonly<Record<string, string>>;

export async function runAddonsPhp(
  context: AddonsScene,
  mode: string,
  wanted: readonly WantedAddon[],
  more: Options = {},
) {
  const { db, volume } = context, { hostname, port, pathname, username, password } = new URL(db.url);
  const env = {
    PATH: process.env["PATH"],
    ...{ URL: db.url, DB_HOST: hostname || "127.0.0.1", DB_PORT: port || "5432", DB_NAME: pathname.slice(1) },
    ...{ DB_USER: decodeURIComponent(username), DB_PASS: decodeURIComponent(password) },
    ...{ VOLUME_DIR: volume, HTML_DIR: join(volume, "html"), PROTOCOLS: "=http", MAINTENANCE: "off" },
    ...{ MODE: mode, FENCE: String(context.fence++), ADDONS: JSON.stringify(wanted), ...more },
  };
  return await new Promise<AddonsResult & { readonly output: string }>((resolve) =>
    execFile(
      "php",
      ["-r", SCRIPT],
      { env },
      (_, stdout, stderr) => resolve({ ...parseAddonsResult(stdout.split("\n")), output: stdout + stderr }),
    )
  );
}

/** Returns the add-ons on disk, in the database and in Wheelwright's records, and whether the site is in maintenance. */
export async function readAddonSite({ db, volume }: AddonsScene) {
  const directories = await readdir(join(volume, "html/local"));
  const rows = await db.sql("select plugin, name, value from mdl_config_plugins order by plugin, name");
  return {
    directories: directories.sort(),
    installed: rows.filter(({ name }) => name === "version").map(({ plugin, value }) => `${plugin} ${value}`),
    recorded: rows.filter(({ plugin }) => plugin === "local_wheelwright").map(({ name }) => name.slice(6)),
    maintenance: (await readdir(join(volume, "moodledata"))).includes("climaintenance.html"),
    left: (await readdir(join(volume, "moodledata/wheelwright-addons"))).sort(),
  };
}

/** Writes the journal that a killed upgrade of an add-on leaves. */
export async function leaveAddonJournal({ volume }: AddonsScene, phase: "swapping" | "upgrading"): Promise<void> {
  const item = { component: "local_one", version: 2, from: "1", path: "local/one", had: true };
  await writeTestFile(volume, "moodledata/wheelwright-addons/journal.json", JSON.stringify({ phase, items: [item] }));
}

export const NO_ADDON_TRACES = { directories: [], installed: [], recorded: [], maintenance: false, left: ["attempt"] };
