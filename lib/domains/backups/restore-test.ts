/**
 * Checks the data of a site that was restored from a backup. Users can change a site while its backup is taken, so the
 * restored site's counts must lie between those taken right before and right after the backup.
 */
import type { FilesCheck, SiteCounts, SiteIdentity } from "#lib/moodle/job-results.ts";

/** The numbers of courses and users, counted right before and right after the backup was taken. */
export interface CountsAroundBackup {
  readonly before: SiteCounts;
  readonly after: SiteCounts;
}

export interface RestoreTestResult {
  /** The numbers of courses and users on the restored site. Null if the site's check does not count them. */
  readonly courses: number | null;
  readonly users: number | null;
  /** Seconds from the start of the test until the login page answered, as an estimate of the recovery time. */
  readonly seconds: number;
  /** Whether the restored site's counts were compared with the backup's. Old backups may have no counts. */
  readonly compared: boolean;
  /**
   * Number of uploaded files listed in the database, all found with the right size, and how many of them were hashed.
   * Null for older results, and for sites that store their files elsewhere.
   */
  readonly files?: number | null;
  readonly hashed?: number | null;
  /** Moodle's release according to its code and database. Null for older results, or if the volume has no code. */
  readonly codeRelease?: string | null;
}

export interface ExpectedData {
  /** The identifier that the site had when the backup was taken. Null if it was not recorded. */
  readonly siteIdentifier: string | null;
  readonly counts: CountsAroundBackup | null;
}

/** Returns what is wrong with the restored data. Null if the data is as expected. */
export function findDataProblem(
  { state, siteIdentifier, counts }: SiteIdentity,
  expected: ExpectedData,
): { readonly code: string; readonly sentence: string } | null {
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

interface RestoreTestProblem {
  readonly code: string;
  readonly sentence: string;
}

/** Returns what is wrong with the restored files and code. Null if they match the restored database. */
export function findFileProblem(
  check: FilesCheck,
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
