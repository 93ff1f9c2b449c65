/** Reads the audit log for operators, with filters for the acting user and the hub. */
import { type AuditEvent, type AuditFilter, listAuditEvents } from "#lib/audit/store.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { ListPage, ListPageRequest } from "#lib/drivers/db/pages.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { findAccount } from "#lib/domains/users/store.ts";

interface AuditQuery extends Omit<AuditFilter, "actorId" | "spokeId">, ListPageRequest {
  /** A filter for the acting user: an ID or email address, `system` or `anonymous`. */
  readonly actor?: string | undefined;
}

/** Finds audit events, newest first. Returns no events if the given user or hub does not exist. */
export async function findAuditEvents(
  rows: RowQueries,
  { actor, federationId, ...rest }: AuditQuery,
): Promise<ListPage<AuditEvent>> {
  const [actorId, hubId] = await Promise.all([userIdOf(rows, actor), hubIdOf(rows, federationId)]);
  if (actorId === null || hubId === null) return { items: [], next: null };
  return await listAuditEvents(rows, { ...rest, actorId, federationId: hubId }, rest);
}

async function userIdOf(rows: RowQueries, actor: string | undefined): Promise<string | undefined | null> {
  if (!actor?.includes("@")) return actor;
  return (await findAccount(rows, actor.toLowerCase()))?.id ?? null;
}

/** Returns the ID of the live hub with this slug, or else of the newest removed hub with this slug. */
async function hubIdOf(rows: RowQueries, name: string | undefined): Promise<string | undefined | null> {
  if (name === undefined) return undefined;
  return (await findFederation(rows, name, "shown"))?.id ?? null;
}
