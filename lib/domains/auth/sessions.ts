/** Starts and ends login sessions. */
import { sql } from "kysely";
import { createSecret, hashSecret } from "#lib/drivers/crypto/secret.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { createId } from "#lib/base/ids.ts";

export interface NewSession {
  readonly id: string;
  /** The session cookie's value. Only the hash of this value is stored. */
  readonly secret: string;
}

export async function beginSession(
  tx: Tx,
  userId: string,
  origin: { readonly ip: string; readonly userAgent: string },
): Promise<NewSession> {
  const id = createId("ses"), secret = createSecret();
  await tx.insertInto("sessions")
    .values({ id, userId, tokenHash: hashSecret(secret), ip: origin.ip, userAgent: origin.userAgent })
    .execute();
  return { id, secret };
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
