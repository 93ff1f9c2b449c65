/** Lists and unlinks the identities with which a user signs in at providers. */
import type { Selectable } from "kysely";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { lockOperators } from "#lib/domains/auth/accounts.ts";
import { applyMappedRoles } from "#lib/domains/auth/providers/apply-roles.ts";
import { mayUsePassword } from "#lib/domains/auth/sign-in-methods.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { Fault } from "#lib/base/errors.ts";
import { endUserSessions, type LockedUser, lockUser } from "#lib/domains/users/store.ts";

const COLUMNS = ["id", "provider", "issuer", "subject", "email", "createdAt", "lastUsedAt"] as const;
type LinkedIdentity = Pick<Selectable<Schema["identities"]>, (typeof COLUMNS)[number]>;

/** Lists a user's identities, oldest first. A user has at most one for each provider. */
export async function listIdentities(rows: RowQueries, userId: string): Promise<LinkedIdentity[]> {
  return await rows.selectFrom("identities").select(COLUMNS).where("userId", "=", userId)
    .orderBy("createdAt").orderBy("id").execute();
}

/**
 * Unlinks an identity, removes the roles that its provider gave, and ends all sessions of the user but the caller's own.
 * Throws a fault: `missing` (`identity_missing`), or `conflict` (`identity_needed`) if the caller could not sign in again.
 */
export async function unlinkIdentity(app: App, actor: Actor, userId: string, id: string): Promise<void> {
  await app.db.transact(async (tx) => {
    await lockOperators(tx); // comes before the user's row, as in all transactions that may demote an operator
    const user = (await lockUser(tx, { id: userId }))!, identities = await listIdentities(tx, userId);
    const identity = identities.find((each) => each.id === id);
    if (!identity) throw new Fault("missing", "identity_missing", "There is no such link to a provider");
    if (userId === actor.userId) requireOtherMethod(app, user, identities.length - 1);
    const { provider, issuer, subject, email } = identity;
    const { audit, keptOperator } = await applyMappedRoles(
      ...[tx, user, { provider, issuer }, { operator: false, hubs: [] }, { mayDemote: true }] as const,
    );
    await tx.deleteFrom("identities").where("id", "=", id).execute();
    if (userId !== actor.userId) await endUserSessions(tx, userId);
    const metadata = { provider, issuer, subject, email, ...(keptOperator && { keptOperator }) };
    const unlinked = { kind: "identity_unlinked", objectType: "user", objectId: userId, metadata } as const;
    await recordChange(tx, actor, { audit: [...audit, unlinked] });
  });
}

/** Throws a `conflict` fault (`identity_needed`) if the user can sign in neither with a password nor elsewhere. */
function requireOtherMethod(app: App, { email, hasPassword }: LockedUser, others: number): void {
  if (others > 0 || hasPassword && mayUsePassword(app, email)) return;
  const message = "This is the only way in which you can sign in; set a password first";
  throw new Fault("conflict", "identity_needed", message);
}
