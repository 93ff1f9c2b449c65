/** Chooses the restore of `wheelwright restore` for everything but a single spoke or a lost cluster. */
import type { Requester } from "#lib/audit/requester.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { runLibraryRestore } from "./restore-library.ts";
import type { RestoreOptions } from "./restore-options.ts";
import { restoreWave, type RolloutRestoreAnswer } from "./restore-rollout.ts";

export async function restoreMany(
  db: Database,
  requester: Requester,
  options: RestoreOptions,
): Promise<RolloutRestoreAnswer> {
  return await (options.library ? runLibraryRestore : restoreWave)(db, requester, options);
}
