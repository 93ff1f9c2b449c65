/**
 * Signs users in and out. Every failed login does the same work and returns the same error, so that responses do not
 * reveal accounts. A session starts only if the checked password is still the user's current password.
 */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { createExpiredSessionCookie, createSessionCookie } from "#lib/domains/auth/cookie.ts";
import { createVerificationReminder } from "#lib/domains/auth/signup.ts";
import { endSession } from "#lib/domains/auth/sessions.ts";
import { mayUsePassword, refusedLoginFault } from "#lib/domains/auth/sign-in-methods.ts";
import { recordSignIn, recordWrongFactor, wrongCodeFault } from "#lib/domains/auth/finish-sign-in.ts";
import {
  beginFullSession,
  secondFactorRequiredFault,
  type StartedSignIn,
  startSignIn,
} from "#lib/domains/auth/pending-sign-in.ts";
import { checkFactor, type FactorInput } from "#lib/domains/auth/factors/check.ts";
import { listFactorKinds } from "#lib/domains/auth/factors/store.ts";
import { recordChange } from "#lib/changes/record.ts";
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

interface Login extends Pick<FactorInput, "code" | "recoveryCode"> {
  readonly email: string;
  readonly password: string;
}

export interface LoginResult {
  readonly user: User;
  readonly message?: string;
  readonly cookie: string;
}

interface LoginOptions {
  /** The signed-in user of the browser, whose session ends when the new one begins. */
  readonly previous?: Actor | null;
  /** Aborts the wait for a free slot to check the password. */
  readonly signal?: AbortSignal;
}

const UNVERIFIED_MESSAGE = "Verify your email address to get access: open the link in the verification email. " +
  "Each sign-in sends the verification email again, at most once an hour";

/**
 * Signs a user in. Throws a fault: `unauthenticated` (`login_failed`, `wrong_code` or `second_factor_required`, with the
 * cookie of a pending sign-in), `forbidden` (`passwords_off`), `limited` (`too_many_tries`, `too_many_codes`) or
 * `unavailable` (`busy`). Disabled users
 * and users without a password also get `login_failed`.
 */
export async function signIn(
  app: App,
  origin: RequestOrigin,
  login: Login,
  { previous = null, signal }: LoginOptions = {},
): Promise<LoginResult> {
  const queueEntry = { caller: getCallerNetwork(origin.ip), signal };
  const checked = await app.loginAttempts.run(
    { ...queueEntry, email: login.email },
    () => checkLogin(app, origin, login, previous, queueEntry),
  );
  if (!checked) throw refusedLoginFault(app);
  const { account, started } = checked;
  if (!started) throw wrongCodeFault();
  if (started.isPending) throw secondFactorRequiredFault(app.config, started);
  const user = await readUser(app.db.rows, account.id);
  const cookie = createSessionCookie(app.config.publicUrl, started.secret);
  return { user, cookie, ...(!account.verified && { message: UNVERIFIED_MESSAGE }) };
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

/** The result of a right password. `started` is null if the second factor was wrong. */
interface CheckedLogin {
  readonly account: Account;
  readonly started: StartedSignIn | null;
}

/** Checks the password and starts the sign-in. Returns null if the password is wrong. */
async function checkLogin(
  app: App,
  origin: RequestOrigin,
  login: Login,
  previous: Actor | null,
  queueEntry: QueueEntry,
): Promise<CheckedLogin | null> {
  // With passwords off, other addresses cost the same as the bootstrap admin's, so that nobody learns this address.
  const account = mayUsePassword(app, login.email) ? await findAccount(app.db.rows, login.email) : undefined;
  const outcome = await app.passwords.verify(login.password, account?.passwordHash ?? null, queueEntry);
  if (!account || outcome === "wrong") {
    await recordFailedLogin(app, origin, login, account);
    return null;
  }
  const newHash = outcome === "outdated" ? await app.passwords.hash(login.password, queueEntry) : null;
  const checked = await startAfterPassword(app, { origin, login, previous, account, newHash });
  // The user's password was changed after the check, so the entered password is checked again.
  return checked ?? await checkLogin(app, origin, login, previous, queueEntry);
}

interface RightPassword {
  readonly origin: RequestOrigin;
  readonly login: Login;
  readonly previous: Actor | null;
  readonly account: Account;
  readonly newHash: string | null;
}

/** Starts the sign-in, and checks the second factor if the request has one. Returns null if the password changed. */
async function startAfterPassword(
  app: App,
  { origin, login, previous, account, newHash }: RightPassword,
): Promise<CheckedLogin | null> {
  const at = await app.db.now(), hasFactorInput = login.code !== undefined || login.recoveryCode !== undefined;
  return await app.db.transact(async (tx) => {
    if (!await lockAccount(tx, account)) return null;
    if (newHash) await setPassword(tx, account.id, newHash);
    const user = (await lockUser(tx, { id: account.id }))!;
    if (hasFactorInput && (await listFactorKinds(tx, user.id)).length > 0) {
      const { code, recoveryCode } = login, none = { purpose: "second-factor", binding: "" } as const;
      const checked = await checkFactor(tx, app, user.id, { code, recoveryCode }, none);
      if (checked.proof === null) {
        return { account, started: await recordWrongFactor(tx, user, origin, checked.wrong) };
      }
      const session = await beginFullSession(tx, user.id, origin, "password", previous);
      await recordSignIn(tx, user, origin, { session, at, usedRecoveryCode: checked.proof === "recovery_code" });
      return { account, started: session };
    }
    const started = await startSignIn(tx, { userId: user.id, origin, method: "password", previous });
    const requester = { userId: account.id, email: account.email, ...origin, tokenPrefix: null };
    const reminder = account.verified ? {} : await createVerificationReminder(tx, user);
    await recordChange(tx, requester, { ...reminder, audit: [started.entry] });
    return { account, started };
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
