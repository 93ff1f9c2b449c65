/**
 * Decides whether a row is older than its record in the cluster, and which fields users changed after the restore.
 * A held database accepts requests. These change fields of a row, but do not make the other fields current.
 */
import type { Rows } from "#lib/drivers/db/database.ts";

interface Dated {
  readonly namespaceUid: string | null;
  readonly updatedAt: Date;
  /** The row's `updatedAt` in the backup, while the database is held. */
  readonly backupUpdatedAt: Date | null;
}

export function isRowOutdated(
  { namespaceUid, backupUpdatedAt, updatedAt }: Dated,
  namespace: { readonly uid: string },
  particulars: { readonly updatedAt: Date },
): boolean {
  return namespaceUid !== namespace.uid || (backupUpdatedAt ?? updatedAt) < particulars.updatedAt;
}

/**
 * The fields that users changed after the restore, keyed by spoke or hub ID. Their values are newer than any record in
 * the cluster.
 */
export type ChangesAfterRestore = ReadonlyMap<string, ReadonlySet<string>>;

export async function readChangesAfterRestore(
  rows: Rows,
  since: Date | null,
  id?: string,
): Promise<ChangesAfterRestore> {
  if (since === null) return new Map();
  const changes = await rows.selectFrom("audit_events").select(["objectId", "metadata"])
    .where("kind", "in", ["spoke_updated", "federation_updated"]).where("at", ">=", since)
    .$if(id !== undefined, (all) => all.where("objectId", "=", id!)).execute();
  const ofEach = Map.groupBy(changes, ({ objectId }) => objectId);
  const fields = ({ metadata }: (typeof changes)[number]) => Object.keys(metadata["changed"] ?? {});
  return new Map([...ofEach].map(([of, all]) => [of, new Set(all.flatMap(fields))]));
}

/** Returns the fields of a row that users changed after the restore, with their values. */
export function pickChangedValues<R extends { readonly id: string }>(row: R, changed: ChangesAfterRestore): Partial<R> {
  const fields = changed.get(row.id) ?? new Set();
  return Object.fromEntries(Object.entries(row).filter(([field]) => fields.has(field))) as Partial<R>;
}
