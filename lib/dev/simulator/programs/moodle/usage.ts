/** Simulates usage.php, which writes what a site uses to the termination message of the pod. */
import { SECOND } from "#lib/base/time.ts";
import { parseMilliQuantityOrZero } from "#lib/dev/simulator/admission/quota.ts";
import { listPvcNames } from "#lib/dev/simulator/controllers/scheduler.ts";
import { readConfigData } from "#lib/dev/simulator/programs/environment.ts";
import { findPasswordError } from "#lib/dev/simulator/programs/moodle/database.ts";
import { listChangedSettings } from "#lib/dev/simulator/programs/moodle/shared-settings.ts";
import { getSimulatedSite, type SiteDatabase, type SiteUsage } from "#lib/dev/simulator/programs/moodle/site.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";

/** Seconds until usage.php measures again. */
const MEASURE_INTERVAL = 900;
/** The sizes in bytes of Moodle's code, of an empty moodledata and of a new database, as measured with Moodle 4.5. */
const CODE = 393_000_000, EMPTY_DATA = 2_400_000, EMPTY_DATABASE = 38_000_000;

/** Adds the termination message to the run of a program whose command also runs usage.php. */
export function withUsageMessage(context: ProgramContext, run: ProgramRun): ProgramRun {
  const { world, pod } = context, namespace = pod.metadata.namespace!, site = getSimulatedSite(world, namespace, pod);
  const now = Math.floor(world.timers.now() / SECOND), { usage: last } = site.files;
  if (last && last.at > now - MEASURE_INTERVAL) return { ...run, message: JSON.stringify(last) };
  const { database, files: { addons = [] } } = site,
    password = readConfigData(world, namespace, "Secret", "moodle")?.DB_PASS;
  if (!database || findPasswordError(database, password)) {
    return last ? { ...run, message: JSON.stringify(last) } : run;
  }
  const usage = { ...measure(context, database, now), addons, addonCount: addons.length, addonsAt: now };
  return {
    ...run,
    message: JSON.stringify(usage),
    done() {
      run.done?.();
      site.changeFiles((files) => ({ ...files, usage }));
    },
  };
}

function measure({ world, pod }: ProgramContext, database: SiteDatabase, now: number): SiteUsage {
  const { uploads = {}, accounts = {}, courses = [], tasksAt } = database;
  const content = Object.values(uploads).reduce((sum, size) => sum + size, 0);
  const [claim] = listPvcNames(pod), found = world.store.get("PersistentVolumeClaim", pod.metadata.namespace, claim!);
  const { tasks } = database, people = Object.values(accounts), folders = CODE + EMPTY_DATA + content;
  return {
    usage: 1,
    at: now,
    content,
    database: EMPTY_DATABASE,
    databaseLog: 16_777_216,
    users: people.length,
    activeUsers: people.filter(({ sessions = 0 }) => sessions > 0).length,
    courses: courses.length,
    ...(tasksAt !== undefined && { tasksAt }),
    failingTasks: tasks?.failing.length ?? 0,
    failingTaskNames: tasks?.failing.slice(0, 5) ?? [],
    tasksWaitingSince: tasks?.waitingSince ?? null,
    failedChecks: tasks?.failedChecks ?? [],
    checkedAt: now,
    changedSettings: listChangedSettings(database.config),
    workersBusy: 0,
    disk: parseMilliQuantityOrZero(found?.status?.capacity?.storage) / 1000,
    diskUsed: folders,
    foldersAt: now,
    folders,
  };
}
