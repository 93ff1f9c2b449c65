/**
 * Continues sign-ins after their first step. The browser of a user with a second factor gets the cookie of a pending
 * sign-in, which grants no access. finish-sign-in.ts turns it into a session with a new secret.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { AuditEntry } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { createPendingCookie, PENDING_MAX_AGE } from "#lib/domains/auth/cookie.ts";
import { listFactorKinds } from "#lib/domains/auth/factors/store.ts";
import { beginSession, endSession } from "#lib/domains/auth/sessions.ts";
import { createSecret, hashSecret, hasSecretFormat } from "#lib/drivers/crypto/secret.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { createId } from "#lib/base/ids.ts";
import { MINUTE } from "#lib/base/time.ts";
import type { FactorKind, SignInMethod } from "#lib/model/sign-in.ts";

const MAX_FAILURES = 5; // wrong second factors in one pending sign-in

/** A sign-in after its first step: `secret` belongs into the cookie of a session or of a pending sign-in. */
export interface StartedSignIn {
  readonly isPending: boolean;
  readonly secret: string;
  /** The audit event to record with the sign-in. */
  readonly entry: AuditEntry;
}

interface FirstStep {
  readonly userId: string;
  readonly origin: RequestOrigin;
  readonly method: SignInMethod;
  /** The signed-in user of the browser, whose session ends when the new one begins. */
  readonly previous: Actor | null;
}

/**
 * Continues after the first step of a sign-in: begins a session or, if the user has a second factor, a pending sign-in.
 * The caller must have locked the user's row.
 */
export async function startSignIn(tx: Tx, { userId, origin, method, previous }: FirstStep): Promise<StartedSignIn> {
  if ((await listFactorKinds(tx, userId)).length === 0) {
    return await beginFullSession(tx, userId, origin, method, previous);
  }
  const id = createId("psi"), secret = createSecret(), { ip, userAgent } = origin;
  await tx.insertInto("pending_sign_ins").values({ id, userId, tokenHash: hashSecret(secret), method, ip, userAgent })
    .execute();
  return { isPending: true, secret, entry: { kind: "second_factor_requested", objectType: "user", objectId: userId } };
}

/** Begins a session after all steps of a sign-in. Ends the browser's earlier session. */
export async function beginFullSession(
  tx: Tx,
  userId: string,
  origin: RequestOrigin,
  method: SignInMethod,
  previous: Actor | null,
): Promise<StartedSignIn> {
  if (previous?.credential.kind === "session") await endSession(tx, previous.credential.id);
  const { id, secret } = await beginSession(tx, userId, origin, method);
  return { isPending: false, secret, entry: { kind: "auth_login", objectType: "session", objectId: id } };
}

/** Throws the fault that asks for the second factor, with the cookie of the pending sign-in. */
export function secondFactorRequiredFault({ publicUrl }: App["config"], { secret }: StartedSignIn): Fault {
  const message = "Send a code of your authenticator app or a recovery code to POST /api/auth/second-factor, or sign " +
    "in with code";
  const headers = { "set-cookie": createPendingCookie(publicUrl, secret) };
  return new Fault("unauthenticated", "second_factor_required", message, { headers });
}

export interface PendingSignIn {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly method: SignInMethod;
  readonly failures: number;
  readonly expiresAt: Date;
}

/** Finds a pending sign-in by the secret in its cookie. Returns null if it expired, ended or failed too often. */
export async function findPendingSignIn(rows: RowQueries, secret: string | null): Promise<PendingSignIn | null> {
  if (secret === null || !hasSecretFormat(secret)) return null;
  const minutes = PENDING_MAX_AGE / MINUTE;
  const row = await rows.selectFrom("pending_sign_ins as pending").innerJoin("users", "users.id", "pending.userId")
    .select(["pending.id", "pending.userId", "users.email", "pending.method", "pending.failures"])
    .select(sql<Date>`pending.created_at + make_interval(mins => ${minutes})`.as("expiresAt"))
    .where("pending.tokenHash", "=", hashSecret(secret)).where("pending.endedAt", "is", null)
    .where("users.disabledAt", "is", null).where("pending.failures", "<", MAX_FAILURES)
    .where("pending.createdAt", ">", sql<Date>`wheelwright_now() - make_interval(mins => ${minutes})`)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns what a pending sign-in waits for. Throws an `unauthenticated` fault (`sign_in_expired`). */
export async function readPendingSignIn(
  rows: RowQueries,
  secret: string | null,
): Promise<{ readonly email: string; readonly expiresAt: Date; readonly factors: FactorKind[] }> {
  const pending = await findPendingSignIn(rows, secret);
  if (!pending) throw signInExpiredFault();
  const { email, expiresAt, userId } = pending;
  return { email, expiresAt, factors: await listFactorKinds(rows, userId) };
}

export function signInExpiredFault(): Fault {
  const message = "This sign-in has expired, or failed too often; enter your password again";
  return new Fault("unauthenticated", "sign_in_expired", message);
}
