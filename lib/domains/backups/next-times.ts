/** Stores when the next nightly backups of spokes start. */
import { sql } from "kysely";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { toBackupWindow } from "#lib/catalog/tier.ts";
import { computeNextBackupTime } from "#lib/domains/backups/schedule.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";

/** Stores the next time after `now` for each spoke, in the window of its hub's tier. */
export async function setNextBackupTimes(
  tx: Tx,
  { tierOf }: Pick<Catalog, "tierOf">,
  spokes: readonly Pick<SpokeRow, "id" | "federationId">[],
  now: Date | undefined,
): Promise<void> {
  if (!now) return;
  const ids = spokes.map(({ id }) => id), hubIds = [...new Set(spokes.map(({ federationId }) => federationId))];
  const hubs = await tx.selectFrom("federations").select(["id", "tier"]).where("id", "in", hubIds).execute();
  const windows = new Map(hubs.map(({ id, tier }) => [id, toBackupWindow(tierOf(tier))]));
  const times = spokes.map(({ id, federationId }) =>
    computeNextBackupTime(id, now, windows.get(federationId) ?? null).toISOString()
  );
  await sql`update spokes set backup_due_at = next.at
    from unnest(${ids}::text[], ${times}::timestamptz[]) as next (id, at) where spokes.id = next.id`.execute(tx);
}
