/** Creates and redeems recovery codes, with which users sign in who lost their second factor. Each code works once. */
import { sql } from "kysely";
import { hashSecret } from "#lib/drivers/crypto/secret.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";

const COUNT = 10, GROUPS = 4, GROUP_LENGTH = 6;
const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"; // 32 characters that are easy to tell apart

/** Replaces the user's recovery codes. Returns the new codes, which have 120 random bits each and are stored as hashes. */
export async function replaceRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  await deleteRecoveryCodes(tx, userId);
  const codes = Array.from({ length: COUNT }, createRecoveryCode);
  await tx.insertInto("recovery_codes")
    .values(codes.map((code) => ({ userId, codeHash: hashRecoveryCode(userId, code) }))).execute();
  return codes;
}

export async function deleteRecoveryCodes(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("recovery_codes").where("userId", "=", userId).execute();
}

/** Uses up a recovery code. Returns whether the code was valid. Ignores case, spaces and hyphens. */
export async function redeemRecoveryCode(tx: Tx, userId: string, code: string): Promise<boolean> {
  const used = await tx.updateTable("recovery_codes").set({ usedAt: sql<Date>`wheelwright_now()` })
    .where("userId", "=", userId).where("codeHash", "=", hashRecoveryCode(userId, code)).where("usedAt", "is", null)
    .returning("userId").executeTakeFirst();
  return used !== undefined;
}

export async function countRecoveryCodes(rows: RowQueries, userId: string): Promise<number> {
  const { count } = await rows.selectFrom("recovery_codes").select(sql<number>`count(*)::int`.as("count"))
    .where("userId", "=", userId).where("usedAt", "is", null).executeTakeFirstOrThrow();
  return count;
}

function createRecoveryCode(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(GROUPS * GROUP_LENGTH))]
    .map((byte) => LETTERS[byte % LETTERS.length]);
  return Array.from({ length: GROUPS }, (_, i) => letters.slice(i * GROUP_LENGTH, (i + 1) * GROUP_LENGTH).join(""))
    .join("-");
}

/** Returns the hash of a code together with its owner. A slow hash is unnecessary, because the code is random. */
function hashRecoveryCode(userId: string, code: string): Uint8Array {
  return hashSecret(`${userId} ${code.toLowerCase().replaceAll(/[\s-]/g, "")}`);
}
