/**
 * What a mailed link does, whichever it is: it proves that its holder reads the mail of that address.
 *
 * Anybody can sign up with anybody's address, so until the first proof an account may be a stranger's: its password, its
 * sessions and its tokens. The proof ends all of these. Where the address was proved before, a link means a new password;
 * a person who needs one may have lost more than that, so tokens end, too, unless their owner says that they are to stay.
 *
 * The user's row is taken first and the link after it, as everybody does who changes both. A disabled user's link is
 * spent, and nothing says why.
 */
import type { AuditEntry } from "#lib/audit/store.ts";
import type { Asker } from "#lib/audit/asker.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { findGrant, linkSpentFault, type Purpose, redeemGrant, voidGrants } from "#lib/domains/auth/one-time-tokens.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import {
  endSessionsOf,
  type LockedUser,
  lockUser,
  revokeTokensOf,
  verifyAndUpdateUser,
} from "#lib/domains/users/store.ts";

/** A link that is still good, and whose it is. */
export interface MailLink {
  readonly purpose: Purpose;
  readonly secret: string;
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly expiresAt: Date;
}

/** Looks at the link without using it up; null for one that opens nothing. */
export async function findLink(rows: Rows, purpose: Purpose, secret: string): Promise<MailLink | null> {
  const grant = await findGrant(rows, purpose, secret);
  const row = grant && await rows.selectFrom("users").select(["id", "email", "displayName"])
    .where("id", "=", grant.userId).where("disabledAt", "is", null).executeTakeFirst();
  if (!row) return null;
  const { id: userId, email, displayName } = row;
  return { purpose, secret, userId, email, displayName, expiresAt: grant.expiresAt };
}

/** The same where there must be one: before a password is hashed for it. Throws Fault impossible `link_spent`. */
export async function requireLink(rows: Rows, purpose: Purpose, secret: string): Promise<MailLink> {
  const link = await findLink(rows, purpose, secret);
  if (!link) throw linkSpentFault();
  return link;
}

/** Uses the link up, and holds its user as that was before. Of many at once, one gets through. */
export async function redeemLink(tx: Tx, { purpose, secret, userId }: MailLink): Promise<LockedUser> {
  const user = await lockUser(tx, { id: userId });
  if (!user || user.disabled) throw linkSpentFault();
  await redeemGrant(tx, purpose, secret);
  return user;
}

interface AccountTakeover {
  /** Null takes the password away: the next one is set by another link. Undefined leaves it. */
  readonly passwordHash: string | null | undefined;
  readonly displayName?: string | undefined;
  /** Whether tokens stay, of an address that was proved before: others always end. */
  readonly keepTokens?: boolean | undefined;
}

/** Makes the account its owner's. Returns what the audit log shall hold of it besides the deed itself: revoked tokens. */
export async function takeOverAccount(tx: Tx, user: LockedUser, takeover: AccountTakeover): Promise<AuditEntry[]> {
  await verifyAndUpdateUser(tx, user.id, takeover);
  await endSessionsOf(tx, user.id);
  await voidGrants(tx, user.id, ["invitation", "password_reset", "email_verification"]);
  const revoked = user.verified && takeover.keepTokens ? [] : await revokeTokensOf(tx, user.id);
  return revoked.map(({ id, name, prefix }) => ({
    kind: "token_revoked",
    objectType: "token",
    objectId: id,
    metadata: { name, prefix, userId: user.id },
  }));
}

/** The holder of the link acts as its user. */
export function requesterOfLink(
  { userId, email }: Pick<MailLink, "userId" | "email">,
  { ip, userAgent }: RequestOrigin,
): Asker {
  return { userId, email, ip, userAgent, tokenPrefix: null };
}

/** Who asks without having proved anything: the log has the address that was typed. */
export function anonymousRequester(email: string, { ip, userAgent }: RequestOrigin): Asker {
  return { userId: "anonymous", email, ip, userAgent, tokenPrefix: null };
}
