/**
 * Manages the hold that keeps replicas from running jobs after the database was restored from a backup. The restored
 * data may be older than the clusters, so the hold lasts until an operator compares the database with the clusters
 * (`wheelwright doctor --reconcile`).
 */
import { sql } from "kysely";
import type { Database, RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

const POLL_INTERVAL = 2 * SECOND;

export interface DatabaseHold {
  /** When the restored backup was taken. */
  readonly takenAt: Date;
  readonly restoredAt: Date;
}

/** Returns the current hold on the database; null if jobs may run. */
export async function readDatabaseHold(rows: RowQueries): Promise<DatabaseHold | null> {
  const row = await rows.selectFrom("database_restores").select(["takenAt", "restoredAt"]).where(
    "releasedAt",
    "is",
    null,
  )
    .orderBy("restoredAt", "desc").executeTakeFirst();
  return row ?? null;
}

/** Releases the database hold, so that jobs run again. Returns null if there is none. Call last in a transaction. */
export async function releaseDatabaseHold(tx: Tx, requester: Requester): Promise<DatabaseHold | null> {
  // Releases the database hold only if it still exists, so that only one of several concurrent callers succeeds.
  const released = await tx.updateTable("database_restores").set({ releasedAt: sql<Date>`wheelwright_now()` })
    .where("releasedAt", "is", null).returning(["takenAt", "restoredAt"]).execute();
  const hold = released.toSorted((a, b) => Number(b.restoredAt) - Number(a.restoredAt))[0];
  if (!hold) return null;
  for (const table of ["federations", "spokes"] as const) {
    await tx.updateTable(table as "spokes").set({ backupUpdatedAt: null }).where("backupUpdatedAt", "is not", null)
      .execute();
  }
  tx.wakes.add("jobs");
  const metadata = { takenAt: hold.takenAt.toISOString() };
  await recordChange(tx, requester, {
    audit: [{ kind: "database_released", objectType: "database", objectId: "wheelwright", metadata }],
  });
  return hold;
}

export function describeDatabaseHold({ takenAt }: DatabaseHold): string {
  const time = takenAt.toISOString().slice(0, 16).replace("T", " ");
  return `Operations are paused, because the database was restored to ${time} UTC; ` +
    "run wheelwright doctor --reconcile to compare it with the clusters";
}

export interface DatabaseHoldWatch {
  /** Returns the database hold that the last poll found; null if it found none. */
  current(): DatabaseHold | null;
  close(): void;
}

/** Polls for a database hold and logs each change, because the database may be restored while a replica runs. */
export async function watchDatabaseHold(db: Pick<Database, "rows">, log: Log): Promise<DatabaseHoldWatch> {
  const end = new AbortController();
  let hold: DatabaseHold | null = null;
  update(await readDatabaseHold(db.rows));
  watch().catch(() => {}); // closed

  async function watch(): Promise<void> {
    for (;;) {
      await sleep(POLL_INTERVAL, end.signal);
      update(await readDatabaseHold(db.rows).catch(() => hold));
    }
  }

  function update(current: DatabaseHold | null): void {
    if (current && !hold) log.warn(describeDatabaseHold(current));
    if (hold && !current) log.info("The database hold was released; operations run again");
    hold = current;
  }

  return { current: () => hold, close: () => end.abort() };
}
