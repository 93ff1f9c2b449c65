/** Declares operations that run short tasks on a site, for example a backup. They do not change the spoke's state. */
import { declareOperation } from "#lib/operations/operation.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

export const purgeCaches = declareOperation({
  name: "purge-caches",
  isAction: true,
  verbPhrase: "purge the caches of",
  from: ["active"],
  describe: () => ["A Job empties Moodle's caches; the first pages after it take longer"],
  plan: { version: 1, limit: HOUR, steps: { purge: ["Purging caches", 10 * MINUTE] } },
});

/** Runs Moodle's scheduled tasks. The timeout exceeds the hour that they may take. */
export const runCron = declareOperation({
  name: "run-cron",
  isAction: true,
  verbPhrase: "run the scheduled tasks of",
  from: ["active"],
  maintenanceRefusal: "turn that off first",
  describe: () => ["A Job runs Moodle's scheduled tasks once, in addition to the regular runs"],
  plan: { version: 1, limit: 2 * HOUR, steps: { run: ["Running scheduled tasks", 70 * MINUTE] } },
});

export const resetAdminPassword = declareOperation({
  name: "reset-admin-password",
  isAction: true,
  verbPhrase: "reset the administrator's password of",
  from: ["active"],
  describe:
    () => ["The Secret admin gets a new password; a Job sets it in Moodle and ends that administrator's sessions"],
  plan: {
    version: 1,
    limit: HOUR,
    steps: { secret: ["Creating a new password", MINUTE], account: ["Setting it in Moodle", 12 * MINUTE] },
  },
});

export const backup = declareOperation({
  name: "backup",
  isAction: true,
  verbPhrase: "back up",
  from: ["active", "suspended"],
  describe: () => ["A snapshot of each volume is taken; then expired snapshots are removed"],
  plan: {
    version: 1,
    limit: 2 * HOUR,
    steps: {
      snapshots: ["Taking snapshots of the volumes", 30 * MINUTE],
      retention: ["Removing expired backups", 10 * MINUTE],
    },
  },
});
