/** Reads the audit log for operators, who can also filter it by a user's email address or a hub's slug. */
import { type AuditEvent, type AuditFilter, listAuditEvents } from "#lib/audit/store.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import type { ListPage, ListPageRequest } from "#lib/drivers/db/pages.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { findAccount } from "#lib/domains/users/store.ts";

interface AuditQuery extends Omit<AuditFilter, "actorId" | "spokeId">, ListPageRequest {
  /** The actor of the events: a user's ID or email address, `system` or `anonymous`. */
  readonly actor?: string | undefined;
}

/** Finds audit events, newest first. Returns none if the given user or hub does not exist. */
export async function findAuditEvents(
  rows: Rows,
  { actor, federationId, ...rest }: AuditQuery,
): Promise<ListPage<AuditEvent>> {
  const [actorId, hubId] = await Promise.all([userIdOf(rows, actor), hubIdOf(rows, federationId)]);
  if (actorId === null || hubId === null) return { items: [], next: null };
  return await listAuditEvents(rows, { ...rest, actorId, federationId: hubId }, rest);
}

async function userIdOf(rows: Rows, actor: string | undefined): Promise<string | undefined | null> {
  if (!actor?.includes("@")) return actor;
  return (await findAccount(rows, actor.toLowerCase()))?.id ?? null;
}

/** Returns the ID of the live hub with this slug or, if there is none, of the newest removed hub with this slug. */
async function hubIdOf(rows: Rows, name: string | undefined): Promise<string | undefined | null> {
  if (name === undefined) return undefined;
  return (await findFederation(rows, name, "shown"))?.id ?? null;
}
