/**
 * Sessions: they begin with a login, and end with a logout, with age, with a new password, or when their owner says so
 * from another one (own-sessions.ts).
 */
import { sql } from "kysely";
import { hashSecret, newSecret } from "#lib/drivers/crypto/secret.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { newId } from "#lib/base/ids.ts";

export interface NewSession {
  readonly id: string;
  /** What the cookie holds; only its hash is kept. */
  readonly secret: string;
}

export async function beginSession(
  tx: Tx,
  userId: string,
  origin: { readonly ip: string; readonly userAgent: string },
): Promise<NewSession> {
  const id = newId("ses"), secret = newSecret();
  await tx.insertInto("sessions")
    .values({ id, userId, tokenHash: hashSecret(secret), ip: origin.ip, userAgent: origin.userAgent })
    .execute();
  return { id, secret };
}

/** Holds the session against being ended until the transaction is over; returns whether it has not ended yet. */
export async function lockSession(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom("sessions").select("id").where("id", "=", id).where("endedAt", "is", null)
    .forShare().executeTakeFirst();
  return row !== undefined;
}

/** Returns whether it had not ended before. Streams that were opened with it end as well. */
export async function endSession(tx: Tx, id: string): Promise<boolean> {
  const ended = await tx.updateTable("sessions").set({ endedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).where("endedAt", "is", null).returning("userId").executeTakeFirst();
  if (ended) tx.wakes.add(`user:${ended.userId}`);
  return ended !== undefined;
}

/** Ends the user's sessions but for one, with their streams; returns how many had not ended before. */
export async function endOtherSessions(tx: Tx, userId: string, id: string): Promise<number> {
  const { numUpdatedRows } = await tx.updateTable("sessions").set({ endedAt: sql<Date>`wheelwright_now()` })
    .where("userId", "=", userId).where("id", "<>", id).where("endedAt", "is", null).executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) tx.wakes.add(`user:${userId}`);
  return Number(numUpdatedRows);
}
