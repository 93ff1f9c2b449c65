/** What the Jobs' last log lines mean. */

/** What a spoke's database says of the site in it. */
export interface SiteIdentity {
  /**
   * Nothing there; a site; or what an interrupted install left behind, which must be reset before the next. That one was
   * attempted is enough: a reset that was killed has dropped the tables, and what it had still to remove is in the files.
   */
  readonly state: "empty" | "installed" | "partial";
  /** Moodle's own name for this very site: another one means that the data is not what it was. */
  readonly siteIdentifier: string | null;
  /** The number that upgrades go by, such as 2024100712. */
  readonly version: string | null;
  /** The same for people, such as 4.5.12 (Build: 20261005). */
  readonly release: string | null;
  /**
   * Until when the site refuses everything because of an upgrade, in seconds since 1970; it stays after one that was
   * killed.
   */
  readonly lockedUntil: number | null;
  /** Null where the Job did not count. */
  readonly counts: SiteCounts | null;
}

/** What a person would count to see whether a site is whole. */
export interface SiteCounts {
  readonly courses: number;
  /** Without those that were deleted, and the guest. */
  readonly users: number;
}

/** What lies in an image, in the numbers and words of a Site. */
export interface Code {
  readonly version: string | null;
  readonly release: string | null;
}

/** Reads the verify Job's log. */
export function readSite(log: readonly string[]): SiteIdentity {
  const values = readValues(log);
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

/** Reads what facts.php has printed; null where the Job did not come to that. */
export function readSiteFacts(log: readonly string[]): SiteIdentity | null {
  return readValues(log).has("rolesactive") ? readSite(log) : null;
}

/** Reads the preflight Job's log; null where the image keeps its code elsewhere. */
export function readCode(log: readonly string[]): Code | null {
  const values = readValues(log);
  const version = values.get("version") || null, release = values.get("release") || null;
  return version === null && release === null ? null : { version, release };
}

/** The comparison of a site's uploaded files with its database, and the version of the code beside them. */
export interface FilesCheck {
  /** Distinct contents that the database names, in bytes together, and how many of them were read and hashed. */
  readonly files: number;
  readonly bytes: number;
  readonly hashed: number;
  /** Contents that are not there, have another size, or have another hash. */
  readonly missing: number;
  readonly otherSize: number;
  readonly otherContent: number;
  /** Missing contents that were uploaded while the backup was taken. */
  readonly newer: number;
  /** False where the directory of uploaded files does not exist. */
  readonly hasDirectory: boolean;
  /** Whether the site keeps its files in another store, which was not looked at. */
  readonly elsewhere: boolean;
  /** Hashes of contents that are wrong, three at most. */
  readonly examples: readonly string[];
  /** Of the code on the volume; null where no version.php is there. */
  readonly codeVersion: string | null;
  readonly codeRelease: string | null;
}

/** Reads the log of the Job `verify-files`; null where it did not come to its end. */
export function readFilesCheck(log: readonly string[]): FilesCheck | null {
  if (!log.some((line) => line.trim() === "verified")) return null;
  const values = readValues(log), count = (name: string) => Number(values.get(name) ?? 0);
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

function readValues(log: readonly string[]): Map<string, string> {
  return new Map(log.map((line) => {
    const at = line.indexOf("|");
    return [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()] as const;
  }));
}

/** The HTTP status that the login page answered last, or null when it did not answer. */
export function readHealth(log: readonly string[]): number | null {
  const statuses = log.map((line) => line.trim()).filter((line) => /^\d{3}$/.test(line)).map(Number);
  return statuses.at(-1) || null; // curl prints 000 for no answer
}

export interface Seeding {
  /** Whether the Job came to its end. */
  readonly seeded: boolean;
  readonly done: readonly string[];
  /** What could not be done, and is worth a note on the operation. */
  readonly leftOut: readonly string[];
}

const LEFT_OUT = "left out: ";
/** What the Job settle says besides: of the database, and of the login page. */
const FACT = /^(?:\w+\|.*|\d{3})$/;

/** Reads the log of the Jobs seed and settle. */
export function readSeed(log: readonly string[]): Seeding {
  const lines = log.map((line) => line.trim()).filter((line) => line !== "" && !FACT.test(line));
  return {
    seeded: lines.includes("seeded"),
    done: lines.filter((line) => line !== "seeded" && !line.startsWith(LEFT_OUT)),
    leftOut: lines.filter((line) => line.startsWith(LEFT_OUT)).map((line) => line.slice(LEFT_OUT.length)),
  };
}

export interface PasswordReset {
  /** Whether Secret and account were seen to agree, at the end. */
  readonly agreed: boolean;
  /** Whether the site has mailed its administrator a link. */
  readonly mailed: boolean;
  /** Why the account can have no password, in words; null where nothing is against it. */
  readonly refused: string | null;
}

const REFUSED = "refused: ";

/** Reads the password Job's log. */
export function readPasswordReset(log: readonly string[]): PasswordReset {
  const lines = log.map((line) => line.trim());
  const refused = lines.find((line) => line.startsWith(REFUSED));
  return {
    agreed: lines.includes("agreed"),
    mailed: lines.includes("mailed"),
    refused: refused === undefined ? null : refused.slice(REFUSED.length),
  };
}
