/**
 * Finds the account of a person at a provider. The subject identifies the person. At the first sign-in, a person joins an
 * account by an invitation, or by an address that the provider has verified.
 *
 * Anybody can sign up with somebody else's address and choose a password before the owner arrives. So an account whose
 * address was never verified here loses its password, sessions and tokens when the owner joins it.
 */
import { sql } from "kysely";
import type { AuditEntry } from "#lib/audit/store.ts";
import { redeemOneTimeTokenById } from "#lib/domains/auth/one-time-tokens.ts";
import { takeOverAccount } from "#lib/domains/auth/mail-link.ts";
import { type Identity, SignInRefusal } from "#lib/domains/auth/providers/identity.ts";
import type { SignInRequest } from "#lib/domains/auth/providers/requests.ts";
import { createId } from "#lib/base/ids.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { listAdministeredNames } from "#lib/domains/members/memberships.ts";
import { insertUser, type LockedUser, lockUser } from "#lib/domains/users/store.ts";
import type { ProviderSettings } from "#lib/openid/load.ts";

export interface JoinedAccount {
  readonly user: LockedUser;
  /** The audit events of joining; empty for a person who has signed in before. */
  readonly audit: readonly AuditEntry[];
}

/** Returns the person's account with its row locked. Throws a SignInRefusal if the person has none and cannot join. */
export async function findJoinedAccount(
  tx: Tx,
  settings: ProviderSettings,
  { invitationId }: SignInRequest,
  identity: Identity,
): Promise<JoinedAccount> {
  const linked = await findLinkedUserId(tx, identity);
  if (linked === undefined) return await joinAccount(tx, settings, invitationId, identity);
  const user = (await lockUser(tx, { id: linked }))!;
  requireEnabled(user);
  const used = await tx.updateTable("identities")
    .set({ provider: settings.id, email: identity.email, lastUsedAt: sql<Date>`wheelwright_now()` })
    .where("issuer", "=", identity.issuer).where("subject", "=", identity.subject).where("userId", "=", linked)
    .returning("id").executeTakeFirst();
  // Another request has just unlinked the identity.
  return used ? { user, audit: [] } : await joinAccount(tx, settings, invitationId, identity);
}

async function joinAccount(
  tx: Tx,
  settings: ProviderSettings,
  invitationId: string | null,
  identity: Identity,
): Promise<JoinedAccount> {
  const { user, audit } = invitationId === null
    ? await joinByAddress(tx, settings, identity)
    : await joinByInvitation(tx, settings, invitationId);
  const { issuer, subject, email } = identity, id = createId("idn");
  const added = await tx.insertInto("identities")
    .values({ id, userId: user.id, issuer, subject, provider: settings.id, email })
    .onConflict((conflict) => conflict.doNothing()).returning("id").executeTakeFirst();
  if (!added && await findLinkedUserId(tx, identity) !== user.id) {
    const message =
      `This account is linked to another person at ${settings.label}; ask an operator to unlink that person`;
    throw new SignInRefusal("other_subject", message, email, user.id);
  }
  const metadata = { provider: settings.id, issuer, subject, email };
  const linked = { kind: "identity_linked", objectType: "user", objectId: user.id, metadata } as const;
  return { user: { ...user, verified: true }, audit: added ? [...audit, linked] : audit };
}

/** Accepts an invitation. Its link was opened from the invited address, so the address at the provider may differ. */
async function joinByInvitation(tx: Tx, { label }: ProviderSettings, invitationId: string): Promise<JoinedAccount> {
  const row = await tx.selectFrom("one_time_tokens").select("userId").where("id", "=", invitationId).executeTakeFirst();
  const user = row && await lockUser(tx, { id: row.userId });
  if (!user || user.disabled || !await redeemOneTimeTokenById(tx, "invitation", invitationId)) {
    const message = `This invitation was already accepted or has expired; sign in with ${label} on the sign-in page`;
    throw new SignInRefusal("invitation_spent", message, null, user?.id);
  }
  return { user, audit: await acceptAccount(tx, user) };
}

async function joinByAddress(tx: Tx, settings: ProviderSettings, identity: Identity): Promise<JoinedAccount> {
  const { label, signUp } = settings, { email, emailVerified } = identity;
  if (email === null || !emailVerified) {
    const message = `${label} has not verified your email address: verify it there, or ask for an invitation here`;
    throw new SignInRefusal("email_unverified", message, email);
  }
  const isNew = signUp &&
    await insertUser(tx, { email, displayName: identity.name ?? email, passwordHash: null }) !== null;
  const user = await lockUser(tx, { email });
  if (user) requireEnabled(user);
  if (user && isNew) {
    const metadata = { email, by: "provider", provider: settings.id };
    const created = { kind: "user_created", objectType: "user", objectId: user.id, metadata } as const;
    return { user, audit: [created, ...await takeOverAccount(tx, user, { passwordHash: null })] };
  }
  if (user?.verified) return { user, audit: [] };
  if (user && (signUp || await isInvited(tx, user))) return { user, audit: await acceptAccount(tx, user) };
  const message = `There is no account for ${email}; ask an administrator for an invitation`;
  throw new SignInRefusal("account_missing", message, email, user?.id);
}

/** Verifies an account's address and removes what a stranger may have set up: password, sessions and tokens. */
async function acceptAccount(tx: Tx, user: LockedUser): Promise<AuditEntry[]> {
  const passwordHash = user.verified ? undefined : null;
  const revoked = await takeOverAccount(tx, user, { passwordHash, keepTokens: user.verified });
  return [{ kind: "invitation_accepted", objectType: "user", objectId: user.id }, ...revoked];
}

/** Returns whether a person with a role invited this user: the user administers something, or has an invitation. */
async function isInvited(tx: Tx, { id, operator }: LockedUser): Promise<boolean> {
  if (operator || (await listAdministeredNames(tx, id)).length > 0) return true;
  const open = await tx.selectFrom("one_time_tokens").select("id").where("userId", "=", id)
    .where("purpose", "=", "invitation").where("usedAt", "is", null).where("voidedAt", "is", null)
    .where("expiresAt", ">", sql<Date>`wheelwright_now()`).limit(1).executeTakeFirst();
  return open !== undefined;
}

async function findLinkedUserId(rows: RowQueries, { issuer, subject }: Identity): Promise<string | undefined> {
  const row = await rows.selectFrom("identities").select("userId").where("issuer", "=", issuer)
    .where("subject", "=", subject).executeTakeFirst();
  return row?.userId;
}

function requireEnabled({ id, email, disabled }: LockedUser): void {
  if (!disabled) return;
  throw new SignInRefusal("account_disabled", "This account is disabled; ask an operator to enable it", email, id);
}
