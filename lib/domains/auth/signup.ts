/**
 * Lets users sign up, if the service allows sign-up. The response and its duration are the same for every address. An
 * existing account stays unchanged; its owner gets an email about the attempt, at most once an hour.
 */
import { sql } from "kysely";
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { createResetLink, getMailRecipient } from "#lib/domains/auth/forgot-password.ts";
import { createAnonymousRequester } from "#lib/domains/auth/mail-link.ts";
import { createOneTimeToken, hasRecentOneTimeToken } from "#lib/domains/auth/one-time-tokens.ts";
import { type AuditedChange, recordChange } from "#lib/changes/record.ts";
import { requireStrongPassword } from "#lib/drivers/crypto/password-rules.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { declareJobKind } from "#lib/operations/plan.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import { getCallerNetwork } from "#lib/base/limits/address.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { insertUser, type LockedUser, lockUser } from "#lib/domains/users/store.ts";

interface Signup {
  /** The email address, in lower case. */
  readonly email: string;
  readonly password: string;
  readonly displayName?: string | undefined;
}

/** The payload of a queued signup job. When the job runs, it removes the password hash from the payload. */
const QueuedSignup = v.object({ email: v.string(), displayName: v.string(), passwordHash: v.optional(v.string()) });
type QueuedSignup = v.InferOutput<typeof QueuedSignup>;

export const SIGNUP_JOB = declareJobKind({
  kind: "signup",
  steps: { answer: ["Processing a signup", MINUTE] },
  timeLimit: HOUR,
  payload: QueuedSignup,
});

/** The minimum time between two emails to an address, in milliseconds. Otherwise, strangers could flood a mailbox. */
const MAIL_INTERVAL = HOUR;

/** Enqueues a signup. Throws a `forbidden` fault (`signup_off`) if the service does not allow signups. */
export async function signUp(app: App, origin: RequestOrigin, { email, password, displayName }: Signup): Promise<void> {
  if (!app.config.signup) {
    throw new Fault("forbidden", "signup_off", "Sign-up is closed; ask an administrator for an invitation");
  }
  requireStrongPassword(password, email);
  const passwordHash = await app.passwords.hash(password, { caller: getCallerNetwork(origin.ip) });
  const payload: QueuedSignup = { email, displayName: displayName ?? email, passwordHash };
  const about = { lane: null, federationId: null, spokeId: null, dedupeKey: `${SIGNUP_JOB.kind}:${email}` };
  const jobs = [{ kind: SIGNUP_JOB, payload, ...about }];
  await app.db.transact((tx) => recordChange(tx, createAnonymousRequester(email, origin), { jobs }));
}

export async function processSignup(tx: Tx, requester: Requester, jobId: string, signup: QueuedSignup): Promise<void> {
  await sql`update jobs set payload = payload - 'passwordHash' where id = ${jobId}`.execute(tx);
  const { email, displayName, passwordHash } = signup;
  const newUserId = passwordHash !== undefined && await insertUser(tx, { email, displayName, passwordHash });
  const user = await lockUser(tx, { email });
  const change = user && (newUserId ? await changeForNewUser(tx, user) : await changeForExistingUser(tx, user));
  if (change) await recordChange(tx, requester, change);
}

async function changeForNewUser(tx: Tx, user: LockedUser): Promise<AuditedChange> {
  const metadata = { email: user.email, by: "signup" };
  return {
    audit: [{ kind: "user_created", objectType: "user", objectId: user.id, metadata }],
    ...await createVerificationLink(tx, user),
  };
}

async function changeForExistingUser(tx: Tx, user: LockedUser): Promise<AuditedChange | null> {
  if (user.disabled) return null;
  if (!user.verified && user.hasPassword) return await createVerificationReminder(tx, user);
  return await hasRecentOneTimeToken(tx, "password_reset", user.id, MAIL_INTERVAL)
    ? null
    : await createResetLink(tx, user);
}

/** Returns an email with another verification link, unless a link was sent within the last hour. */
export async function createVerificationReminder(tx: Tx, user: LockedUser): Promise<Pick<AuditedChange, "jobs">> {
  return await hasRecentOneTimeToken(tx, "email_verification", user.id, MAIL_INTERVAL)
    ? {}
    : await createVerificationLink(tx, user);
}

async function createVerificationLink(tx: Tx, user: LockedUser): Promise<Pick<AuditedChange, "jobs">> {
  const grant = await createOneTimeToken(tx, "email_verification", user.id);
  const about = { expiresAt: grant.expiresAt.toISOString() };
  return { jobs: [createMailJob({ template: "verification", to: getMailRecipient(user), about }, grant.id)] };
}
