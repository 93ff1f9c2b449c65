/**
 * Signs users in and out. Every failed login does the same work and returns the same error, so that responses do not
 * reveal accounts. A session starts only if the checked password is still the user's current password.
 */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { createExpiredSessionCookie, createSessionCookie } from "#lib/domains/auth/cookie.ts";
import { createVerificationReminder } from "#lib/domains/auth/signup.ts";
import { beginSession, endSession, type NewSession } from "#lib/domains/auth/sessions.ts";
import { recordChange } from "#lib/changes/record.ts";
import { Fault } from "#lib/base/errors.ts";
import { getCallerNetwork } from "#lib/base/limits/address.ts";
import type { QueueEntry } from "#lib/base/limits/fair-queue.ts";
import {
  type Account,
  findAccount,
  lockAccount,
  lockUser,
  readUser,
  setPassword,
  type User,
} from "#lib/domains/users/store.ts";

interface Login {
  readonly email: string;
  readonly password: string;
}

export interface LoginResult {
  readonly user: User;
  readonly message?: string;
  readonly cookie: string;
}

const UNVERIFIED_MESSAGE = "Verify your email address to get access: open the link in the verification email. " +
  "Each sign-in sends the verification email again, at most once an hour";

/**
 * Signs a user in. `signal` aborts the wait for a free slot to check the password. Throws a fault: `unauthenticated`
 * (`login_failed`), `limited` (`too_many_tries`) or `unavailable` (`busy`). Disabled users and users without a password
 * also get `login_failed`.
 */
export async function signIn(
  app: App,
  origin: RequestOrigin,
  login: Login,
  signal?: AbortSignal,
): Promise<LoginResult> {
  const queueEntry = { caller: getCallerNetwork(origin.ip), signal };
  const signedIn = await app.loginAttempts.run(
    { ...queueEntry, email: login.email },
    () => checkLogin(app, origin, login, queueEntry),
  );
  if (!signedIn) throw new Fault("unauthenticated", "login_failed", "Wrong email address or password");
  return signedIn;
}

/** Ends the caller's session, if any. Returns a Set-Cookie header that deletes the session cookie. */
export async function signOut(app: App, actor: Actor | null): Promise<string> {
  if (actor?.credential.kind === "session") {
    const { id } = actor.credential;
    await app.db.transact(async (tx) => {
      if (!await endSession(tx, id)) return;
      await recordChange(tx, actor, { audit: [{ kind: "auth_logout", objectType: "session", objectId: id }] });
    });
  }
  return createExpiredSessionCookie(app.config.publicUrl);
}

/** Checks the password and starts a session. Returns null if the password is wrong. */
async function checkLogin(
  app: App,
  origin: RequestOrigin,
  login: Login,
  queueEntry: QueueEntry,
): Promise<LoginResult | null> {
  const account = await findAccount(app.db.rows, login.email);
  const outcome = await app.passwords.verify(login.password, account?.passwordHash ?? null, queueEntry);
  if (!account || outcome === "wrong") {
    await recordFailedLogin(app, origin, login, account);
    return null;
  }
  const newHash = outcome === "outdated" ? await app.passwords.hash(login.password, queueEntry) : null;
  const session = await startSession(app, origin, account, newHash);
  // The user's password was changed after the check, so the entered password is checked again.
  if (!session) return await checkLogin(app, origin, login, queueEntry);
  const user = await readUser(app.db.rows, account.id);
  const cookie = createSessionCookie(app.config.publicUrl, session.secret);
  return { user, cookie, ...(!account.verified && { message: UNVERIFIED_MESSAGE }) };
}

async function startSession(
  app: App,
  origin: RequestOrigin,
  account: Account,
  newHash: string | null,
): Promise<NewSession | undefined> {
  return await app.db.transact(async (tx) => {
    if (!await lockAccount(tx, account)) return undefined;
    if (newHash) await setPassword(tx, account.id, newHash);
    const session = await beginSession(tx, account.id, origin, "password");
    const requester = { userId: account.id, email: account.email, ...origin, tokenPrefix: null };
    const reminder = account.verified
      ? {}
      : await createVerificationReminder(tx, (await lockUser(tx, { id: account.id }))!);
    await recordChange(tx, requester, {
      ...reminder,
      audit: [{ kind: "auth_login", objectType: "session", objectId: session.id }],
    });
    return session;
  });
}

/** Records a failed login with the entered email address and, if an account has this address, the account's ID. */
async function recordFailedLogin(
  app: App,
  origin: RequestOrigin,
  login: Login,
  account: Account | undefined,
): Promise<void> {
  const requester = { userId: "anonymous", email: login.email, ...origin, tokenPrefix: null };
  const objectId = account?.id ?? "unknown";
  await app.db.transact(async (tx) => {
    await recordChange(tx, requester, { audit: [{ kind: "auth_login_failed", objectType: "user", objectId }] });
  });
}
