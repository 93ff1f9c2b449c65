/** Accepts invitations: verifies the user's email address, sets a password, and revokes earlier credentials. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { createSessionCookie } from "#lib/domains/auth/cookie.ts";
import {
  createMailLinkRequester,
  type MailLink,
  redeemMailLink,
  requireMailLink,
  takeOverAccount,
} from "#lib/domains/auth/mail-link.ts";
import type { LoginResult } from "#lib/domains/auth/login.ts";
import { secondFactorRequiredFault, type StartedSignIn, startSignIn } from "#lib/domains/auth/pending-sign-in.ts";
import { requirePasswordSignIn } from "#lib/domains/auth/sign-in-methods.ts";
import type { AuditEntry } from "#lib/audit/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import { requireStrongPassword } from "#lib/drivers/crypto/password-rules.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { readUser } from "#lib/domains/users/store.ts";

interface Acceptance {
  readonly token: string;
  readonly password: string;
  /** The user's name. Defaults to the name that the inviter entered. */
  readonly displayName?: string | undefined;
}

/** Accepts an invitation without signing in. Throws an `impossible` fault (`link_spent`) if the link is not valid. */
export async function acceptInvitation(app: App, origin: RequestOrigin, acceptance: Acceptance): Promise<void> {
  await accept(app, origin, acceptance, () => Promise.resolve([]));
}

/** Accepts an invitation and signs in. Throws also the fault `second_factor_required` (`unauthenticated`). */
export async function acceptInvitationAndSignIn(
  app: App,
  origin: RequestOrigin,
  acceptance: Acceptance,
  previous: Actor | null,
): Promise<LoginResult> {
  let started: StartedSignIn | undefined;
  const link = await accept(app, origin, acceptance, async (tx, { userId }) => {
    started = await startSignIn(tx, { userId, origin, method: "link", previous });
    return [started.entry];
  });
  if (started!.isPending) throw secondFactorRequiredFault(app.config, started!);
  const cookie = createSessionCookie(app.config.publicUrl, started!.secret);
  return { user: await readUser(app.db.rows, link.userId), cookie };
}

async function accept(
  app: App,
  origin: RequestOrigin,
  { token, password, displayName }: Acceptance,
  addEntries: (tx: Tx, link: MailLink) => Promise<AuditEntry[]>,
): Promise<MailLink> {
  const link = await requireMailLink(app.db.rows, "invitation", token);
  requirePasswordSignIn(app, link.email);
  requireStrongPassword(password, link.email);
  const passwordHash = await app.passwords.hash(password, { caller: link.userId });
  await app.db.transact(async (tx) => {
    const user = await redeemMailLink(tx, link);
    // Treats the user as unverified, so that all earlier credentials are revoked.
    const revoked = await takeOverAccount(tx, { ...user, verified: false }, { passwordHash, displayName });
    const extraEntries = await addEntries(tx, link);
    await recordChange(tx, createMailLinkRequester(link, origin), {
      audit: [{ kind: "invitation_accepted", objectType: "user", objectId: user.id }, ...revoked, ...extraEntries],
    });
  });
  return link;
}
