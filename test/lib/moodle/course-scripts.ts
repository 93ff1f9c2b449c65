/** Runs deliver-courses.php and publish-course.php with a real PHP, and stand-ins for the classes and functions of Moodle. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SiteCourse {
  readonly id: number;
  readonly shortname: string;
  readonly fullname?: string;
  readonly idnumber?: string;
}

export interface Enrolment {
  readonly id: number;
  readonly courseid: number;
  readonly enrol: string;
  readonly status: string;
  readonly customint6: string | null;
  readonly enrolenddate: string;
}

/** The rows of a site. `used` has the ids of courses that people use. */
export interface SiteRows {
  readonly course: readonly SiteCourse[];
  readonly enrol: readonly Enrolment[];
  readonly config_plugins: readonly { plugin: string; name: string; value: string }[];
  readonly user_lastaccess: readonly { courseid: number }[];
  readonly used: readonly number[];
  readonly plugins: readonly string[];
}

export const EMPTY_SITE: SiteRows = {
  course: [{ id: 1, shortname: "site" }],
  ...{ enrol: [], config_plugins: [], user_lastaccess: [], used: [], plugins: [] },
};

export interface ScriptEnd {
  readonly status: number;
  readonly lines: readonly string[];
  readonly site: SiteRows;
}

/**
 * A site in memory, from the first argument. It is written to the file descriptor 3 at the end, as a transaction has
 * committed it. The second argument is the number of writes after which the program is killed.
 */
const MOODLE = String.raw`
namespace core\lock {
    class lock_config {
        static function get_lock_factory($type) { return new self(); }
        function get_lock($name, $seconds) { return new self(); }
        function release() {}
    }
}
namespace core\session { class manager { static function set_user($user) {} } }
namespace {
const SITEID = 1;
const MEMORY_HUGE = -3;
$site = json_decode($argv[1], true);
$committed = null;
register_shutdown_function(function () {
    global $site, $committed;
    fwrite(STDERR, "\nSITE " . json_encode($committed ?? $site));
});
function count_write() { global $argv; if ($argv[2]-- <= 0) { exit(137); } }
class transaction {
    function allow_commit() { global $committed; count_write(); $committed = null; }
}
class temporary_tables { function table_exists($name) { return false; } }
class database {
    private function find($table, $conditions) {
        global $site;
        return array_filter($site[$table] ?? [], function ($row) use ($conditions) {
            foreach ($conditions as $name => $value) { if ((string) ($row[$name] ?? '') !== (string) $value) { return false; } }
            return true;
        });
    }
    function get_records($table, $conditions) { return array_map(fn($row) => (object) $row, $this->find($table, $conditions)); }
    function get_record($table, $conditions) { return current($this->get_records($table, $conditions)); }
    function get_field($table, $name, $conditions) {
        $row = current($this->find($table, $conditions));
        return $row ? $row[$name] : false;
    }
    function record_exists($table, $conditions) { return (bool) $this->find($table, $conditions); }
    function record_exists_sql($query, $values) { return false; }
    function set_field($table, $name, $value, $conditions) {
        global $site;
        count_write();
        foreach (array_keys($this->find($table, $conditions)) as $key) { $site[$table][$key][$name] = is_int($value) ? (string) $value : $value; }
    }
    function sql_like($name, $value) { return ''; }
    function sql_like_escape($text) { return $text; }
    function get_fieldset_select($table, $name, $where, $values) {
        global $site;
        $prefix = rtrim($values[0], '%');
        return array_values(array_filter(array_column($site[$table], $name), fn($one) => str_starts_with($one, $prefix)));
    }
    function start_delegated_transaction() { global $site, $committed; $committed = $site; return new transaction(); }
    function is_transaction_started() { global $committed; return $committed !== null; }
    function force_transaction_rollback() { global $site, $committed; $site = $committed; $committed = null; }
    function get_manager() { return new temporary_tables(); }
}
class moodle_exception extends Exception {}
class backup { const INTERACTIVE_NO = 0, MODE_GENERAL = 1, TARGET_NEW_COURSE = 2; }
class restore_dbops {
    static function create_new_course($title, $shortname, $category) {
        global $site;
        count_write();
        $id = ++$site['last'];
        $site['course'][] = ['id' => $id, 'shortname' => $shortname, 'fullname' => $title, 'idnumber' => ''];
        return $id;
    }
}
class restore_controller {
    private $names;
    function __construct($folder, private $id) {
        global $CFG;
        $this->names = json_decode(file_get_contents("$CFG->backuptempdir/$folder/package"), true);
    }
    function execute_precheck() {}
    function execute_plan() {
        global $DB, $site;
        $number = 0;
        while ($DB->record_exists('course', ['shortname' => $this->names['shortname'] . ($number ? "_$number" : '')])) { $number++; }
        $DB->set_field('course', 'fullname', $this->names['title'] . ($number ? " copy $number" : ''), ['id' => $this->id]);
        $DB->set_field('course', 'shortname', $this->names['shortname'] . ($number ? "_$number" : ''), ['id' => $this->id]);
        if (isset($this->names['fails'])) { throw new moodle_exception('the file is broken'); }
        foreach (['manual', 'guest', 'self'] as $enrol) {
            count_write();
            $site['enrol'][] = ['id' => ++$site['last'], 'courseid' => $this->id, 'enrol' => $enrol, 'status' => '0',
                'customint6' => $enrol === 'self' ? '1' : null, 'enrolenddate' => '0'];
        }
    }
    function get_info() {
        return (object) ['original_course_fullname' => $this->names['title'], 'original_course_shortname' => $this->names['shortname']];
    }
    function destroy() {}
}
class packer {
    function extract_to_pathname($file, $directory) {
        return json_decode(file_get_contents($file)) ? copy($file, "$directory/package") : false;
    }
}
class core_course_category { static function get_default() { return (object) ['id' => 1]; } }
class core_shutdown_manager { static function register_function($function) {} }
class core_plugin_manager {
    const PLUGIN_SOURCE_EXTENSION = 'ext';
    static function instance() { return new self(); }
    function get_plugin_info($name) {
        global $site;
        return in_array($name, $site['plugins'], true) ? (object) ['versiondb' => 1, 'versiondisk' => 1, 'source' => 'ext'] : null;
    }
}
class context_course {
    static function instance($id) { return new self(); }
    function mark_dirty() {}
}
class stored_file {
    function __construct(private $path) {}
    function get_content_file_handle() { return fopen($this->path, 'r'); }
    function get_filesize() { return filesize($this->path); }
    function get_contenthash() { return str_repeat('0', 40); }
    function delete() { unlink($this->path); }
}
function fulldelete($directory) { array_map('unlink', glob("$directory/*")); @rmdir($directory); }
function make_backup_temp_directory($name) { global $CFG; mkdir("$CFG->backuptempdir/$name"); }
function get_file_packer($type) { return new packer(); }
function rebuild_course_cache($id, $clear) {}
function fix_course_sortorder() {}
function raise_memory_limit($limit) {}
function get_admin() { return (object) ['id' => 2]; }
function mtrace($text) { echo "$text\n"; }
function delete_course($id, $feedback) {
    global $site;
    count_write();
    $site['used'][] = $id; // a half-deleted course differs from what was restored
    count_write();
    foreach (['course' => 'id', 'enrol' => 'courseid'] as $table => $column) {
        $site[$table] = array_values(array_filter($site[$table], fn($row) => $row[$column] != $id));
    }
    $site['used'] = array_values(array_diff($site['used'], [$id]));
}
function get_config($plugin, $name) { global $DB; return $DB->get_field('config_plugins', 'value', ['plugin' => $plugin, 'name' => $name]); }
function set_config($name, $value, $plugin) {
    global $DB, $site;
    if ($DB->record_exists('config_plugins', ['plugin' => $plugin, 'name' => $name])) {
        $DB->set_field('config_plugins', 'value', (string) $value, ['plugin' => $plugin, 'name' => $name]);
        return;
    }
    count_write();
    $site['config_plugins'][] = ['plugin' => $plugin, 'name' => $name, 'value' => (string) $value];
}
function unset_config($name, $plugin) {
    global $site;
    count_write();
    $site['config_plugins'] = array_values(array_filter($site['config_plugins'], fn($row) => $row['name'] !== $name));
}
$DB = new database();
$site['last'] ??= 16;
$CFG = (object) ['version' => 2024100712.00, 'branch' => '405', 'dataroot' => sys_get_temp_dir(), 'forced_plugin_settings' => [],
    'backuptempdir' => getenv('TEMP_DIR')];
`;

/** Returns a script without its first lines, which load Moodle, and without functions that the stand-ins have. */
async function readScript(name: string, replaced: readonly string[]): Promise<string> {
  const text = await readFile(new URL(`../../../lib/moodle/manifests/${name}`, import.meta.url), "utf8");
  const own = text.slice(text.lastIndexOf("require_once($CFG->dirroot"));
  return replaced.reduce((script, each) => {
    const start = script.indexOf(`function ${each}(`), end = script.indexOf("\n}\n", start) + 3;
    return script.slice(0, start) + script.slice(end);
  }, own.slice(own.indexOf("\n")));
}

export interface ScriptOptions {
  readonly env: Record<string, string>;
  readonly site?: SiteRows;
  /** The number of writes after which the script is killed. */
  readonly writes?: number;
  /** Functions of the script that `php` has in other forms. */
  readonly replaced?: readonly string[];
  readonly php?: string;
}

export async function runCourseScript(name: string, options: ScriptOptions): Promise<ScriptEnd> {
  const { env, site = EMPTY_SITE, writes = 100_000, replaced = [], php = "" } = options;
  const script = await readScript(name, replaced);
  const args = ["-r", `${MOODLE}${php}${script}}`, "--", JSON.stringify(site), String(writes)];
  return await new Promise((resolve, reject) => {
    const all = { PATH: process.env["PATH"]!, TEMP_DIR: join(tmpdir()), ...env };
    execFile("php", args, { env: all }, (error, stdout, stderr) => {
      const rows = /\nSITE (.*)$/.exec(stderr)?.[1];
      if (rows === undefined) return reject(error ?? new Error(stderr));
      const status = error ? Number(error.code) : 0;
      resolve({ status, lines: stdout.trimEnd().split("\n"), site: JSON.parse(rows) });
    });
  });
}
