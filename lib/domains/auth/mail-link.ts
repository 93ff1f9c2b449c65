/**
 * Redeems emailed links. Opening a link proves that the user can read emails sent to the address. A stranger may have
 * created an unverified account, so verification revokes the account's password, sessions and tokens. The user's row is
 * locked before the link's row.
 */
import type { AuditEntry } from "#lib/audit/store.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import {
  findOneTimeToken,
  invalidLinkFault,
  type LinkPurpose,
  redeemOneTimeToken,
  voidOneTimeTokens,
} from "#lib/domains/auth/one-time-tokens.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import {
  endUserSessions,
  type LockedUser,
  lockUser,
  revokeUserTokens,
  verifyAndUpdateUser,
} from "#lib/domains/users/store.ts";

export interface MailLink {
  readonly purpose: LinkPurpose;
  readonly secret: string;
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly expiresAt: Date;
}

/** Finds an emailed link without redeeming it. Returns null if the link is not valid. */
export async function findMailLink(rows: RowQueries, purpose: LinkPurpose, secret: string): Promise<MailLink | null> {
  const grant = await findOneTimeToken(rows, purpose, secret);
  const row = grant && await rows.selectFrom("users").select(["id", "email", "displayName"])
    .where("id", "=", grant.userId).where("disabledAt", "is", null).executeTakeFirst();
  if (!row) return null;
  const { id: userId, email, displayName } = row;
  return { purpose, secret, userId, email, displayName, expiresAt: grant.expiresAt };
}

/** Finds an emailed link. Throws an `impossible` fault (`link_spent`) if the link is not valid. */
export async function requireMailLink(rows: RowQueries, purpose: LinkPurpose, secret: string): Promise<MailLink> {
  const link = await findMailLink(rows, purpose, secret);
  if (!link) throw invalidLinkFault();
  return link;
}

/** Redeems a link, which works only once. Locks the user and returns the stored row. */
export async function redeemMailLink(tx: Tx, { purpose, secret, userId }: MailLink): Promise<LockedUser> {
  const user = await lockUser(tx, { id: userId });
  if (!user || user.disabled) throw invalidLinkFault();
  await redeemOneTimeToken(tx, purpose, secret);
  return user;
}

interface AccountTakeover {
  /** The new password's hash. Null removes the user's password; undefined keeps the old password. */
  readonly passwordHash: string | null | undefined;
  readonly displayName?: string | undefined;
  /** Whether the user's API tokens stay valid. An unverified user's tokens are always revoked. */
  readonly keepTokens?: boolean | undefined;
}

/** Gives an account to the owner of its email address. Returns an audit event for each API token that it revokes. */
export async function takeOverAccount(tx: Tx, user: LockedUser, takeover: AccountTakeover): Promise<AuditEntry[]> {
  await verifyAndUpdateUser(tx, user.id, takeover);
  await endUserSessions(tx, user.id);
  await voidOneTimeTokens(tx, user.id, ["invitation", "password_reset", "email_verification"]);
  const revoked = user.verified && takeover.keepTokens ? [] : await revokeUserTokens(tx, user.id);
  return revoked.map(({ id, name, prefix }) => ({
    kind: "token_revoked",
    objectType: "token",
    objectId: id,
    metadata: { name, prefix, userId: user.id },
  }));
}

/** Returns the user who received a link, to be recorded as the requester of actions that the link starts. */
export function createMailLinkRequester(
  { userId, email }: Pick<MailLink, "userId" | "email">,
  { ip, userAgent }: RequestOrigin,
): Requester {
  return { userId, email, ip, userAgent, tokenPrefix: null };
}

/** Returns an unauthenticated requester, recorded in the audit log with the entered email address. */
export function createAnonymousRequester(email: string, { ip, userAgent }: RequestOrigin): Requester {
  return { userId: "anonymous", email, ip, userAgent, tokenPrefix: null };
}
