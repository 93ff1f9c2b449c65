/**
 * Makes repeated requests with the same idempotency key create only one object and get the same reply. The key is
 * stored in the transaction that creates the object. A concurrent request with the same key waits for that transaction:
 * if it commits, the waiting request gets the stored reply; if it rolls back, the waiting request creates the object.
 */
import { Fault } from "#lib/base/errors.ts";
import type { Database, RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { sql } from "kysely";

export interface IdempotencyKey {
  readonly userId: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  /** The SHA-256 hash of the raw request body. */
  readonly bodyHash: Uint8Array;
}

const OLDEST_VALID = sql<Date>`wheelwright_now() - interval '24 hours'`;

/**
 * Runs `create` in a transaction, or returns the stored reply if the key was used within the last 24 hours. `T` must survive a round
 * trip through JSON. Throws an `impossible` fault (`idempotency_key_reused`, status 422) if the key was used with
 * another body.
 */
export async function runIdempotently<T>(
  db: Pick<Database, "transact">,
  key: IdempotencyKey | null,
  create: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await db.transact((tx) => key ? createOnce(tx, key, create) : create(tx));
}

async function createOnce<T>(tx: Tx, key: IdempotencyKey, create: (tx: Tx) => Promise<T>): Promise<T> {
  const { userId, method, path, bodyHash } = key;
  await tx.deleteFrom("idempotency_keys").where(matches(key)).where("createdAt", "<", OLDEST_VALID).execute();
  const inserted = await tx.insertInto("idempotency_keys").values({ userId, method, path, key: key.key, bodyHash })
    .onConflict((conflict) => conflict.doNothing()).returning("key").executeTakeFirst();
  if (!inserted) return checkedReplyOf<T>(await selectReply(tx, key).executeTakeFirstOrThrow(), key);
  const reply = await create(tx);
  await tx.updateTable("idempotency_keys").set({ reply: JSON.stringify(reply) }).where(matches(key)).execute();
  return reply;
}

/**
 * Returns the reply that was stored for this key within the last 24 hours, or undefined. Throws an `impossible` fault
 * (`idempotency_key_reused`) if the key was used with another body.
 */
export async function findStoredReply<T>(rows: RowQueries, key: IdempotencyKey | null): Promise<T | undefined> {
  if (!key) return undefined;
  const row = await selectReply(rows, key).where("createdAt", ">=", OLDEST_VALID).executeTakeFirst();
  return row && checkedReplyOf<T>(row, key);
}

function selectReply(rows: RowQueries, key: IdempotencyKey) {
  return rows.selectFrom("idempotency_keys").select(["bodyHash", "reply"]).where(matches(key));
}

function checkedReplyOf<T>(
  row: { readonly bodyHash: Uint8Array; readonly reply: unknown },
  { bodyHash }: IdempotencyKey,
): T {
  if (!sameBytes(row.bodyHash, bodyHash)) {
    const message = "This Idempotency-Key was used with another body; use a new key for a new request";
    throw new Fault("impossible", "idempotency_key_reused", message);
  }
  return row.reply as T;
}

function matches({ userId, method, path, key }: IdempotencyKey) {
  return sql<boolean>`(user_id, method, path, key) = (${userId}, ${method}, ${path}, ${key})`;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
