/** Reading the audit log as operators ask for it: people by their address too, and hubs by their slug. */
import { type AuditEvent, type AuditFilter, readAudit } from "#lib/audit/store.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import type { ListPage, ListPageRequest } from "#lib/drivers/db/pages.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { findAccount } from "#lib/domains/users/store.ts";

interface AuditQuery extends Omit<AuditFilter, "actorId" | "spokeId">, ListPageRequest {
  /** An id, `system`, `anonymous`, or the address of a user. */
  readonly actor?: string | undefined;
}

/** Newest first. Whom or what there is not, nothing was done by and to. */
export async function findAudit(
  rows: Rows,
  { actor, federationId, ...rest }: AuditQuery,
): Promise<ListPage<AuditEvent>> {
  const [actorId, hubId] = await Promise.all([userIdOf(rows, actor), hubIdOf(rows, federationId)]);
  if (actorId === null || hubId === null) return { items: [], next: null };
  return await readAudit(rows, { ...rest, actorId, federationId: hubId }, rest);
}

async function userIdOf(rows: Rows, actor: string | undefined): Promise<string | undefined | null> {
  if (!actor?.includes("@")) return actor;
  return (await findAccount(rows, actor.toLowerCase()))?.id ?? null;
}

/** Of hubs that had the slug one after the other it is the live one, else the newest. */
async function hubIdOf(rows: Rows, name: string | undefined): Promise<string | undefined | null> {
  if (name === undefined) return undefined;
  return (await findFederation(rows, name, "shown"))?.id ?? null;
}
