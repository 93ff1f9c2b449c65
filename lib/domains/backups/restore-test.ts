/**
 * Whether a site that was made from a backup proves it, and when backups are put to the proof. Pure.
 *
 * People work on while a backup is taken. So it is counted right before and right after, and what the backup has must lie
 * between the two.
 */
import type { FilesCheck, SiteCounts, SiteIdentity } from "#lib/moodle/results.ts";

/** What was counted when the backup was taken. */
export interface CountsAroundBackup {
  readonly before: SiteCounts;
  readonly after: SiteCounts;
}

/** What is kept of a success. */
export interface RestoreTestResult {
  /** As they were found in the restored site; null where its Job does not count. */
  readonly courses: number | null;
  readonly users: number | null;
  /** From the beginning of the drill until the login page answered: what a recovery takes. */
  readonly seconds: number;
  /** Whether they could be compared with what was counted when the backup was taken. */
  readonly compared: boolean;
  /**
   * Uploaded files that the database names, all found with their size, and how many of them were read and hashed. Null for
   * an older result, and where the site keeps its files in another store.
   */
  readonly files?: number | null;
  readonly hashed?: number | null;
  /** The release of the code, which is that of the database. Null for an older result, and where no code is on the volume. */
  readonly codeRelease?: string | null;
}

export interface ExpectedData {
  /** Null where nobody has noted it. */
  readonly siteIdentifier: string | null;
  readonly counts: CountsAroundBackup | null;
}

/** What is wrong with the data that a backup gave, by a code and in a sentence; null where it is what it should be. */
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
      sentence: `it has ${counts[what]} ${what}, where ${expectedCount} were counted as it was taken`,
    };
  }
  return null;
}

interface RestoreTestProblem {
  readonly code: string;
  readonly sentence: string;
}

/** What is wrong with the files and the code of a restored site; null where they fit the database. */
export function findFileProblem(
  check: FilesCheck,
  site: Pick<SiteIdentity, "version" | "release">,
): RestoreTestProblem | null {
  const { files, missing, otherSize, otherContent, hasDirectory, elsewhere, examples, codeVersion, codeRelease } =
    check;
  if (codeVersion !== null && site.version !== null && Number(codeVersion) !== Number(site.version)) {
    const sentence = `its code is of ${codeRelease ?? codeVersion}, and its database of ${
      site.release ?? site.version
    }`;
    return { code: "OtherCode", sentence };
  }
  if (elsewhere) return null;
  if (!hasDirectory) {
    const sentence =
      `the directory of its uploaded files, moodledata/filedir, is missing (the database names ${files})`;
    return { code: "FilesMissing", sentence };
  }
  const parts = [
    [missing, "are missing"],
    [otherSize, "have another size"],
    [otherContent, "have another content"],
  ] as const;
  const wrong = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (wrong.length === 0) return null;
  const example = examples[0] === undefined ? "" : `, for example ${examples[0]}`;
  return { code: "FilesMissing", sentence: `of ${files} uploaded files ${wrong.join(", ")}${example}` };
}
