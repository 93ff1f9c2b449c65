/** Starts and ends login sessions. Lets users list their own sessions (at most 100) and end them. */
import { sql } from "kysely";
import { createSecret, hashSecret } from "#lib/drivers/crypto/secret.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { createId } from "#lib/base/ids.ts";
import type { App } from "#lib/app.ts";
import type { SignInMethod } from "#lib/model/sign-in.ts";
import { type Actor, requireUnlimitedToken } from "#lib/domains/auth/access.ts";
import { RECENT_MINUTES, sessionExpiryExpression, validSessionCondition } from "#lib/domains/auth/credentials.ts";
import { recordChange } from "#lib/changes/record.ts";
import { Fault } from "#lib/base/errors.ts";

export interface NewSession {
  readonly id: string;
  /** The session cookie's value. Only the hash of this value is stored. */
  readonly secret: string;
}

/**
 * Begins a session. `method` is how the user signed in; `link` is an emailed link. If the session replaces an earlier
 * one without a new sign-in, it counts as recent only if the earlier one did.
 */
export async function beginSession(
  tx: Tx,
  userId: string,
  { ip, userAgent }: { readonly ip: string; readonly userAgent: string },
  method: SignInMethod,
  { replacedId }: { readonly replacedId?: string } = {},
): Promise<NewSession> {
  const id = createId("ses"), secret = createSecret();
  const confirmedAt = replacedId === undefined ? null : sql<Date>`(
    select coalesce(replaced.confirmed_at, replaced.created_at) from sessions as replaced where id = ${replacedId})`;
  await tx.insertInto("sessions")
    .values({ id, userId, tokenHash: hashSecret(secret), ip, userAgent, method, confirmedAt }).execute();
  return { id, secret };
}

/**
 * Records that the user of a session has just proved their identity again. Returns the time until which the session
 * counts as recent, or null if the session has ended.
 */
export async function confirmSession(tx: Tx, id: string): Promise<Date | null> {
  const row = await tx.updateTable("sessions").set({ confirmedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).where("endedAt", "is", null)
    .returning(sql<Date>`wheelwright_now() + make_interval(mins => ${RECENT_MINUTES})`.as("recentUntil"))
    .executeTakeFirst();
  return row?.recentUntil ?? null;
}

/** Locks a session, so that it cannot end before the transaction does. Returns whether the session is active. */
export async function lockSession(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom("sessions").select("id").where("id", "=", id).where("endedAt", "is", null)
    .forShare().executeTakeFirst();
  return row !== undefined;
}

/** Ends a session and the event streams opened with this session. Returns whether the session was active. */
export async function endSession(tx: Tx, id: string): Promise<boolean> {
  const ended = await tx.updateTable("sessions").set({ endedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).where("endedAt", "is", null).returning("userId").executeTakeFirst();
  if (ended) tx.wakes.add(`user:${ended.userId}`);
  return ended !== undefined;
}

/** Ends all the user's sessions except `id`, and their event streams. Returns how many sessions were active. */
export async function endOtherSessions(tx: Tx, userId: string, id: string): Promise<number> {
  const { numUpdatedRows } = await tx.updateTable("sessions").set({ endedAt: sql<Date>`wheelwright_now()` })
    .where("userId", "=", userId).where("id", "<>", id).where("endedAt", "is", null).executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) tx.wakes.add(`user:${userId}`);
  return Number(numUpdatedRows);
}

interface Session {
  readonly id: string;
  readonly createdAt: Date;
  /** The time when the session was last used, accurate to one minute. */
  readonly lastUsedAt: Date;
  /** The time when the session expires if it is not used again. */
  readonly expiresAt: Date;
  readonly ip: string;
  readonly userAgent: string;
  readonly current: boolean;
  readonly provider: string | null;
}

const MAX_LISTED = 100;

/** Lists the caller's valid sessions: first the current session, then the most recently used sessions. */
export async function listSessions(rows: RowQueries, actor: Actor): Promise<Session[]> {
  requireUnlimitedToken(actor);
  const { userId, credential } = actor;
  const found = await rows.selectFrom("sessions")
    .select(["id", "ip", "userAgent", "createdAt", "lastUsedAt", "provider", sessionExpiryExpression.as("expiresAt")])
    .where("userId", "=", userId).where(validSessionCondition)
    .orderBy(sql`id = ${credential.id}`, "desc").orderBy("lastUsedAt", "desc").orderBy("id", "desc").limit(MAX_LISTED)
    .execute();
  return found.map((row) => ({ ...row, current: row.id === credential.id }));
}

/** Ends one of the caller's sessions. Idempotent. Throws a `missing` fault for another user's session. */
export async function endOwnSession(app: App, actor: Actor, id: string): Promise<void> {
  await app.db.transact(async (tx) => {
    const own = await tx.selectFrom("sessions").select("id").where("id", "=", id).where("userId", "=", actor.userId)
      .executeTakeFirst();
    if (!own) throw new Fault("missing", "session_missing", "There is no such session, or it is not yours");
    if (!await endSession(tx, id)) return;
    await recordChange(tx, actor, { audit: [{ kind: "session_ended", objectType: "session", objectId: id }] });
  });
}

export async function endOwnOtherSessions(app: App, actor: Actor): Promise<void> {
  await app.db.transact(async (tx) => {
    const ended = await endOtherSessions(tx, actor.userId, actor.credential.id);
    if (ended === 0) return;
    const metadata = { ended };
    await recordChange(tx, actor, {
      audit: [{ kind: "other_sessions_ended", objectType: "user", objectId: actor.userId, metadata }],
    });
  });
}
