/**
 * Whether a site that was made from a backup proves it, and when backups are put to the proof. Pure.
 *
 * People work on while a backup is taken. So it is counted right before and right after, and what the backup has must lie
 * between the two.
 */
import type { SiteCounts, SiteIdentity } from "#lib/moodle/results.ts";

/** What was counted when the backup was taken. */
export interface TwoCounts {
  readonly before: SiteCounts;
  readonly after: SiteCounts;
}

/** What is kept of a success. */
export interface Proof {
  /** As they were found in the restored site; null where its Job does not count. */
  readonly courses: number | null;
  readonly users: number | null;
  /** From the beginning of the drill until the login page answered: what a recovery takes. */
  readonly seconds: number;
  /** Whether they could be compared with what was counted when the backup was taken. */
  readonly compared: boolean;
}

export interface Expectation {
  /** Null where nobody has noted it. */
  readonly siteIdentifier: string | null;
  readonly counts: TwoCounts | null;
}

/** What is wrong with the data that a backup gave, by a code and in a sentence; null where it is what it should be. */
export function lackOfProof(
  { state, siteIdentifier, counts }: SiteIdentity,
  expected: Expectation,
): { readonly code: string; readonly sentence: string } | null {
  if (state !== "installed") return { code: "NotInstalled", sentence: "there is no whole site in its database" };
  if (expected.siteIdentifier !== null && siteIdentifier !== expected.siteIdentifier) {
    return { code: "AnotherSite", sentence: "its database is of another site" };
  }
  if (counts === null || expected.counts === null) return null;
  const { before, after } = expected.counts;
  for (const what of ["courses", "users"] as const) {
    const least = Math.min(before[what], after[what]), most = Math.max(before[what], after[what]);
    if (counts[what] >= least && counts[what] <= most) continue;
    const were = least === most ? String(least) : `${least} to ${most}`;
    return {
      code: "OtherCounts",
      sentence: `it has ${counts[what]} ${what}, where ${were} were counted as it was taken`,
    };
  }
  return null;
}
