/** Stores one-time tokens for emailed links. Only hashes of the emailed secrets are stored. */
import { type Selectable, sql } from "kysely";
import { createSecret, hashSecret, hasSecretFormat } from "#lib/drivers/crypto/secret.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { Fault } from "#lib/base/errors.ts";
import { createId } from "#lib/base/ids.ts";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";

export type LinkPurpose = "invitation" | "password_reset" | "email_verification";

/** How long a one-time link stays valid, in milliseconds, by the link's purpose. */
export const MAIL_LINK_LIFETIMES: Readonly<Record<LinkPurpose, number>> = {
  invitation: 7 * DAY,
  password_reset: HOUR,
  email_verification: 24 * HOUR,
};

const COLUMNS = ["id", "purpose", "userId", "createdAt", "expiresAt"] as const;
export type OneTimeToken = Pick<Selectable<Schema["one_time_tokens"]>, (typeof COLUMNS)[number]>;

/** Creates a one-time token. Earlier tokens stay valid until they expire or are voided. */
export async function createOneTimeToken(tx: Tx, purpose: LinkPurpose, userId: string): Promise<OneTimeToken> {
  const minutes = MAIL_LINK_LIFETIMES[purpose] / MINUTE;
  return await tx.insertInto("one_time_tokens").values({
    id: createId("ott"),
    purpose,
    userId,
    expiresAt: sql<Date>`wheelwright_now() + ${minutes} * interval '1 minute'`,
  }).returning(COLUMNS).executeTakeFirstOrThrow();
}

/** Returns whether the user has an unused one-time token from the last `ms` milliseconds. */
export async function hasRecentOneTimeToken(
  rows: RowQueries,
  purpose: LinkPurpose,
  userId: string,
  ms: number,
): Promise<boolean> {
  const row = await selectOpenGrants(rows).where("userId", "=", userId).where("purpose", "=", purpose)
    .where("createdAt", ">", sql<Date>`wheelwright_now() - ${ms}::float8 * interval '1 millisecond'`)
    .limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Adds a new secret, to be emailed, to a one-time token. Returns null if the token is no longer usable. */
export async function addOneTimeTokenSecret(tx: Tx, grantId: string): Promise<string | null> {
  const secret = createSecret(), hash = hashSecret(secret);
  const row = await tx.updateTable("one_time_tokens")
    .set({ tokenHashes: sql`array_append(token_hashes, ${hash}::bytea)` })
    .where("id", "=", grantId).where("usedAt", "is", null).where("voidedAt", "is", null)
    .where("expiresAt", ">", sql<Date>`wheelwright_now()`).returning("id").executeTakeFirst();
  return row ? secret : null;
}

/** Finds the one-time token for the secret in a link, without redeeming the token. */
export async function findOneTimeToken(
  rows: RowQueries,
  purpose: LinkPurpose,
  secret: string,
): Promise<OneTimeToken | null> {
  if (!hasSecretFormat(secret)) return null;
  return await selectOpenGrants(rows).where("purpose", "=", purpose)
    .where(sql<boolean>`token_hashes @> array[${hashSecret(secret)}::bytea]`).executeTakeFirst() ?? null;
}

/** Redeems a one-time token. Of several parallel calls, one succeeds and the others throw `link_spent`. */
export async function redeemOneTimeToken(tx: Tx, purpose: LinkPurpose, secret: string): Promise<OneTimeToken> {
  const row = hasSecretFormat(secret) && await tx.updateTable("one_time_tokens")
    .set({ usedAt: sql<Date>`wheelwright_now()` })
    .where("purpose", "=", purpose).where(sql<boolean>`token_hashes @> array[${hashSecret(secret)}::bytea]`)
    .where("usedAt", "is", null).where("voidedAt", "is", null)
    .where("expiresAt", ">", sql<Date>`wheelwright_now()`).returning(COLUMNS).executeTakeFirst();
  if (row) return row;
  throw invalidLinkFault();
}

/** Redeems the token with this ID, whose secret was checked earlier. Returns whether the token could still be used. */
export async function redeemOneTimeTokenById(tx: Tx, purpose: LinkPurpose, id: string): Promise<boolean> {
  const row = await tx.updateTable("one_time_tokens").set({ usedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).where("purpose", "=", purpose).where("usedAt", "is", null).where("voidedAt", "is", null)
    .where("expiresAt", ">", sql<Date>`wheelwright_now()`).returning("id").executeTakeFirst();
  return row !== undefined;
}

export function invalidLinkFault(): Fault {
  const message = "This link has been used, has expired or was never valid; request a new one";
  return new Fault("impossible", "link_spent", message);
}

export async function voidOneTimeTokens(tx: Tx, userId: string, purposes: readonly LinkPurpose[]): Promise<void> {
  await tx.updateTable("one_time_tokens").set({ voidedAt: sql<Date>`wheelwright_now()` })
    .where("userId", "=", userId).where("purpose", "in", purposes)
    .where("usedAt", "is", null).where("voidedAt", "is", null).execute();
}

function selectOpenGrants(rows: RowQueries) {
  return rows.selectFrom("one_time_tokens").select(COLUMNS).where("usedAt", "is", null).where("voidedAt", "is", null)
    .where("expiresAt", ">", sql<Date>`wheelwright_now()`);
}
