/** Parses the logs of the Kubernetes Jobs that install, check and change a Moodle site. */
import * as v from "valibot";

export interface SiteIdentity {
  /** The state of the database. `partial` means that an interrupted installation must be reset, even without tables. */
  readonly state: "empty" | "installed" | "partial";
  /** Moodle's unique identifier for the site. A different identifier means that the data was replaced. */
  readonly siteIdentifier: string | null;
  /** Moodle's version number, such as 2024100712. */
  readonly version: string | null;
  /** Moodle's release name, such as 4.5.12 (Build: 20261005). */
  readonly release: string | null;
  /** When Moodle's upgrade lock expires, in seconds since 1970. An upgrade that was killed leaves the lock behind. */
  readonly lockedUntil: number | null;
  /** The numbers of courses and users; null if the Job did not count them. */
  readonly counts: CourseAndUserCounts | null;
}

/** The numbers of courses and users, used to compare a restored site with the original site. */
export const CourseAndUserCounts = v.object({
  courses: v.number(),
  /** The number of users, without deleted users and the guest account. */
  users: v.number(),
});
export type CourseAndUserCounts = v.InferOutput<typeof CourseAndUserCounts>;

/** The version of the Moodle code in a container image. A field is null if its value is unknown. */
export interface CodeVersion {
  readonly version: string | null;
  readonly release: string | null;
}

export function parseSiteIdentity(log: readonly string[]): SiteIdentity {
  const values = parseValues(log);
  const names = ["attempt", "tables", "rolesactive", "siteidentifier", "version", "release"];
  const state = values.get("rolesactive") === "1"
    ? "installed"
    : names.some((name) => values.has(name))
    ? "partial"
    : "empty";
  const read = (name: string) => values.get(name) || null;
  return {
    state,
    siteIdentifier: read("siteidentifier"),
    version: read("version"),
    release: read("release"),
    lockedUntil: Number(read("upgraderunning")) || null,
    counts: values.has("courses") && values.has("users")
      ? { courses: Number(values.get("courses")), users: Number(values.get("users")) }
      : null,
  };
}

/** Parses the output of facts.php in the log of a Job; returns null if the log does not contain this output. */
export function parseSiteFacts(log: readonly string[]): SiteIdentity | null {
  return parseValues(log).has("rolesactive") ? parseSiteIdentity(log) : null;
}

/** Parses the log of the Job `preflight`. Returns null if the image has Moodle's code in an unexpected directory. */
export function parseCodeVersion(log: readonly string[]): CodeVersion | null {
  const values = parseValues(log);
  const version = values.get("version") || null, release = values.get("release") || null;
  return version === null && release === null ? null : { version, release };
}

/** The result of comparing a site's uploaded files with its database. */
export const FilesCheckResult = v.object({
  /** The number of distinct files in the database, their total size in bytes, and how many were compared by hash. */
  files: v.number(),
  bytes: v.number(),
  hashed: v.number(),
  /** The numbers of files that are missing, have the wrong size, or have the wrong hash. */
  missing: v.number(),
  otherSize: v.number(),
  otherContent: v.number(),
  /** The number of missing files that were uploaded while the backup was being taken. */
  newer: v.number(),
  /** Whether the directory for uploaded files exists. */
  hasDirectory: v.boolean(),
  /** Whether the site stores its uploaded files outside the volume, where the Job cannot check them. */
  elsewhere: v.boolean(),
  /** The hashes of up to three files that are missing or differ from the database. */
  examples: v.array(v.string()),
  /** The version of the Moodle code on the volume; null if version.php is missing. */
  codeVersion: v.nullable(v.string()),
  codeRelease: v.nullable(v.string()),
});
export type FilesCheckResult = v.InferOutput<typeof FilesCheckResult>;

/** Parses the log of the Job `verify-files`; returns null if the Job did not finish. */
export function parseFilesCheckResult(log: readonly string[]): FilesCheckResult | null {
  if (!log.some((line) => line.trim() === "verified")) return null;
  const values = parseValues(log), count = (name: string) => Number(values.get(name) ?? 0);
  return {
    files: count("files"),
    bytes: count("bytes"),
    hashed: count("hashed"),
    missing: count("missing"),
    otherSize: count("othersize"),
    otherContent: count("othercontent"),
    newer: count("newer"),
    hasDirectory: values.get("filedir") === "1",
    elsewhere: values.has("elsewhere"),
    examples: log.flatMap((line) => /^example\|(\S+)/.exec(line.trim())?.[1] ?? []),
    codeVersion: values.get("codeversion") || null,
    codeRelease: values.get("coderelease") || null,
  };
}

function parseValues(log: readonly string[]): Map<string, string> {
  return new Map(log.map((line) => {
    const at = line.indexOf("|");
    return [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()] as const;
  }));
}

/** Returns the last HTTP status of the login page in a Job's log; null if the web server did not respond. */
export function parseLoginPageStatus(log: readonly string[]): number | null {
  const statuses = log.map((line) => line.trim()).filter((line) => /^\d{3}$/.test(line)).map(Number);
  return statuses.at(-1) || null; // curl prints 000 if the server does not answer
}

export interface SeedResult {
  /** Whether the seed Job has finished. */
  readonly isFinished: boolean;
  readonly done: readonly string[];
  /** Descriptions of skipped parts of the seed (initial content). The operation adds the descriptions to its notes. */
  readonly skipped: readonly string[];
}

const LEFT_OUT = "left out: ";
/** Matches lines in the log of the Job `setup` that are not about the seed: database values and an HTTP status. */
const FACT = /^(?:\w+\|.*|\d{3})$/;

export function parseSeedResult(log: readonly string[]): SeedResult {
  const lines = log.map((line) => line.trim()).filter((line) => line !== "" && !FACT.test(line));
  return {
    isFinished: lines.includes("seeded"),
    done: lines.filter((line) => line !== "seeded" && !line.startsWith(LEFT_OUT)),
    skipped: lines.filter((line) => line.startsWith(LEFT_OUT)).map((line) => line.slice(LEFT_OUT.length)),
  };
}

export interface PersonResult {
  /** The number of changed accounts; null if the Job printed none. */
  readonly accounts: number | null;
  /** Whether the Job refused to suspend an administrator of the site. */
  readonly isAdministrator: boolean;
}

export function parsePersonResult(log: readonly string[]): PersonResult {
  const lines = log.map((line) => line.trim());
  const count = lines.map((line) => /^accounts: (\d{1,6})$/.exec(line)?.[1]).findLast((found) => found !== undefined);
  return {
    accounts: count === undefined ? null : Number(count),
    isAdministrator: lines.includes(`${REFUSED}administrator`),
  };
}

export interface PasswordResetResult {
  /** Whether the account now has the password that the Secret `admin` contains. */
  readonly agreed: boolean;
  /** Whether the site emailed a password reset link to its administrator. */
  readonly mailed: boolean;
  /** The reason why the account's password cannot be set; null if the password was set. */
  readonly refused: string | null;
}

const REFUSED = "refused: ";

export function parsePasswordResetResult(log: readonly string[]): PasswordResetResult {
  const lines = log.map((line) => line.trim());
  const refused = lines.find((line) => line.startsWith(REFUSED));
  return {
    agreed: lines.includes("agreed"),
    mailed: lines.includes("mailed"),
    refused: refused === undefined ? null : refused.slice(REFUSED.length),
  };
}
