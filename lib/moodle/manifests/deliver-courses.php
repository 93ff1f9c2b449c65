<?php
// Brings the courses of the hub to this site, and takes back those that the hub no longer gives. Environment: COURSES (a
// JSON list), LIBRARY_URL and FENCE. Each version of a course is a course of its own. A former version that someone has
// used stays for those people, closed for new ones. A former version that nobody has used is deleted. A course that
// cannot be delivered is skipped. The last line is "delivered {...}". This script is an argument of `php -r`. It can run
// again at any time.
//
// The plugin settings of local_wheelwright have, per family of courses:
// - course_{family}: {"current":2,"versions":{"2":{"id":17,"sha256":"...","print":"...","closed":{...},"deleting":true}}}.
//   "print" is a hash of the restored course. "closed" has the enrolment settings from before the version was closed.
// - making_course_{family}: the short name or id of a course that is being restored. A later run deletes such a course.
define('CLI_SCRIPT', true);
require('/var/www/html/config.php');
require_once($CFG->dirroot . '/course/lib.php');
require_once($CFG->dirroot . '/backup/util/includes/restore_includes.php');

/** A course that cannot be delivered. The code is for the control plane, the message for people. */
final class DeliverySkipped extends Exception
{
    public function __construct(public readonly string $reason, string $message) {
        parent::__construct($message);
    }
}

function deliver_text(\Throwable $error): string {
    return trim(preg_replace('/\s+/', ' ', $error->getMessage() . ' ' . ($error->debuginfo ?? '')));
}

function deliver_roll_back(): void {
    global $DB;
    if ($DB->is_transaction_started()) {
        $DB->force_transaction_rollback();
    }
}

/** Ends the script if a later attempt has begun, so that a late Job does not undo it. */
function deliver_check_attempt(string $attempt): void {
    global $DB;
    // Read from the database, because a cache may be older.
    $last = (int) $DB->get_field('config_plugins', 'value', ['plugin' => 'local_wheelwright', 'name' => 'deliver_attempt']);
    if ($last > (int) $attempt) {
        mtrace("not changed: attempt $last has begun after this one, $attempt");
        exit(1);
    }
}

/** Waits until no other run is in progress. The lock ends with its process. */
function deliver_begin(string $attempt): void {
    deliver_check_attempt($attempt);
    set_config('deliver_attempt', $attempt, 'local_wheelwright'); // an earlier run ends before its next course
    $lock = \core\lock\lock_config::get_lock_factory('local_wheelwright')->get_lock('deliver_courses', 1800);
    if (!$lock) {
        mtrace('not changed: another run is still in progress');
        exit(1);
    }
    core_shutdown_manager::register_function([$lock, 'release']);
    deliver_check_attempt($attempt);
}

function deliver_state(string $family): array {
    global $DB;
    $text = $DB->get_field('config_plugins', 'value', ['plugin' => 'local_wheelwright', 'name' => "course_$family"]);
    return (json_decode((string) $text, true) ?: []) + ['current' => null, 'versions' => []];
}

function deliver_save(string $family, array $state): void {
    if ($state['versions']) {
        $state['versions'] = (object) $state['versions'];
        set_config("course_$family", json_encode($state), 'local_wheelwright');
    } else {
        unset_config("course_$family", 'local_wheelwright');
    }
}

/** Returns the families whose settings begin with a prefix. */
function deliver_families(string $prefix): array {
    global $DB;
    $where = "plugin = 'local_wheelwright' AND " . $DB->sql_like('name', '?');
    $names = $DB->get_fieldset_select('config_plugins', 'name', $where, [$DB->sql_like_escape($prefix) . '%']);
    return array_map(fn($name) => substr($name, strlen($prefix)), $names);
}

/** Deletes a course without a copy in the recycle bin. */
function deliver_delete(int $id): void {
    global $CFG;
    $bins = ['coursebinenable' => false, 'categorybinenable' => false];
    $CFG->forced_plugin_settings['tool_recyclebin'] = $bins + ($CFG->forced_plugin_settings['tool_recyclebin'] ?? []);
    delete_course($id, false);
    fix_course_sortorder();
}

/** Deletes the incomplete course of a run that was killed, unless a person has visited or joined it. */
function deliver_clear(string $family): void {
    global $DB;
    $mark = $DB->get_field('config_plugins', 'value', ['plugin' => 'local_wheelwright', 'name' => "making_course_$family"]);
    if ($mark === false) {
        return;
    }
    $id = (int) $DB->get_field('course', 'id', ctype_digit($mark) ? ['id' => $mark] : ['shortname' => $mark]);
    if ($id && $id !== (int) SITEID) {
        if (deliver_is_visited($id)) {
            mtrace("$family: an incomplete course stays, because someone uses it: course $id");
        } else {
            deliver_delete($id);
            mtrace("$family: deleted an incomplete course");
        }
    }
    unset_config("making_course_$family", 'local_wheelwright');
}

function deliver_is_visited(int $id): bool {
    global $DB;
    return $DB->record_exists('user_lastaccess', ['courseid' => $id])
        || $DB->record_exists_sql('SELECT 1 FROM {user_enrolments} u JOIN {enrol} e ON e.id = u.enrolid WHERE e.courseid = ?', [$id]);
}

/** Returns the rows of a course that people edit, as a hash. Other tables change with one of these or leave a log. */
function deliver_print(int $id): string {
    global $DB;
    $hash = hash_init('sha256');
    $add = function (string $query, array $params) use ($DB, $hash): void {
        foreach ($rows = $DB->get_recordset_sql($query, $params) as $row) {
            hash_update($hash, json_encode($row, JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE));
        }
        $rows->close();
    };
    $path = context_course::instance($id)->path . '/%'; // compared with a slash at the end, as /1/25 begins /1/250
    $add('SELECT fullname, summary, format, visible, startdate, enddate, lang, theme, groupmode, groupmodeforce,
        enablecompletion, showgrades, newsitems, maxbytes FROM {course} WHERE id = ?', [$id]);
    $add('SELECT id, section, name, summary, sequence, visible, availability FROM {course_sections} WHERE course = ?
        ORDER BY id', [$id]);
    $add('SELECT id, module, instance, section, idnumber, visible, groupmode, completion, availability
        FROM {course_modules} WHERE course = ? ORDER BY id', [$id]);
    $add("SELECT b.id, b.blockname, b.configdata, b.parentcontextid, b.defaultregion FROM {block_instances} b
        JOIN {context} c ON c.id = b.parentcontextid WHERE c.path || '/' LIKE ? ORDER BY b.id", [$path]);
    $add("SELECT f.pathnamehash, f.contenthash FROM {files} f JOIN {context} c ON c.id = f.contextid
        WHERE c.path || '/' LIKE ? AND f.filename <> '.' ORDER BY f.pathnamehash", [$path]);
    $add("SELECT q.id, q.timemodified FROM {question} q JOIN {question_versions} v ON v.questionid = q.id
        JOIN {question_bank_entries} e ON e.id = v.questionbankentryid JOIN {question_categories} k
        ON k.id = e.questioncategoryid JOIN {context} c ON c.id = k.contextid WHERE c.path || '/' LIKE ? ORDER BY q.id", [$path]);
    $add('SELECT id, enrol FROM {enrol} WHERE courseid = ? ORDER BY id', [$id]);
    $add('SELECT id, name FROM {groups} WHERE courseid = ? ORDER BY id', [$id]);
    $names = 'SELECT DISTINCT m.name FROM {modules} m JOIN {course_modules} c ON c.module = m.id WHERE c.course = ?';
    foreach ($DB->get_fieldset_sql("$names ORDER BY m.name", [$id]) as $table) {
        $columns = array_intersect(['id', 'name', 'intro', 'timemodified'], array_keys($DB->get_columns($table)));
        $add('SELECT ' . implode(', ', $columns) . ' FROM {' . $table . '} WHERE course = ? ORDER BY id', [$id]);
    }
    return substr(hash_final($hash), 0, 32);
}

/** Says whether someone has joined, visited, worked in or edited a course. Every doubt counts as a use. */
function deliver_is_used(int $id, string $print): bool {
    global $DB;
    if (deliver_is_visited($id) || deliver_print($id) !== $print) {
        return true;
    }
    $tables = $DB->get_manager();
    if ($tables->table_exists('logstore_standard_log') && $DB->record_exists_select(
        'logstore_standard_log',
        "courseid = ? AND origin IN ('web', 'ws') AND userid NOT IN (0, ?)",
        [$id, guest_user()->id]
    )) {
        return true;
    }
    $grade = 'g JOIN {grade_items} i ON i.id = g.itemid WHERE i.courseid = ?';
    $rows = ["{grade_grades} $grade", "{grade_grades_history} $grade", '{course_completions} WHERE course = ?',
        '{course_modules_completion} d JOIN {course_modules} m ON m.id = d.coursemoduleid WHERE m.course = ?'];
    foreach ($rows as $one) {
        if ($DB->record_exists_sql("SELECT 1 FROM $one", [$id])) {
            return true;
        }
    }
    // Moodle's privacy interface knows the people in attempts, submissions and posts, also in add-ons. For an activity or
    // a block, only its own code and Moodle's core are called, which is six times faster.
    $privacy = new class extends \core_privacy\manager {
        public array $types = [];

        protected static function get_log_tracer() {
            return new null_progress_trace(); // otherwise 500 lines per activity
        }

        protected function get_component_list() {
            $components = parent::get_component_list();
            return $this->types ? array_filter($components, fn($one) => in_array(strtok($one, '_'), $this->types, true)
                || in_array($one, $this->types, true)) : $components;
        }
    };
    $admin = (int) get_admin()->id; // has restored the course
    $contexts = $DB->get_fieldset_select('context', 'id', "path || '/' LIKE ?", [context_course::instance($id)->path . '/%']);
    foreach ($contexts as $contextid) {
        $context = context::instance_by_id($contextid);
        $privacy->types = deliver_types($context);
        foreach ($privacy->get_users_in_context($context) as $list) {
            if (array_diff(array_map('intval', $list->get_userids()), [$admin])) {
                return true;
            }
        }
    }
    return false;
}

/** Returns the components, or types of components, that have data in an activity or a block. Empty: all of them. */
function deliver_types(context $context): array {
    global $DB;
    if ($context instanceof context_block) {
        return ['core', 'block_' . $DB->get_field('block_instances', 'blockname', ['id' => $context->instanceid])];
    }
    if (!($context instanceof context_module)) {
        return [];
    }
    $module = $DB->get_field_sql('SELECT m.name FROM {modules} m JOIN {course_modules} c ON c.module = m.id
        WHERE c.id = ?', [$context->instanceid]);
    $parts = core_component::get_subplugins("mod_$module") ?: [];
    return ['core', 'plagiarism', 'local', 'tool', "mod_$module", ...array_keys($parts)];
}

/** Closes a course for new people, and returns the former values. People who are in the course keep their access. */
function deliver_close(int $id): array {
    global $DB;
    $closed = [];
    $changes = [ // a disabled method would lock out its people, except for guests, who are no members
        'self' => fn($one) => $one->customint6 ? ['customint6' => 0] : [],
        'guest' => fn($one) => (int) $one->status === 0 ? ['status' => 1] : [],
        'fee' => fn($one) => (int) $one->enrolenddate === 0 || $one->enrolenddate > time() ? ['enrolenddate' => 1] : [],
    ];
    $changes['paypal'] = $changes['fee'];
    foreach ($DB->get_records('enrol', ['courseid' => $id]) as $one) {
        foreach (isset($changes[$one->enrol]) ? $changes[$one->enrol]($one) : [] as $column => $value) {
            $closed[$one->id] = [$column => $one->$column, 'set' => $value];
            $DB->set_field('enrol', $column, $value, ['id' => $one->id]);
        }
    }
    context_course::instance($id)->mark_dirty();
    return $closed;
}

/** Restores the values from before a course was closed. A value that someone has changed in the meantime stays. */
function deliver_open(int $id, array $closed): void {
    global $DB;
    foreach ($closed as $instance => $former) {
        $column = array_key_first($former);
        if (in_array($column, ['customint6', 'status', 'enrolenddate'], true)) {
            $where = ['id' => $instance, 'courseid' => $id, $column => $former['set']];
            $DB->set_field('enrol', $column, $former[$column], $where);
        }
    }
    context_course::instance($id)->mark_dirty();
}

/** Makes a version the current one, in one transaction with the caller's changes of the state. */
function deliver_make_current(string $family, array $state, ?int $version): array {
    global $DB;
    $transaction = $DB->start_delegated_transaction();
    $DB->set_field('course', 'idnumber', '', ['idnumber' => "wheelwright:$family"]);
    $state['current'] = $version;
    if ($version !== null) {
        $entry = &$state['versions'][$version];
        $DB->set_field('course', 'idnumber', "wheelwright:$family", ['id' => $entry['id']]);
        deliver_open($entry['id'], $entry['closed'] ?? []);
        unset($entry['closed']);
        unset_config("making_course_$family", 'local_wheelwright');
    }
    deliver_save($family, $state);
    $transaction->allow_commit();
    foreach ($state['versions'] as $one) {
        rebuild_course_cache((int) $one['id'], true);
    }
    return $state;
}

/** Closes or deletes every version but the current one. Returns the fate of each of them, and the state. */
function deliver_retire(string $family, array $state): array {
    global $DB;
    $fates = [];
    foreach ($state['versions'] as $version => $entry) {
        $id = (int) $entry['id'];
        if ((string) $version === (string) $state['current']) {
            continue;
        }
        $exists = $DB->record_exists('course', ['id' => $id]);
        if ($exists && !isset($entry['closed'])) {
            $transaction = $DB->start_delegated_transaction();
            $state['versions'][$version]['closed'] = deliver_close($id);
            deliver_save($family, $state);
            $transaction->allow_commit();
        }
        if ($exists && !isset($entry['deleting']) && deliver_is_used($id, $entry['print'] ?? '')) {
            $fates[$version] = 'closed';
            continue;
        }
        if ($exists) {
            $state['versions'][$version]['deleting'] = true; // after this mark, a killed deletion is not taken for a use
            deliver_save($family, $state);
            deliver_delete($id);
        }
        unset($state['versions'][$version]);
        deliver_save($family, $state);
        $fates[$version] = 'deleted';
    }
    return [$fates, $state];
}

/** Throws if the site lacks what a package needs. */
function deliver_check(array $wanted): void {
    global $CFG;
    // The first eight digits are the date of the branch. A package of a later patch release of the same branch fits.
    if (intdiv((int) $wanted['moodle'], 100) > intdiv((int) $CFG->version, 100)) {
        throw new DeliverySkipped('OlderMoodle', 'the course comes from a newer Moodle than this site has');
    }
    $missing = array_filter($wanted['plugins'] ?? [], function ($component): bool {
        $plugin = core_plugin_manager::instance()->get_plugin_info((string) $component);
        return !$plugin || $plugin->versiondb === null || $plugin->versiondisk === null;
    });
    if ($missing) {
        throw new DeliverySkipped('MissingPlugin', 'the site lacks ' . implode(', ', $missing));
    }
    $free = @disk_free_space($CFG->dataroot);
    if ($free !== false && $free < 3 * $wanted['bytes'] + 67108864) { // the package, its unpacked files, the stored files
        throw new DeliverySkipped('SiteFull', 'the site has not enough free space');
    }
}

function deliver_download(array $wanted, string $path): void {
    $hash = hash_init('sha256');
    $bytes = 0;
    $file = fopen($path, 'w');
    $request = curl_init(getenv('LIBRARY_URL') . '/packages/' . $wanted['sha256']);
    curl_setopt_array($request, [
        CURLOPT_HTTPHEADER => ['Authorization: Ticket ' . $wanted['ticket']],
        CURLOPT_FAILONERROR => true,
        CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
        CURLOPT_PROXY => '',
        CURLOPT_CONNECTTIMEOUT => 20,
        CURLOPT_LOW_SPEED_LIMIT => 1,
        CURLOPT_LOW_SPEED_TIME => 120,
        CURLOPT_WRITEFUNCTION => function ($request, $part) use ($hash, $file, $wanted, &$bytes): int {
            hash_update($hash, $part);
            $bytes += strlen($part);
            return $bytes > $wanted['bytes'] ? 0 : (int) fwrite($file, $part);
        },
    ]);
    $isdone = curl_exec($request);
    $status = (int) curl_getinfo($request, CURLINFO_RESPONSE_CODE);
    $isstored = fclose($file);
    $isright = $bytes === (int) $wanted['bytes'] && hash_final($hash) === $wanted['sha256'];
    if ($bytes > $wanted['bytes'] || ($isdone && !$isright)) {
        throw new DeliverySkipped('WrongHash', 'the package in the library is not the one that was published');
    }
    if (!$isdone || !$isstored) {
        throw new DeliverySkipped($status === 404 ? 'PackageMissing' : 'DownloadFailed', $status >= 400
            ? "the library answered with status $status"
            : 'the download ended early: error ' . curl_errno($request) . ' of curl');
    }
}

/** Restores a package as a new course with a mark. Returns its id and the short name that it had originally. */
function deliver_restore(array $wanted): array {
    global $CFG, $DB;
    $family = $wanted['family'];
    $folder = "wheelwright_$family";
    $directory = "$CFG->backuptempdir/$folder";
    $package = "$directory.mbz";
    fulldelete($directory);
    $id = 0;
    try {
        make_backup_temp_directory($folder);
        deliver_download($wanted, $package);
        if (!get_file_packer('application/vnd.moodle.backup')->extract_to_pathname($package, $directory)) {
            throw new moodle_exception('cannotunzipfile');
        }
        unlink($package);
        $name = "wheelwright_{$family}_" . bin2hex(random_bytes(8));
        set_config("making_course_$family", $name, 'local_wheelwright');
        $category = (int) \core_course_category::get_default()->id;
        $id = (int) restore_dbops::create_new_course($name, $name, $category);
        set_config("making_course_$family", (string) $id, 'local_wheelwright'); // the restore replaces the name
        $restore = new restore_controller(
            $folder,
            $id,
            backup::INTERACTIVE_NO,
            backup::MODE_GENERAL,
            get_admin()->id,
            backup::TARGET_NEW_COURSE
        );
        $restore->execute_precheck();
        $restore->execute_plan();
        $names = $restore->get_info();
        $restore->destroy();
        // Moodle adds "copy 1" to the title if the former version has it, too.
        $DB->set_field('course', 'fullname', $names->original_course_fullname, ['id' => $id]);
        return [$id, $names->original_course_shortname];
    } catch (DeliverySkipped $error) {
        throw $error;
    } catch (\Throwable $error) {
        mtrace("$family: the restore says: " . deliver_text($error));
        deliver_roll_back();
        foreach (['backup_ids_temp', 'backup_files_temp'] as $table) { // otherwise Moodle complains after the last line
            if ($DB->get_manager()->table_exists($table)) {
                $DB->get_manager()->drop_table(new xmldb_table($table));
            }
        }
        deliver_clear($family);
        throw new DeliverySkipped('RestoreFailed', 'Moodle could not restore the package');
    } finally {
        fulldelete($directory);
        @unlink($package);
    }
}

function deliver_family(array $wanted): array {
    global $DB;
    [$family, $version] = [$wanted['family'], (int) $wanted['version']];
    $state = deliver_state($family);
    $before = $state['current'];
    $entry = $state['versions'][$version] ?? null;
    $outcome = 'kept';
    $exists = $entry && !isset($entry['deleting']) && $DB->record_exists('course', ['id' => $entry['id']]);
    if (!$exists || $entry['sha256'] !== $wanted['sha256']) {
        deliver_check($wanted);
        [$id, $shortname] = deliver_restore($wanted);
        if ($entry) { // the same number with other content; the entry remains until its course is retired
            $state['versions']["$version.$entry[id]"] = $entry;
            $before = $before === $version ? "$version.$entry[id]" : $before;
        }
        $state['versions'][$version] = ['id' => $id, 'sha256' => $wanted['sha256'], 'print' => deliver_print($id)];
        $state = deliver_make_current($family, $state, $version);
        $outcome = 'restored';
    } else if ((string) $state['current'] !== (string) $version) {
        $state = deliver_make_current($family, $state, $version);
        $outcome = 'reopened';
    }
    [$fates, $state] = deliver_retire($family, $state);
    $former = $fates[$before] ?? (in_array('closed', $fates, true) ? 'closed' : (end($fates) ?: 'none'));
    $id = (int) $state['versions'][$version]['id'];
    if (isset($shortname) && !$DB->record_exists('course', ['shortname' => $shortname])) {
        $DB->set_field('course', 'shortname', $shortname, ['id' => $id]); // the deleted version no longer has it
        rebuild_course_cache($id, true);
    }
    return ['family' => $family, 'version' => $version, 'id' => $id, 'outcome' => $outcome, 'former' => $former];
}

function deliver_all(array $courses): array {
    $result = ['courses' => [], 'removed' => []];
    foreach (deliver_families('making_course_') as $family) {
        deliver_clear($family);
    }
    foreach ($courses as $wanted) {
        deliver_check_attempt((string) getenv('FENCE'));
        $family = $wanted['family'];
        $name = "$family: version $wanted[version] of $wanted[title]";
        try {
            $one = deliver_family($wanted);
            mtrace("$name: $one[outcome] as course $one[id], former version: $one[former]");
        } catch (\Throwable $error) {
            deliver_roll_back();
            [$reason, $detail] = $error instanceof DeliverySkipped
                ? [$error->reason, $error->getMessage()]
                : ['DeliveryFailed', 'Moodle reported an error, which the log of the Job shows'];
            $one = ['family' => $family, 'version' => (int) $wanted['version'], 'outcome' => 'skipped', 'reason' => $reason,
                'detail' => $detail];
            mtrace("$name: skipped: " . deliver_text($error));
        }
        $result['courses'][] = $one;
    }
    foreach (array_diff(deliver_families('course_'), array_column($courses, 'family')) as $family) {
        deliver_check_attempt((string) getenv('FENCE'));
        try {
            $state = deliver_state($family);
            if ($state['current'] !== null) {
                $state = deliver_make_current($family, $state, null);
            }
            [, $state] = deliver_retire($family, $state);
            $outcome = $state['versions'] ? 'closed' : 'deleted';
            $result['removed'][] = ['family' => $family, 'outcome' => $outcome];
            mtrace("$family: no longer from the hub: $outcome");
        } catch (\Throwable $error) {
            deliver_roll_back();
            $result['removed'][] = ['family' => $family, 'outcome' => 'failed'];
            mtrace("$family: not withdrawn: " . deliver_text($error));
        }
    }
    return $result;
}

$courses = json_decode((string) getenv('COURSES'), true, 8, JSON_THROW_ON_ERROR);
raise_memory_limit(MEMORY_HUGE);
\core\session\manager::set_user(get_admin());
deliver_begin((string) getenv('FENCE'));
$result = deliver_all($courses);
echo 'delivered ', json_encode($result, JSON_UNESCAPED_SLASHES), "\n";
