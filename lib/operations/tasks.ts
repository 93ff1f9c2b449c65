/** Declares operations that run short tasks on a site, for example a backup. They do not change the spoke's state. */
import * as v from "valibot";
import { EmailAddress } from "#lib/base/schema.ts";
import { PublishedPackage } from "#lib/moodle/course-jobs.ts";
import { CourseAndUserCounts } from "#lib/moodle/job-results.ts";
import { declareOperation } from "#lib/operations/operation.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

export const purgeCaches = declareOperation({
  name: "purge-caches",
  action: { summary: "Purge Moodle's caches." },
  verbPhrase: "purge the caches of",
  from: ["active"],
  describe: () => ["A Job purges Moodle's caches; the first pages load more slowly afterwards"],
  plan: { version: 1, limit: HOUR, steps: { purge: ["Purging caches", 10 * MINUTE] } },
});

/** Runs Moodle's scheduled tasks. The tasks may take an hour, so the timeout is longer than that. */
export const runCron = declareOperation({
  name: "run-cron",
  action: { summary: "Run Moodle's scheduled tasks now." },
  verbPhrase: "run the scheduled tasks of",
  from: ["active"],
  maintenanceRefusal: "turn maintenance mode off first",
  describe: () => ["A Job runs Moodle's scheduled tasks once, in addition to the regular runs"],
  /** The name of the Kubernetes Job that this operation created. */
  progress: { cronJob: v.string() },
  plan: { version: 1, limit: 2 * HOUR, steps: { run: ["Running scheduled tasks", 70 * MINUTE] } },
});

export const resetAdminPassword = declareOperation({
  name: "reset-admin-password",
  action: {
    summary: "Set a new password for the site's admin account and end the account's sessions.",
    individual: true,
  },
  verbPhrase: "reset the administrator password of",
  from: ["active"],
  describe:
    () => ['The Secret "admin" gets a new password; a Job sets it in Moodle and ends all sessions of that account'],
  plan: {
    version: 1,
    limit: HOUR,
    steps: { secret: ["Creating a new password", MINUTE], account: ["Setting the password in Moodle", 12 * MINUTE] },
  },
});

export const backup = declareOperation({
  name: "backup",
  action: { summary: "Take a backup of the site's files and database now." },
  verbPhrase: "back up",
  from: ["active", "suspended"],
  describe: () => ["A snapshot of each volume is taken; then expired snapshots are removed"],
  /** The payload is empty if a user requested the backup. */
  payload: v.object({ kind: v.optional(v.literal("nightly")) }),
  /** The numbers of courses and users before the backup; null if they could not be counted. */
  progress: { counted: v.nullable(CourseAndUserCounts) },
  plan: {
    version: 1,
    limit: 2 * HOUR,
    steps: {
      snapshots: ["Taking snapshots of the volumes", 30 * MINUTE],
      retention: ["Removing expired backups", 10 * MINUTE],
    },
  },
});

export const PERSON_PARAMETERS = {
  email: {
    schema: EmailAddress,
    required: true,
    catalogued: null,
    label: "Email address",
    hint: "The person's email address",
    example: "cy@school.example",
  },
} as const;

export const suspendPerson = declareOperation({
  name: "suspend-person",
  action: {
    summary: "Suspend a person by email address, and end the person's sessions.",
    parameters: PERSON_PARAMETERS,
  },
  verbPhrase: "suspend a person on",
  from: ["active"],
  repeatable: true,
  payload: v.object({ email: v.string() }),
  describe: ({ payload: { email } }) => [
    `A Job suspends the accounts of ${email} and ends their sessions; administrators of the site are refused`,
  ],
  plan: { version: 1, limit: HOUR, steps: { person: ["Suspending the person", 12 * MINUTE] } },
});

export const reinstatePerson = declareOperation({
  name: "reinstate-person",
  action: {
    summary: "Let a person sign in again after suspend-person.",
    parameters: PERSON_PARAMETERS,
  },
  verbPhrase: "reinstate a person on",
  from: ["active"],
  repeatable: true,
  payload: v.object({ email: v.string() }),
  describe: ({ payload: { email } }) => [
    `A Job lets the accounts of ${email} sign in again that suspend-person had suspended`,
  ],
  plan: { version: 1, limit: HOUR, steps: { person: ["Reinstating the person", 12 * MINUTE] } },
});

export const publishCourse = declareOperation({
  name: "publish-course",
  verbPhrase: "publish a course of",
  from: ["active"],
  repeatable: true,
  /** The short name of the course; the hub's course that gets the version; whether the spokes get it at once. */
  payload: v.object({ course: v.string(), courseId: v.optional(v.string()), deliver: v.boolean() }),
  progress: {
    /** The package in the library. */
    published: PublishedPackage,
    /** The version that the hub has got. */
    release: v.string(),
  },
  plan: {
    version: 1,
    limit: 4 * HOUR,
    steps: {
      library: ["Preparing the hub's library", 20 * MINUTE],
      package: ["Making a package of the course", 70 * MINUTE],
      store: ["Adding the version to the hub", MINUTE],
      deliver: ["Offering the version to the spokes", MINUTE],
    },
  },
});
