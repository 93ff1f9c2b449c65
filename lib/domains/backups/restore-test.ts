/**
 * Checks the data of a site that was restored from a backup. Users can change a site during a backup, so the restored
 * numbers of courses and users must lie between the numbers counted right before and right after the backup.
 */
import type { RefusalCode } from "#lib/base/refusals.ts";
import type { CourseAndUserCounts, FilesCheckResult, SiteIdentity } from "#lib/moodle/job-results.ts";

/** The numbers of courses and users, counted right before and right after the backup was taken. */
export interface CountsAroundBackup {
  readonly before: CourseAndUserCounts;
  readonly after: CourseAndUserCounts;
}

export interface RestoreTestResult {
  /** The numbers of courses and users on the restored site. Null if the check does not count courses and users. */
  readonly courses: number | null;
  readonly users: number | null;
  /** Seconds from the start of the test until the login page responded: an estimate of how long a restore takes. */
  readonly seconds: number;
  /** Whether the numbers of courses and users were compared with the backup. Old backups may have no such numbers. */
  readonly compared: boolean;
  /**
   * `files`: how many uploaded files the database lists; all were found with the right size. `hashed`: how many of them
   * were also compared by hash. Null for older results, and for sites with an external file store.
   */
  readonly files?: number | null;
  readonly hashed?: number | null;
  /** The Moodle release of the code and the database. Null for older results, or if the volume has no code. */
  readonly codeRelease?: string | null;
}

export interface ExpectedSiteData {
  /** The site's identifier when the backup was taken. Null if the identifier was not recorded. */
  readonly siteIdentifier: string | null;
  readonly counts: CountsAroundBackup | null;
}

interface RestoreTestProblem {
  readonly code: RefusalCode;
  readonly sentence: string;
}

/** Returns the first difference between the restored and the expected data, or null if they are equal. */
export function findRestoredDataProblem(
  { state, siteIdentifier, counts }: SiteIdentity,
  expected: ExpectedSiteData,
): RestoreTestProblem | null {
  if (state !== "installed") return { code: "NotInstalled", sentence: "its database has no complete site" };
  if (expected.siteIdentifier !== null && siteIdentifier !== expected.siteIdentifier) {
    return { code: "AnotherSite", sentence: "its database belongs to another site" };
  }
  if (counts === null || expected.counts === null) return null;
  const { before, after } = expected.counts;
  for (const what of ["courses", "users"] as const) {
    const minimum = Math.min(before[what], after[what]), maximum = Math.max(before[what], after[what]);
    if (counts[what] >= minimum && counts[what] <= maximum) continue;
    const expectedCount = minimum === maximum ? String(minimum) : `${minimum} to ${maximum}`;
    return {
      code: "OtherCounts",
      sentence: `it has ${counts[what]} ${what}, but ${expectedCount} were counted during the backup`,
    };
  }
  return null;
}

/** Returns the first problem with the restored files or code, or null if both match the restored database. */
export function findRestoredFilesProblem(
  check: FilesCheckResult,
  site: Pick<SiteIdentity, "version" | "release">,
): RestoreTestProblem | null {
  const { files, missing, otherSize, otherContent, hasDirectory, elsewhere, examples, codeVersion, codeRelease } =
    check;
  if (codeVersion !== null && site.version !== null && Number(codeVersion) !== Number(site.version)) {
    const sentence = `its code has the version ${codeRelease ?? codeVersion}, but its database has ${
      site.release ?? site.version
    }`;
    return { code: "OtherCode", sentence };
  }
  if (elsewhere) return null;
  if (!hasDirectory) {
    const sentence =
      `the directory of its uploaded files, moodledata/filedir, is missing (the database lists ${files})`;
    return { code: "FilesMissing", sentence };
  }
  const parts = [
    [missing, "are missing"],
    [otherSize, "have a different size"],
    [otherContent, "have different content"],
  ] as const;
  const wrong = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (wrong.length === 0) return null;
  const example = examples[0] === undefined ? "" : `, for example ${examples[0]}`;
  return { code: "FilesMissing", sentence: `of ${files} uploaded files ${wrong.join(", ")}${example}` };
}
