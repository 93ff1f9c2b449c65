<?php
// Makes a package of a course, a backup without users, and uploads it to the library of the hub. Environment: COURSE
// (short name), LIBRARY_URL, UPLOAD (name of the upload), TICKET and FENCE. The last line is "published {...}", or
// "refused {...}" with status 3. This script is an argument of `php -r`. It can run again at any time.
define('CLI_SCRIPT', true);
require('/var/www/html/config.php');
require_once($CFG->dirroot . '/backup/util/includes/backup_includes.php');

/** The settings that are off: they contain people, or texts about the people of this site. */
const PUBLISH_OFF = ['users', 'anonymize', 'role_assignments', 'permissions', 'comments', 'badges', 'calendarevents',
    'userscompletion', 'logs', 'grade_histories', 'groups', 'customfield', 'xapistate'];

/** The settings that are on, also where the site's own backups leave such content out. */
const PUBLISH_ON = ['activities', 'blocks', 'files', 'filters', 'questionbank', 'competencies', 'contentbankcontent', 'legacyfiles'];

/** The elements of a backup that name a plugin, with the type of the plugin. */
const PUBLISH_ELEMENTS = ['modulename' => 'mod', 'blockname' => 'block', 'qtype' => 'qtype', 'format' => 'format',
    'preferredbehaviour' => 'qbehaviour', 'activemethod' => 'gradingform', 'filter' => 'filter'];

function publish_refuse(string $reason, string $detail): never {
    echo 'refused ', json_encode(['reason' => $reason, 'detail' => $detail], JSON_UNESCAPED_SLASHES), "\n";
    exit(3);
}

/** Ends the script if a later attempt has begun, so that a late Job does not disturb it. */
function publish_begin(string $attempt): void {
    $last = (string) get_config('local_wheelwright', 'publish_attempt');
    if ((int) $last > (int) $attempt) {
        mtrace("not changed: attempt $last has begun after this one, $attempt");
        exit(1);
    }
    set_config('publish_attempt', $attempt, 'local_wheelwright');
}

function publish_course(string $shortname): stdClass {
    global $DB;
    $course = $DB->get_record('course', ['shortname' => $shortname]);
    if (!$course) {
        publish_refuse('NoSuchCourse', 'The site has no course with this short name');
    }
    if ((int) $course->id === (int) SITEID) {
        publish_refuse('SiteCourse', 'This is the front page of the site, which is no course');
    }
    return $course;
}

/** Deletes what this or an earlier attempt left. */
function publish_clean(): void {
    publish_clean_directory();
    $context = context_user::instance(get_admin()->id);
    foreach (get_file_storage()->get_area_files($context->id, 'user', 'backup', 0, 'id', false) as $file) {
        if (str_starts_with($file->get_filename(), 'wheelwright-')) {
            publish_delete($file);
        }
    }
}

/** Deletes a file, and also its content in the trash, where Moodle would keep it for a day. */
function publish_delete(stored_file $file): void {
    global $CFG;
    $hash = $file->get_contenthash();
    $file->delete();
    $trash = $CFG->trashdir ?? "$CFG->dataroot/trashdir";
    @unlink("$trash/" . substr($hash, 0, 2) . '/' . substr($hash, 2, 2) . "/$hash");
}

/** A backup needs the course's files up to three times for a moment: as copies, in the package, and stored. */
function publish_check_space(stdClass $course): void {
    global $CFG, $DB;
    $context = context_course::instance($course->id);
    $bytes = (int) $DB->get_field_sql("SELECT SUM(size) FROM (SELECT MAX(f.filesize) AS size FROM {files} f
        JOIN {context} c ON c.id = f.contextid WHERE (c.id = ? OR c.path LIKE ?) AND f.component <> 'backup'
        GROUP BY f.contenthash) stored", [$context->id, "$context->path/%"]);
    $free = @disk_free_space($CFG->dataroot);
    if ($free !== false && $free < 3 * $bytes + 67108864) {
        publish_refuse('SiteFull', 'The site has not enough free space for the backup of this course');
    }
}

/** Returns the stored package and the add-ons that it needs. */
function publish_backup(stdClass $course): array {
    global $CFG;
    raise_memory_limit(MEMORY_HUGE);
    $CFG->keeptempdirectoriesonbackup = true; // the add-ons are read from it
    $backup = new backup_controller(
        backup::TYPE_1COURSE,
        $course->id,
        backup::FORMAT_MOODLE,
        backup::INTERACTIVE_NO,
        backup::MODE_GENERAL,
        get_admin()->id
    );
    set_config('publish_directory', $backup->get_backupid(), 'local_wheelwright');
    $directory = "$CFG->backuptempdir/" . $backup->get_backupid();
    publish_set($backup->get_plan());
    core_php_time_limit::raise();
    $backup->set_status(backup::STATUS_EXECUTING);
    $progress = $backup->get_plan()->get_progress();
    $progress->start_progress('', array_sum(array_map(fn($task) => $task->get_weight(), $backup->get_plan()->get_tasks())));
    foreach ($backup->get_plan()->get_tasks() as $task) {
        if ($task instanceof backup_final_task) { // packs the directory
            @unlink("$directory/course/enrolments.xml"); // has the enrolment keys of this site
        }
        $task->build();
        $task->execute();
    }
    $progress->end_progress();
    $backup->set_status(backup::STATUS_FINISHED_OK);
    $file = $backup->get_results()['backup_destination'];
    $addons = publish_addons($directory);
    $backup->destroy();
    publish_clean_directory();
    return [$file, $addons];
}

/** Sets what the package contains, also if the site has other defaults and locks them. */
function publish_set(backup_plan $plan): void {
    foreach ([0 => PUBLISH_OFF, 1 => PUBLISH_ON] as $value => $names) {
        foreach ($names as $name) {
            if ($plan->setting_exists($name) && (int) $plan->get_setting($name)->get_value() !== $value) {
                $plan->get_setting($name)->set_status(base_setting::NOT_LOCKED);
                $plan->get_setting($name)->set_value($value);
            }
        }
    }
    $plan->get_setting('filename')->set_value('wheelwright-' . (int) getenv('FENCE') . '.mbz');
}

function publish_clean_directory(): void {
    global $CFG;
    $name = (string) get_config('local_wheelwright', 'publish_directory');
    if (preg_match('/^[0-9a-f]{32}$/D', $name)) {
        fulldelete("$CFG->backuptempdir/$name");
    }
    unset_config('publish_directory', 'local_wheelwright');
}

/** Returns the add-ons of the site that an unpacked package names. */
function publish_addons(string $directory): array {
    $found = [];
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($directory)) as $file) {
        if ($file->getExtension() !== 'xml' || $file->getFilename() === 'files.xml') {
            continue;
        }
        $reader = new XMLReader();
        $reader->open($file->getPathname());
        $filter = '';
        while ($reader->read()) {
            if ($reader->nodeType !== XMLReader::ELEMENT) {
                continue;
            }
            $type = PUBLISH_ELEMENTS[$reader->name] ?? null;
            if ($type === 'filter') {
                $filter = $reader->readString(); // counts only if it is on in this course
            } else if ($reader->name === 'active' && (int) $reader->readString() === 1) {
                $found["filter_$filter"] = true;
            } else if ($type) {
                $found[$type . '_' . $reader->readString()] = true;
            } else if ($reader->name === 'availability') {
                preg_match_all('/"type":"(\w+)"/', $reader->readString(), $conditions);
                $found += array_fill_keys(array_map(fn($name) => "availability_$name", $conditions[1]), true);
            }
        }
        $reader->close();
    }
    $addons = [];
    foreach (array_keys($found) as $component) {
        $plugin = preg_match('/^[a-z]+_\w+$/D', $component) ? core_plugin_manager::instance()->get_plugin_info($component) : null;
        if ($plugin && $plugin->source === core_plugin_manager::PLUGIN_SOURCE_EXTENSION) {
            $addons[] = $component;
        }
    }
    sort($addons);
    return $addons;
}

/** Returns the status of the answer, its text, and the error of the connection. */
function publish_send(stored_file $file): array {
    $handle = $file->get_content_file_handle();
    $request = curl_init(getenv('LIBRARY_URL') . '/uploads/' . getenv('UPLOAD'));
    curl_setopt_array($request, [
        CURLOPT_UPLOAD => true,
        CURLOPT_INFILE => $handle,
        CURLOPT_INFILESIZE => (int) $file->get_filesize(),
        CURLOPT_HTTPHEADER => ['Authorization: Ticket ' . getenv('TICKET')],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
        CURLOPT_PROXY => '',
        CURLOPT_CONNECTTIMEOUT => 20,
        CURLOPT_LOW_SPEED_LIMIT => 1,
        CURLOPT_LOW_SPEED_TIME => 120,
    ]);
    $body = (string) curl_exec($request);
    $result = [(int) curl_getinfo($request, CURLINFO_RESPONSE_CODE), $body, curl_errno($request)];
    fclose($handle);
    return $result;
}

/** Returns the hash and size of the package that the library has stored. */
function publish_upload(stored_file $file): array {
    $hash = hash_init('sha256');
    $handle = $file->get_content_file_handle();
    hash_update_stream($hash, $handle);
    fclose($handle);
    $package = ['sha256' => hash_final($hash), 'bytes' => (int) $file->get_filesize()];
    [$status, $body, $error] = publish_send($file);
    $refusals = [
        401 => ['TicketRefused', 'The library did not accept the ticket of this upload'],
        403 => ['TicketExpired', 'The ticket of this upload expired before the backup was complete'],
        413 => ['TooLarge', "The package has $package[bytes] bytes, which is more than the library accepts"],
        507 => ['LibraryFull', 'The library of the hub has no space for this package'],
    ];
    if ($status === 201 && json_decode($body, true) === $package) {
        return $package;
    }
    publish_delete($file);
    if (isset($refusals[$status])) {
        publish_refuse(...$refusals[$status]);
    }
    publish_refuse('UploadFailed', $status
        ? "The library answered with status $status"
        : "The library did not answer: error $error of curl");
}

\core\session\manager::set_user(get_admin());
publish_begin((string) getenv('FENCE'));
$course = publish_course((string) getenv('COURSE'));
publish_clean();
publish_check_space($course);
try {
    [$file, $addons] = publish_backup($course);
} catch (\Throwable $error) {
    mtrace('the backup says: ' . preg_replace('/\s+/', ' ', $error->getMessage()));
    if ($DB->is_transaction_started()) {
        $DB->force_transaction_rollback();
    }
    if ($DB->get_manager()->table_exists('backup_ids_temp')) { // otherwise Moodle complains after the last line
        $DB->get_manager()->drop_table(new xmldb_table('backup_ids_temp'));
    }
    publish_clean();
    publish_refuse('BackupFailed', 'Moodle could not make a backup of this course');
}
mtrace('backup made: ' . $file->get_filesize() . ' bytes');
$package = publish_upload($file);
publish_delete($file);
$names = ['title' => $course->fullname, 'shortname' => $course->shortname];
$site = ['branch' => intdiv((int) $CFG->branch, 100) . '.' . (int) $CFG->branch % 100, 'plugins' => $addons];
$json = fn(array $part): string => substr(json_encode($part, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), 1, -1);
echo 'published {', $json($package + $names), ',"moodle":', sprintf('%.2f', $CFG->version), ',', $json($site), "}\n";
