/** Lets users set a new password through a link in an email. */
import type { App } from "#lib/app.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { getMailRecipient } from "#lib/domains/auth/forgot-password.ts";
import {
  createMailLinkRequester,
  redeemMailLink,
  requireMailLink,
  takeOverAccount,
} from "#lib/domains/auth/mail-link.ts";
import { recordChange } from "#lib/changes/record.ts";
import { requireStrongPassword } from "#lib/drivers/crypto/password-rules.ts";
import { createMailJob } from "#lib/jobs/mail.ts";

interface PasswordReset {
  readonly token: string;
  readonly password: string;
  /** Whether the user's API tokens stay valid. By default, the tokens are revoked. */
  readonly keepTokens?: boolean | undefined;
}

/**
 * Sets the password, verifies the email address and ends all sessions. Returns the user's email address. Throws an
 * `impossible` fault (`link_spent`) if the link is not valid.
 */
export async function resetPasswordByLink(
  app: App,
  origin: RequestOrigin,
  { token, password, keepTokens }: PasswordReset,
): Promise<string> {
  const link = await requireMailLink(app.db.rows, "password_reset", token);
  requireStrongPassword(password, link.email);
  const passwordHash = await app.passwords.hash(password, { caller: link.userId });
  const at = (await app.db.now()).toISOString();
  await app.db.transact(async (tx) => {
    const user = await redeemMailLink(tx, link);
    const revoked = await takeOverAccount(tx, user, { passwordHash, keepTokens });
    const about = { objectType: "user", objectId: user.id } as const;
    const notice = { template: "password-changed", to: getMailRecipient(user), about: { at, ip: origin.ip } } as const;
    await recordChange(tx, createMailLinkRequester(link, origin), {
      audit: [
        { kind: "password_reset", ...about },
        ...(user.verified ? [] : [{ kind: "email_verified", ...about } as const]),
        ...revoked,
      ],
      jobs: user.hasPassword ? [createMailJob(notice)] : [],
    });
  });
  return link.email;
}
