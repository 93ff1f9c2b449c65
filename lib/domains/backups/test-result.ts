/** Interprets the result of a backup's last restore test. */
import { isUsableBackup } from "#lib/domains/backups/retention.ts";
import type { Backup } from "#lib/domains/backups/store.ts";

/** The prefix of the error message for a restore test that was skipped. */
export const SKIPPED_TEST_PREFIX = "Not tried: ";

/** Returns why the backup's last restore test failed, or null if the test succeeded or was skipped. */
export function getRestoreTestFailure({ verificationError }: Pick<Backup, "verificationError">): string | null {
  return verificationError === null || verificationError.startsWith(SKIPPED_TEST_PREFIX) ? null : verificationError;
}

/**
 * Returns the newest usable backup, or an older verified backup if the newest backup failed its restore test.
 * `backups` must be sorted newest first.
 */
export function preferVerifiedBackup(backups: readonly Backup[]): Backup | null {
  const good = backups.filter(isUsableBackup), newest = good[0] ?? null;
  if (newest === null || getRestoreTestFailure(newest) === null) return newest;
  return good.find((backup) => backup.verifiedAt !== null && getRestoreTestFailure(backup) === null) ?? newest;
}
