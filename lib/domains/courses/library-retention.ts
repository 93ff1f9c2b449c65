/** Decides which backups of a hub's library to keep. Pure. */
import { DAY } from "#lib/base/time.ts";
import { selectRetainedBackups } from "#lib/domains/backups/retention.ts";
import { isUsableLibraryBackup, type LibraryBackup } from "#lib/domains/courses/library-store.ts";
import { DEFAULT_RETENTION } from "#lib/model/backup.ts";

/** How long the newest backup of a removed hub's library is kept, in days. */
export const REMOVED_LIBRARY_DAYS = 30;
/** How long a failed backup's snapshot is kept for inspection, in milliseconds. */
const FAILED_AGE = DAY;

/**
 * Returns the backups that have expired. Keeps one of each day, week and month, like the backups of spokes, and for each
 * package that the hub's courses name the newest backup that contains it.
 */
export function selectExpiredLibraryBackups(
  backups: readonly LibraryBackup[],
  named: readonly string[],
  now: Date,
): LibraryBackup[] {
  const candidates = backups.map((backup) => ({ ...backup, kind: "nightly" as const }));
  const kept = selectRetainedBackups(candidates, now, DEFAULT_RETENTION);
  for (const sha256 of named) {
    const newest = backups.find((each) => isUsableLibraryBackup(each) && each.packages.includes(sha256));
    if (newest) kept.add(newest.id);
  }
  return backups.filter(({ id, state, createdAt }) => {
    if (state === "pending") return false;
    return state === "failed" ? now.getTime() - createdAt.getTime() > FAILED_AGE : !kept.has(id);
  });
}

/** Returns the usable backup that contains most of these packages: the newest of them; null without a usable backup. */
export function chooseLibraryBackup(
  backups: readonly LibraryBackup[],
  packages: readonly string[],
): LibraryBackup | null {
  const count = (backup: LibraryBackup) => packages.filter((sha256) => backup.packages.includes(sha256)).length;
  return backups.filter(isUsableLibraryBackup).reduce<LibraryBackup | null>(
    (best, each) => best === null || count(each) > count(best) ? each : best,
    null,
  );
}
