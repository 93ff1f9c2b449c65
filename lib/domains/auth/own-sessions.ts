/**
 * A person's own sessions: where they are signed in, and how they end that elsewhere.
 *
 * The list has those that were used last. Who has more of them than it shows ends all others at once.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { isSessionValid, sessionExpiry } from "#lib/domains/auth/credentials.ts";
import { endOtherSessions, endSession } from "#lib/domains/auth/sessions.ts";
import { record } from "#lib/changes/record.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";

interface Session {
  readonly id: string;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date;
  /** If it is not used before. */
  readonly expiresAt: Date;
  readonly ip: string;
  readonly userAgent: string;
  /** Whether the caller asks with it. */
  readonly current: boolean;
}

const MAX_LISTED = 100;

/** Those that still open something, the last used first. */
export async function listSessions(rows: Rows, { userId, credential }: Actor): Promise<Session[]> {
  const found = await rows.selectFrom("sessions")
    .select(["id", "ip", "userAgent", "createdAt", "seenAt", sessionExpiry.as("expiresAt")])
    .where("userId", "=", userId).where(isSessionValid)
    .orderBy(sql`id = ${credential.id}`, "desc").orderBy("seenAt", "desc").orderBy("id", "desc").limit(MAX_LISTED)
    .execute();
  return found.map((row) => ({
    id: row.id,
    createdAt: row.createdAt,
    lastUsedAt: row.seenAt,
    expiresAt: row.expiresAt,
    ip: row.ip,
    userAgent: row.userAgent,
    current: row.id === credential.id,
  }));
}

/** Once more changes nothing. Throws Fault missing `session_missing` for what is not the caller's. */
export async function endOwnSession(app: App, actor: Actor, id: string): Promise<void> {
  await app.db.transact(async (tx) => {
    const own = await tx.selectFrom("sessions").select("id").where("id", "=", id).where("userId", "=", actor.userId)
      .executeTakeFirst();
    if (!own) throw new Fault("missing", "session_missing", "There is no such session, or it is not yours");
    if (!await endSession(tx, id)) return;
    await record(tx, actor, { audit: [{ kind: "session_ended", objectType: "session", objectId: id }] });
  });
}

/** All but the one that the caller asks with. */
export async function endOwnOtherSessions(app: App, actor: Actor): Promise<void> {
  await app.db.transact(async (tx) => {
    const ended = await endOtherSessions(tx, actor.userId, actor.credential.id);
    if (ended === 0) return;
    const metadata = { ended };
    await record(tx, actor, {
      audit: [{ kind: "other_sessions_ended", objectType: "user", objectId: actor.userId, metadata }],
    });
  });
}
