/**
 * Decides whether a database row is older than its site record. Reads which fields users changed after the database
 * was restored: until jobs may run again, users can change some fields of a row, but the others stay outdated.
 */
import type { RowQueries } from "#lib/drivers/db/database.ts";

interface RowVersion {
  readonly namespaceUid: string | null;
  readonly updatedAt: Date;
  /** The row's `updatedAt` in the database backup. Null once the restored database may run jobs again. */
  readonly backupUpdatedAt: Date | null;
}

export function isRowOutdated(
  { namespaceUid, backupUpdatedAt, updatedAt }: RowVersion,
  namespace: { readonly uid: string },
  siteRecord: { readonly updatedAt: Date },
): boolean {
  return namespaceUid !== namespace.uid || (backupUpdatedAt ?? updatedAt) < siteRecord.updatedAt;
}

/** Fields that users changed after the database was restored, by hub or spoke ID. They are newer than site records. */
export type ChangesAfterRestore = ReadonlyMap<string, ReadonlySet<string>>;

export async function readChangesAfterRestore(
  rows: RowQueries,
  since: Date | null,
  id?: string,
): Promise<ChangesAfterRestore> {
  if (since === null) return new Map();
  const changes = await rows.selectFrom("audit_events").select(["objectId", "metadata"])
    .where("kind", "in", ["spoke_updated", "federation_updated"]).where("at", ">=", since)
    .$if(id !== undefined, (all) => all.where("objectId", "=", id!)).execute();
  const changesByObject = Map.groupBy(changes, ({ objectId }) => objectId);
  const fields = ({ metadata }: (typeof changes)[number]) => Object.keys(metadata["changed"] ?? {});
  return new Map([...changesByObject].map(([of, all]) => [of, new Set(all.flatMap(fields))]));
}

/** Returns the fields of the row that users changed after the database was restored, with their current values. */
export function pickValuesChangedAfterRestore<R extends { readonly id: string }>(
  row: R,
  changed: ChangesAfterRestore,
): Partial<R> {
  const fields = changed.get(row.id) ?? new Set();
  return Object.fromEntries(Object.entries(row).filter(([field]) => fields.has(field))) as Partial<R>;
}
