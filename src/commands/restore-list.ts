/** Lists the backups of a spoke for `wheelwright restore --list`. */
import { listReplacedPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import { listBackups } from "#lib/domains/backups/store.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { SpokeWithHubSlug } from "#lib/domains/spokes/find-by-name.ts";
import { renderBackups } from "./restore-report.ts";

export async function renderBackupList(db: Database, spoke: SpokeWithHubSlug): Promise<string> {
  const isThere = spoke.state !== "removed";
  return renderBackups(
    await listBackups(db.rows, spoke.id),
    isThere ? await listReplacedPvcs(db.rows, spoke.id) : [],
  );
}
