/**
 * Gives and removes the roles to which a provider's groups map. Removes only roles that the provider gave, never a role
 * that a person gave. The last operator keeps the role.
 */
import { sql } from "kysely";
import type { AuditEntry } from "#lib/audit/store.ts";
import { hasOtherOperator, lockOperators } from "#lib/domains/auth/accounts.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { markHistoryAsRead } from "#lib/domains/members/history.ts";
import { keepMappedRole, listMappedRoles, recordMappedRole } from "#lib/domains/members/mapped-roles.ts";
import { addMembership, removeMembership } from "#lib/domains/members/memberships.ts";
import type { LockedUser } from "#lib/domains/users/store.ts";
import type { MappedRoles } from "#lib/openid/roles.ts";

/** The provider as the audit log names it, and its issuer, which identifies the roles that it gave. */
interface RoleSource {
  readonly provider: string;
  readonly issuer: string;
}

interface AppliedRoles {
  readonly audit: readonly AuditEntry[];
  /** Whether the user keeps the role of an operator only because no other operator exists. */
  readonly keptOperator: boolean;
}

/** The permission to remove the role of an operator, for which `lockForDemotion` has taken the lock. */
export type DemotionLock = { readonly mayDemote: boolean };

/**
 * Takes the lock for demoting an operator if this person's sign-in may remove the role. Must be called before the user's
 * row is locked, because other transactions take both locks in this order.
 */
export async function lockForDemotion(
  tx: Tx,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  roles: MappedRoles,
): Promise<DemotionLock> {
  const isMapped = await tx.selectFrom("identities").innerJoin(
    "mapped_roles as role",
    "role.userId",
    "identities.userId",
  )
    .select("role.userId").where("identities.issuer", "=", issuer).where("subject", "=", subject)
    .where("role.issuer", "=", issuer).where("role.federationId", "is", null).executeTakeFirst();
  const mayDemote = isMapped !== undefined && !roles.operator;
  if (mayDemote) await lockOperators(tx);
  return { mayDemote };
}

/** Applies the roles to a user whose row is locked. Returns the audit events, which the caller records. */
export async function applyMappedRoles(
  tx: Tx,
  user: LockedUser,
  source: RoleSource,
  roles: MappedRoles,
  { mayDemote }: DemotionLock,
): Promise<AppliedRoles> {
  const held = await listMappedRoles(tx, user.id, source.issuer);
  const audit: AuditEntry[] = [];
  const keptOperator = await applyOperator(tx, user, source, roles.operator, {
    ...{ isMapped: held.includes(null), mayDemote, audit },
  });
  const hubs = await lockHubs(tx, roles.hubs), wanted = new Set(hubs.map(({ id }) => id));
  for (const { id: federationId, slug } of hubs) {
    if (!await addMembership(tx, { federationId }, user.id)) continue;
    await recordMappedRole(tx, { userId: user.id, issuer: source.issuer, federationId });
    await markHistoryAsRead(tx, { federationId }, user.id);
    audit.push(describeMembership("federation_member_added", { federationId, slug }, user, source));
  }
  const lost = held.filter((id) => id !== null && !wanted.has(id)) as string[];
  for (const { id: federationId, slug } of await readHubs(tx, lost)) {
    await keepMappedRole(tx, user.id, federationId);
    if (!await removeMembership(tx, { federationId }, user.id)) continue;
    audit.push(describeMembership("federation_member_removed", { federationId, slug }, user, source));
  }
  return { audit, keptOperator };
}

interface OperatorState extends DemotionLock {
  /** Whether the provider gave the role that the user has. */
  readonly isMapped: boolean;
  /** The list to which the audit event of a change is added. */
  readonly audit: AuditEntry[];
}

/** Gives or removes the role of an operator. Returns whether the last operator keeps the role. */
async function applyOperator(
  tx: Tx,
  user: LockedUser,
  { provider, issuer }: RoleSource,
  wanted: boolean,
  { isMapped, mayDemote, audit }: OperatorState,
): Promise<boolean> {
  if (wanted === user.operator || !wanted && !isMapped) {
    if (isMapped && !user.operator) await keepMappedRole(tx, user.id, null); // a person has removed the role
    return false;
  }
  if (wanted) await recordMappedRole(tx, { userId: user.id, issuer, federationId: null });
  else if (!mayDemote) return false; // another request has just given the role; the next sign-in decides
  else if (!await hasOtherOperator(tx, user.id)) return true;
  else await keepMappedRole(tx, user.id, null);
  await tx.updateTable("users").set({ operator: wanted, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", user.id).execute();
  tx.wakes.add(`user:${user.id}`); // makes the user's event streams check the user's permissions again
  const metadata = { changed: { operator: wanted }, provider };
  audit.push({ kind: "user_updated", objectType: "user", objectId: user.id, metadata });
  return false;
}

interface Hub {
  readonly id: string;
  readonly slug: string;
}

/** Finds the hubs with these slugs, and locks them against removal. Slugs without a hub are ignored. */
async function lockHubs(tx: Tx, slugs: readonly string[]): Promise<Hub[]> {
  if (slugs.length === 0) return [];
  return await tx.selectFrom("federations").select(["id", "slug"]).where("slug", "in", slugs)
    .where("state", "not in", ["removing", "removed"]).orderBy("id").forKeyShare().execute();
}

async function readHubs(rows: RowQueries, ids: readonly string[]): Promise<Hub[]> {
  if (ids.length === 0) return [];
  return await rows.selectFrom("federations").select(["id", "slug"]).where("id", "in", ids).orderBy("id").execute();
}

function describeMembership(
  kind: "federation_member_added" | "federation_member_removed",
  { federationId, slug }: { readonly federationId: string; readonly slug: string },
  { id: userId, email }: LockedUser,
  { provider }: RoleSource,
): AuditEntry {
  const metadata = { slug, userId, email, provider };
  return { kind, objectType: "federation", objectId: federationId, federationId, metadata };
}
