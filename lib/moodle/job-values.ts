/** Computes the placeholder values for the Jobs of a blueprint. */
import type { WantedAddon } from "#lib/model/addon.ts";
import type { BlueprintJobName } from "#lib/moodle/blueprint-files.ts";
import { type BlueprintScripts, toPhpCommandArgument } from "#lib/moodle/parse-blueprint.ts";
import type { PlaceholderValues } from "#lib/moodle/render.ts";

export interface JobParameters {
  /** The public key with which the Job `sign-in-link` encrypts its result. */
  readonly linkKey?: string;
  /** The identity provider that the Job `check-sign-in` checks, and the ID of the request that waits for the Job. */
  readonly issuer?: string;
  /** Whether the sites register their own clients at this provider. */
  readonly registers?: boolean;
  readonly request?: string;
  /** The email address of the person that the Job suspends or reinstates. */
  readonly email?: string;
  /** The course that the Job `publish-course` publishes, and the name and the ticket of its upload to the library. */
  readonly course?: string;
  readonly upload?: string;
  readonly ticket?: string;
  /** The courses that the Job `deliver-courses` brings, as JSON, and the URL of the library. */
  readonly courses?: string;
  readonly libraryUrl?: string;
  /** The Moodle site identifier that the Job `setup` expects to find in the database, if known. */
  readonly siteIdentifier?: string;
  /** The start time of the backup that the Job `verify-files` checks, as a Unix timestamp in seconds. */
  readonly since?: number;
  /** The add-ons that the site should have. */
  readonly addons?: readonly WantedAddon[];
  /** Whether the site stays in maintenance mode after its add-ons have changed. */
  readonly maintenance?: boolean;
}

/** Returns the placeholder values of a Job. */
export function buildJobValues(
  scripts: BlueprintScripts,
  job: BlueprintJobName,
  fence: string,
  parameters: JobParameters,
): PlaceholderValues {
  const { linkKey = "", issuer = "", request = "", email = "", siteIdentifier = "", since = 0 } = parameters;
  const {
    registers = false,
    course = "",
    courses = "",
    libraryUrl = "",
    upload = "",
    ticket = "",
    addons = [],
    maintenance,
  } = parameters;
  return {
    ...{ JOB: job, FENCE: fence },
    CLAIM: job === "claim" ? fence : "0",
    PERSON_ACTION: job === "suspend-person" ? "suspend" : "reinstate",
    ADDONS_MODE: job === "addons-check" ? "check" : "apply",
    MAINTENANCE: job === "maintenance-enable" ? "enable" : "disable",
    PASSWORD_SCRIPT: toPhpCommandArgument(scripts.password),
    LINK_SCRIPT: toPhpCommandArgument(scripts.link),
    LINK_KEY: linkKey,
    CHECK_SIGN_IN_SCRIPT: toPhpCommandArgument(scripts.signOn) + toPhpCommandArgument(scripts.checkSignIn),
    ISSUER: escapeForKubelet(issuer),
    REGISTERS: registers ? "yes" : "no",
    PERSON_SCRIPT: toPhpCommandArgument(scripts.person),
    EMAIL: escapeForKubelet(email),
    PUBLISH_COURSE_SCRIPT: toPhpCommandArgument(scripts.publishCourse),
    DELIVER_COURSES_SCRIPT: toPhpCommandArgument(scripts.deliverCourses),
    COURSE: escapeForKubelet(course),
    COURSES: escapeForKubelet(courses),
    LIBRARY_URL: libraryUrl,
    UPLOAD: upload,
    TICKET: ticket,
    ADDONS_SCRIPT: toPhpCommandArgument(scripts.addons),
    ADDONS: escapeForKubelet(JSON.stringify(addons)),
    MAINTENANCE_AFTER: maintenance ? "on" : "off",
    REQUEST: request,
    FACTS_SCRIPT: toPhpCommandArgument(scripts.facts),
    SITE_IDENTIFIER: siteIdentifier,
    VERIFY_FILES_SCRIPT: toPhpCommandArgument(scripts.verifyFiles),
    SINCE: String(since),
  };
}

/** Escapes a text in a container's environment, because the kubelet would expand `$(NAME)`. */
function escapeForKubelet(text: string): string {
  return text.replaceAll("$(", "$$$$(");
}
