/** A new password by a mailed link, for a person who has forgotten the old one. */
import type { App } from "#lib/app.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { recipientOf } from "#lib/domains/auth/forgot-password.ts";
import { redeemLink, requesterOfLink, requireLink, takeOverAccount } from "#lib/domains/auth/mail-link.ts";
import { record } from "#lib/changes/record.ts";
import { requirePassword } from "#lib/drivers/crypto/password-rules.ts";
import { mailJob } from "#lib/jobs/mail.ts";

interface PasswordReset {
  readonly token: string;
  /** One that the rules for passwords allow. */
  readonly password: string;
  /** API tokens are revoked unless this says otherwise. */
  readonly keepTokens?: boolean | undefined;
}

/**
 * Sets the password, ends all sessions and revokes tokens; returns the address whose it is. The link came by mail, so
 * it proves the address as well: otherwise somebody who has just shown that the mailbox is theirs would have to show it
 * again, and a stranger's tokens would live on beside the new password. Throws Fault impossible `link_spent`.
 */
export async function resetByLink(
  app: App,
  origin: RequestOrigin,
  { token, password, keepTokens }: PasswordReset,
): Promise<string> {
  const link = await requireLink(app.db.rows, "password_reset", token);
  requirePassword(password, link.email);
  const passwordHash = await app.passwords.hash(password, { caller: link.userId });
  const at = (await app.db.now()).toISOString();
  await app.db.transact(async (tx) => {
    const user = await redeemLink(tx, link);
    const revoked = await takeOverAccount(tx, user, { passwordHash, keepTokens });
    const about = { objectType: "user", objectId: user.id } as const;
    const notice = { template: "password-changed", to: recipientOf(user), about: { at, ip: origin.ip } } as const;
    await record(tx, requesterOfLink(link, origin), {
      audit: [
        { kind: "password_reset", ...about },
        ...(user.verified ? [] : [{ kind: "email_verified", ...about } as const]),
        ...revoked,
      ],
      jobs: user.hasPassword ? [mailJob(notice)] : [],
    });
  });
  return link.email;
}
