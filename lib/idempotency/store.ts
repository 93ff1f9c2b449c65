/**
 * Idempotency keys: the same creation asked twice is done once, and answered alike.
 *
 * The key is written in the creating transaction. A concurrent caller with the same key therefore waits at the primary
 * key until the first one has committed (and gets its reply) or has rolled back (and creates).
 */
import { Fault } from "#lib/errors.ts";
import type { Tx } from "#lib/db/database.ts";
import { sql } from "kysely";

export interface IdempotencyKey {
  readonly userId: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  /** SHA-256 of the request's body as it came. */
  readonly bodyHash: Uint8Array;
}

const HOURS_KEPT = 24;

/**
 * Runs `make` in the transaction unless this key was used within 24 hours, and returns what it returned then. `T` must
 * survive JSON. Throws Fault impossible `idempotency_key_reused` (422) when the key came with another body before.
 */
export async function once<T>(tx: Tx, key: IdempotencyKey | null, make: () => Promise<T>): Promise<T> {
  if (!key) return await make();
  const at = { user_id: key.userId, method: key.method, path: key.path, key: key.key };
  await tx.deleteFrom("idempotency_keys").where(matches(at))
    .where("created_at", "<", sql<Date>`wheelwright_now() - make_interval(hours => ${HOURS_KEPT})`).execute();
  const mine = await tx.insertInto("idempotency_keys").values({ ...at, body_hash: key.bodyHash })
    .onConflict((conflict) => conflict.doNothing()).returning("key").executeTakeFirst();
  if (!mine) return await recall<T>(tx, key, at);
  const made = await make();
  await tx.updateTable("idempotency_keys").set({ reply: JSON.stringify(made) }).where(matches(at)).execute();
  return made;
}

async function recall<T>(tx: Tx, key: IdempotencyKey, at: Record<string, string>): Promise<T> {
  const row = await tx.selectFrom("idempotency_keys").select(["body_hash", "reply"]).where(matches(at))
    .executeTakeFirstOrThrow();
  if (!sameBytes(row.body_hash, key.bodyHash)) {
    const message = "This Idempotency-Key was used with another body; use a new key for a new request";
    throw new Fault("impossible", "idempotency_key_reused", message);
  }
  return row.reply as T;
}

function matches(at: Record<string, string>) {
  return sql<boolean>`(user_id, method, path, key) = (${at.user_id}, ${at.method}, ${at.path}, ${at.key})`;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
