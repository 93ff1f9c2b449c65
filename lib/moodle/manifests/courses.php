<?php
// Creates the initial courses of a site: empty, restored from a backup, or generated. An existing course with the same
// short name is kept. Before a course is restored or generated, the script stores a mark, and it removes the mark at
// the end. An existing mark means that an earlier run was killed. The script then deletes the incomplete course and
// creates it again.
defined('MOODLE_INTERNAL') || die();

function seed_course(array $course): void {
    global $DB;
    $shortname = $course['shortname'];
    $mark = 'making_' . sha1($shortname);
    $begun = get_config('wheelwright', $mark);
    $present = $DB->get_record('course', ['shortname' => $shortname], '*', IGNORE_MULTIPLE);
    if ($begun !== false) {
        $rest = (int) $begun > 0 ? $DB->get_record('course', ['id' => (int) $begun]) : $present;
        if ($rest && !seed_clear_course((int) $rest->id)) {
            seed_finish_course((int) $rest->id, ['shortname' => $shortname], $mark);
            mtrace('left out: course ' . $shortname . ': an incomplete course with this name is already in use');
            return;
        }
        unset_config($mark, 'wheelwright');
        $present = $DB->get_record('course', ['shortname' => $shortname], '*', IGNORE_MULTIPLE);
    }
    if ($present) {
        mtrace((int) $present->id === (int) SITEID
            ? 'left out: course ' . $shortname . ': its short name is that of the site'
            : 'course kept: ' . $shortname);
        return;
    }
    $category = (int) \core_course_category::get_default()->id;
    if (isset($course['backup'])) {
        seed_restored_course($course, $mark, $category);
    } else if (isset($course['demo'])) {
        seed_demo_course($course, $mark);
    } else {
        create_course((object) (seed_names($course) + ['category' => $category]));
        mtrace('course created: ' . $shortname);
    }
}

function seed_names(array $course): array {
    return ['shortname' => $course['shortname'], 'fullname' => $course['title'] ?? $course['shortname']];
}

/** Deletes the incomplete course from an interrupted run, unless a user has visited the course. */
function seed_clear_course(int $id): bool {
    global $DB;
    if ($DB->record_exists('user_lastaccess', ['courseid' => $id])) {
        return false;
    }
    delete_course($id, false);
    return true;
}

/** Sets the final names of a course and removes the mark "being created", in one transaction. */
function seed_finish_course(int $id, array $names, string $mark): void {
    global $DB;
    $transaction = $DB->start_delegated_transaction();
    $DB->update_record('course', (object) ($names + ['id' => $id]));
    unset_config($mark, 'wheelwright');
    $transaction->allow_commit();
    rebuild_course_cache($id, true);
}

function seed_restored_course(array $course, string $mark, int $category): void {
    global $CFG, $DB;
    $shortname = $course['shortname'];
    $file = seed_download($course['backup'], 'course.mbz');
    if ($file === null) {
        mtrace('left out: course ' . $shortname . ': its backup is missing or has another hash');
        return;
    }
    require_once($CFG->dirroot . '/backup/util/includes/restore_includes.php');
    raise_memory_limit(MEMORY_HUGE);
    set_config($mark, '0', 'wheelwright');
    $names = seed_names($course);
    $id = (int) restore_dbops::create_new_course($names['fullname'], $shortname, $category);
    set_config($mark, (string) $id, 'wheelwright'); // the backup replaces the name
    try {
        $folder = 'seed_' . $id;
        get_file_packer('application/vnd.moodle.backup')->extract_to_pathname($file, make_backup_temp_directory($folder));
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
        $restore->destroy();
    } catch (\Throwable $error) {
        mtrace('the restore says: ' . preg_replace('/\s+/', ' ', $error->getMessage()));
        if ($DB->is_transaction_started()) {
            $DB->force_transaction_rollback();
        }
        seed_clear_course($id);
        unset_config($mark, 'wheelwright');
        mtrace('left out: course ' . $shortname . ': its backup could not be restored');
        return;
    }
    seed_finish_course($id, isset($course['title']) ? $names : ['shortname' => $shortname], $mark);
    mtrace('course restored: ' . $shortname);
}

/** Uses Moodle's test course generator to create a course with random users and content. */
function seed_demo_course(array $course, string $mark): void {
    global $CFG, $DB;
    $shortname = $course['shortname'];
    set_config($mark, '0', 'wheelwright');
    $script = $CFG->dirroot . '/admin/tool/generator/cli/maketestcourse.php';
    $options = ['--shortname=' . $shortname, '--size=' . $course['demo'], '--bypasscheck', '--quiet'];
    passthru(implode(' ', array_map('escapeshellarg', [PHP_BINARY, $script, ...$options])), $status);
    $made = $DB->get_record('course', ['shortname' => $shortname], '*', IGNORE_MULTIPLE);
    if ($status !== 0 || !$made) {
        if ($made) {
            seed_clear_course((int) $made->id);
        }
        unset_config($mark, 'wheelwright');
        mtrace('left out: course ' . $shortname . ': it could not be generated');
        return;
    }
    seed_finish_course((int) $made->id, seed_names($course), $mark);
    mtrace('course generated: ' . $shortname);
}
