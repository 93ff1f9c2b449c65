/** Describes the result of a backup's last restore test. Pure. */
import { isGood } from "#lib/domains/backups/retention.ts";
import type { Backup } from "#lib/domains/backups/store.ts";

/** The beginning of the error of a test that did not take place. */
export const SKIPPED_PREFIX = "Not tried: ";

/** Why the last restore test failed; null where it did not, or none took place. */
export function testFailure({ proofError }: Pick<Backup, "proofError">): string | null {
  return proofError === null || proofError.startsWith(SKIPPED_PREFIX) ? null : proofError;
}

/** The newest good backup, or an older one that was verified where the newest failed its test. `backups` are newest first. */
export function preferVerified(backups: readonly Backup[]): Backup | null {
  const good = backups.filter(isGood), newest = good[0] ?? null;
  if (newest === null || testFailure(newest) === null) return newest;
  return good.find((backup) => backup.provedAt !== null && testFailure(backup) === null) ?? newest;
}
