/**
 * Whether a row is older than what stands in the cluster, and what of it is newer all the same: while a database is held it
 * keeps what is asked for, which says nothing of what happened between its backup and its loss.
 */
import type { Rows } from "#lib/drivers/db/database.ts";

interface Dated {
  readonly namespaceUid: string | null;
  readonly updatedAt: Date;
  /** As it was in the backup, while the database is held. */
  readonly asOf: Date | null;
}

export function isBehind(
  { namespaceUid, asOf, updatedAt }: Dated,
  namespace: { readonly uid: string },
  particulars: { readonly updatedAt: Date },
): boolean {
  return namespaceUid !== namespace.uid || (asOf ?? updatedAt) < particulars.updatedAt;
}

/** By the ids of spokes and hubs: the fields that people have changed since the restore. No particulars are newer than these. */
export type Wishes = ReadonlyMap<string, ReadonlySet<string>>;

export async function readWishes(rows: Rows, since: Date | null, id?: string): Promise<Wishes> {
  if (since === null) return new Map();
  const changes = await rows.selectFrom("audit_events").select(["objectId", "metadata"])
    .where("kind", "in", ["spoke_updated", "federation_updated"]).where("at", ">=", since)
    .$if(id !== undefined, (all) => all.where("objectId", "=", id!)).execute();
  const ofEach = Map.groupBy(changes, ({ objectId }) => objectId);
  const fields = ({ metadata }: (typeof changes)[number]) => Object.keys(metadata["changed"] ?? {});
  return new Map([...ofEach].map(([of, all]) => [of, new Set(all.flatMap(fields))]));
}

/** Of a row, what `wishes` names. */
export function wished<R extends { readonly id: string }>(row: R, wishes: Wishes): Partial<R> {
  const fields = wishes.get(row.id) ?? new Set();
  return Object.fromEntries(Object.entries(row).filter(([field]) => fields.has(field))) as Partial<R>;
}
