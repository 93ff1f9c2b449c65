/**
 * Issues the challenges for the use of passkeys, and signs users in with a passkey alone. The authenticator verifies the
 * user by PIN or biometrics, so that a passkey counts as password and second factor.
 */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { createPendingCookie, createSessionCookie } from "#lib/domains/auth/cookie.ts";
import { checkFactor } from "#lib/domains/auth/factors/check.ts";
import type { PASSKEY_USES, PasskeyResponse } from "#lib/domains/auth/factors/passkey-views.ts";
import { createAssertionOptions, findPasskeyOwner } from "#lib/domains/auth/factors/passkeys.ts";
import { recordSignIn, recordWrongFactor } from "#lib/domains/auth/finish-sign-in.ts";
import { beginFullSession, findPendingSignIn, signInExpiredFault } from "#lib/domains/auth/pending-sign-in.ts";
import { createSecret, hashSecret } from "#lib/drivers/crypto/secret.ts";
import { Fault } from "#lib/base/errors.ts";
import { lockUser, readUser, type User } from "#lib/domains/users/store.ts";

interface PasskeyRequest {
  readonly use: (typeof PASSKEY_USES)[number];
  readonly actor: Actor | null;
  /** The secret in the browser's cookie of a pending sign-in. */
  readonly secret: string | null;
}

/**
 * Returns the options for the use of a passkey, and the cookie to which the challenge of a sign-in is bound. Throws an
 * `unauthenticated` fault (`sign_in_required`, `sign_in_expired`) without a session or a pending sign-in.
 */
export async function issuePasskeyOptions(app: App, { use, actor, secret }: PasskeyRequest) {
  const browser = use === "sign-in" ? createSecret() : secret ?? createSecret();
  const { userId, binding } = await findPasskeyUse(app, { use, actor, secret: browser });
  const body = await createAssertionOptions(app, userId, { purpose: use, binding });
  return { body, cookie: createPendingCookie(app.config.publicUrl, browser) };
}

/** Returns whose passkeys can be used, and what the challenge is bound to. */
async function findPasskeyUse(
  app: App,
  { use, actor, secret }: PasskeyRequest,
): Promise<{ readonly userId: string | null; readonly binding: string }> {
  if (use === "sign-in") return { userId: null, binding: bindingOf(secret!) };
  if (use === "confirm") {
    if (actor?.credential.kind === "session") return { userId: actor.userId, binding: actor.credential.id };
    throw new Fault("unauthenticated", "sign_in_required", "Sign in first, to confirm your session");
  }
  const pending = await findPendingSignIn(app.db.rows, secret);
  if (!pending) throw signInExpiredFault();
  return { userId: pending.userId, binding: pending.id };
}

interface PasskeyLogin {
  readonly origin: RequestOrigin;
  readonly secret: string | null;
  readonly previous: Actor | null;
}

/** Signs a user in with a passkey. Throws an `unauthenticated` fault (`passkey_refused`). */
export async function signInWithPasskey(
  app: App,
  { origin, secret, previous }: PasskeyLogin,
  passkey: PasskeyResponse,
): Promise<{ readonly user: User; readonly cookie: string }> {
  const userId = await findPasskeyOwner(app.db.rows, passkey), at = await app.db.now();
  if (userId === null) throw passkeyRefusedFault();
  const session = await app.db.transact(async (tx) => {
    const user = await lockUser(tx, { id: userId });
    if (!user || user.disabled) return null;
    const challenge = { purpose: "sign-in", binding: bindingOf(secret ?? "") } as const;
    const checked = await checkFactor(tx, app, userId, { passkey }, challenge);
    if (checked.proof === null) return await recordWrongFactor(tx, user, origin, checked.wrong);
    const started = await beginFullSession(tx, userId, origin, "passkey", previous);
    await recordSignIn(tx, user, origin, { session: started, at, usedRecoveryCode: false });
    return started;
  });
  if (!session) throw passkeyRefusedFault();
  const user = await readUser(app.db.rows, userId);
  return { user, cookie: createSessionCookie(app.config.publicUrl, session.secret) };
}

/** Returns the text that binds a challenge to the browser with this cookie. */
function bindingOf(secret: string): string {
  return Buffer.from(hashSecret(secret)).toString("hex");
}

function passkeyRefusedFault(): Fault {
  const message = "This passkey cannot sign you in; sign in with your password, or try again";
  return new Fault("unauthenticated", "passkey_refused", message);
}
