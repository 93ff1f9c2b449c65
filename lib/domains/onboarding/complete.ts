/**
 * Completes the onboarding wizard: in one transaction, sets the user's name and optionally a password, and requests a
 * first hub. The user need not enter the old password, so the session must be recent. Setting a password ends all
 * sessions; the caller gets a new session.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { AuditEntry } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createSessionCookie } from "#lib/domains/auth/cookie.ts";
import { getMailRecipient } from "#lib/domains/auth/forgot-password.ts";
import { voidOneTimeTokens } from "#lib/domains/auth/one-time-tokens.ts";
import { beginSession, endSession } from "#lib/domains/auth/sessions.ts";
import { recordChange } from "#lib/changes/record.ts";
import { requirePasswordSignIn } from "#lib/domains/auth/sign-in-methods.ts";
import { requireStrongPassword } from "#lib/drivers/crypto/password-rules.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { insertPendingRequest, requireOfferedFields } from "#lib/domains/federations/requests/create.ts";
import { showHubRequest } from "#lib/domains/federations/requests/store.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import type { OnboardingBody, OnboardingRecord } from "#lib/domains/onboarding/views.ts";
import { endUserSessions, type LockedUser, lockUser, readUser } from "#lib/domains/users/store.ts";
import { showUser } from "#lib/domains/users/views.ts";

const MAX_SESSION_AGE = "1 hour"; // a session that is younger than this shows that the user has just signed in

interface OnboardingResult {
  readonly body: OnboardingRecord;
  readonly cookie: string;
}

/** Returns the time when the user completed the onboarding wizard, or null if it is not completed. */
export async function findOnboardedAt(rows: RowQueries, userId: string): Promise<Date | null> {
  const row = await rows.selectFrom("users").select("onboardedAt").where("id", "=", userId).executeTakeFirst();
  return row?.onboardedAt ?? null;
}

/**
 * Completes the onboarding wizard. Throws a fault: `conflict` (`onboarded`), `forbidden` (`session_too_old`) if a
 * password is set, or the faults of a request for a hub.
 */
export async function completeOnboarding(app: App, actor: Actor, input: OnboardingBody): Promise<OnboardingResult> {
  if (await findOnboardedAt(app.db.rows, actor.userId)) throw onboardedFault(); // before the slow password hash
  if (input.federationRequest) requireOfferedFields(app, input.federationRequest);
  const { password } = input;
  if (password !== undefined) {
    requirePasswordSignIn(app, actor.email);
    requireStrongPassword(password, actor.email);
    await requireNewSession(app.db.rows, actor);
  }
  const passwordHash = password === undefined ? null : await app.passwords.hash(password, { caller: actor.userId });
  return await app.db.transact((tx) => complete(tx, app, actor, input, passwordHash));
}

async function requireNewSession(rows: RowQueries, { credential }: Actor): Promise<void> {
  const row = await rows.selectFrom("sessions").select("id").where("id", "=", credential.id)
    .where("createdAt", ">", sql<Date>`wheelwright_now() - ${MAX_SESSION_AGE}::interval`).executeTakeFirst();
  if (row) return;
  const message = "You signed in more than an hour ago; sign in again to set a password, or omit the password";
  throw new Fault("forbidden", "session_too_old", message, { fields: { password: message } });
}

async function complete(
  tx: Tx,
  app: App,
  actor: Actor,
  { displayName, federationRequest }: OnboardingBody,
  passwordHash: string | null,
): Promise<OnboardingResult> {
  const user = await lockUser(tx, { id: actor.userId });
  // Fails if another request has just ended the session, for example a password change.
  if (!user || !await endSession(tx, actor.credential.id)) {
    throw new Fault("unauthenticated", "sign_in_required", "Your session has ended; sign in again");
  }
  const { at } = await saveOnboarding(tx, actor.userId, displayName, passwordHash);
  const jobs: NewJob[] = [];
  if (passwordHash !== null) {
    await endUserSessions(tx, actor.userId);
    await voidOneTimeTokens(tx, actor.userId, ["password_reset"]);
    if (user.hasPassword) jobs.push(createPasswordMail(user, at, actor.ip));
  }
  const session = await beginSession(tx, actor.userId, actor, "password", {
    replacedId: actor.credential.id,
  });
  const pendingRequest = federationRequest ? await insertPendingRequest(tx, user, federationRequest) : null;
  const body = {
    user: showUser(await readUser(tx, actor.userId)),
    federationRequest: pendingRequest && await showHubRequest(tx, pendingRequest.row),
  };
  const changed = [...displayName === undefined ? [] : ["displayName"], ...passwordHash === null ? [] : ["password"]];
  const entry: AuditEntry = {
    kind: "onboarding_completed",
    objectType: "user",
    objectId: actor.userId,
    metadata: { changed, ...(pendingRequest && { requestId: pendingRequest.row.id }) },
  };
  await recordChange(tx, actor, {
    audit: [entry, ...pendingRequest ? [pendingRequest.entry] : []],
    jobs: [...jobs, ...pendingRequest?.jobs ?? []],
  });
  return { body, cookie: createSessionCookie(app.config.publicUrl, session.secret) };
}

/** Stores the values entered in the onboarding wizard. Throws a `conflict` fault if it was completed before. */
async function saveOnboarding(
  tx: Tx,
  id: string,
  displayName: string | undefined,
  passwordHash: string | null,
): Promise<{ readonly at: Date }> {
  const now = sql<Date>`wheelwright_now()`;
  const row = await tx.updateTable("users").set({
    onboardedAt: now,
    updatedAt: now,
    ...(displayName !== undefined && { displayName }),
    ...(passwordHash !== null && { passwordHash }),
  }).where("id", "=", id).where("onboardedAt", "is", null).returning("onboardedAt").executeTakeFirst();
  if (!row) throw onboardedFault();
  return { at: row.onboardedAt! };
}

function createPasswordMail(user: LockedUser, at: Date, ip: string): NewJob {
  const about = { at: at.toISOString(), ip };
  return createMailJob({ template: "password-changed", to: getMailRecipient(user), about });
}

function onboardedFault(): Fault {
  const message = "Onboarding is already complete; to reset a forgotten password, send POST /api/auth/forgot-password";
  return new Fault("conflict", "onboarded", message);
}
