/**
 * Finds sessions and tokens with their users and memberships in one query. The result is not cached, so revoking a
 * permission takes effect immediately on every replica.
 */
import { sql, type SqlBool } from "kysely";
import { hashSecret } from "#lib/drivers/crypto/secret.ts";
import type { TokenScope } from "#lib/drivers/crypto/token.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { prepareReadOnSharedConnection } from "#lib/drivers/db/prepare.ts";
import { isRefusedWriteError } from "#lib/drivers/db/faults.ts";
import { tokenUserColumns, toUser, type User, userColumns } from "#lib/domains/users/store.ts";

const IDLE_HOURS = 12, MAX_AGE_DAYS = 30; // of a session
export const RECENT_MINUTES = 15; // how long a sign-in or a confirmation counts as recent

interface ValidCredential {
  readonly id: string;
  readonly user: User;
  /** Whether the recorded time of the session's last use is more than a minute old and must be updated. */
  readonly stale: boolean;
}

interface ValidSession extends ValidCredential {
  /** Whether the user signed in or confirmed the session within the last RECENT_MINUTES. */
  readonly recent: boolean;
  readonly hasFactor: boolean;
}

interface ValidToken extends ValidCredential {
  readonly scope: TokenScope;
  readonly prefix: string;
  /** The IDs of the hubs to which the token is limited, and to which `user` is limited already. Null without a limit. */
  readonly hubLimit: readonly string[] | null;
}

/** The key for finding a session: the hash of the secret or, for an authenticated caller, the ID. */
type SessionKey = { readonly hash: Uint8Array } | { readonly id: string };
/** The key for finding a token: the token itself or, for an authenticated caller, the ID. */
type TokenKey = { readonly plaintext: string } | { readonly id: string };

/** An SQL condition for valid sessions. Does not check if the user is disabled. Reads the clock once for all rows. */
export const validSessionCondition = sql<SqlBool>`(sessions.ended_at is null
  and sessions.last_used_at > (select wheelwright_now()) - make_interval(hours => ${IDLE_HOURS})
  and sessions.created_at > (select wheelwright_now()) - make_interval(days => ${MAX_AGE_DAYS}))`;

/** An SQL expression for the time when a session expires if it is not used again. */
export const sessionExpiryExpression = sql<Date>`least(sessions.last_used_at + make_interval(hours => ${IDLE_HOURS}),
  sessions.created_at + make_interval(days => ${MAX_AGE_DAYS}))`;

const isRecentSession = sql<boolean>`coalesce(sessions.confirmed_at, sessions.created_at)
  > (select wheelwright_now()) - make_interval(mins => ${RECENT_MINUTES})`;

const hasFactor = sql<boolean>`exists (select from factors
  where factors.user_id = sessions.user_id and factors.activated_at is not null)`;

/** An SQL condition for valid API tokens (`api_tokens as token`). Does not check whether the user is disabled. */
export const validTokenCondition = sql<SqlBool>`(token.revoked_at is null
  and (token.expires_at is null or token.expires_at > (select wheelwright_now())))`;

const selectSessions = (rows: RowQueries) =>
  rows.selectFrom("sessions").innerJoin("users", "users.id", "sessions.userId")
    .select([
      ...userColumns,
      "sessions.id",
      isStale("sessions.lastUsedAt").as("stale"),
      isRecentSession.as("recent"),
      hasFactor.as("hasFactor"),
    ])
    .where(validSessionCondition).where("users.disabledAt", "is", null);
const findSessionByHash = prepareReadOnSharedConnection((rows, { hash }: { hash: Uint8Array }) =>
  selectSessions(rows).where("tokenHash", "=", hash)
);
const findSessionById = prepareReadOnSharedConnection((rows, { id }: { id: string }) =>
  selectSessions(rows).where("sessions.id", "=", id)
);

const selectTokens = (rows: RowQueries) =>
  rows.selectFrom("api_tokens as token").innerJoin("users", "users.id", "token.userId")
    .select([
      ...tokenUserColumns,
      ...["token.id", "token.scope", "token.prefix", "token.federationIds as hubLimit"] as const,
      isStale("token.lastUsedAt").as("stale"),
    ])
    .where(validTokenCondition).where("users.disabledAt", "is", null);
const findTokenByHash = prepareReadOnSharedConnection((rows, { hash, limitedHash }: TokenHashes) =>
  selectTokens(rows).where(
    sql<SqlBool>`token.token_hash = any(array[${hash}::bytea, ${limitedHash}::bytea])
      and (token.token_hash = ${limitedHash}::bytea) = (token.federation_ids is not null)`,
  )
);
const findTokenById = prepareReadOnSharedConnection((rows, { id }: { id: string }) =>
  selectTokens(rows).where("token.id", "=", id)
);

interface TokenHashes {
  /** The stored hash if the token is not limited to hubs. */
  readonly hash: Uint8Array;
  readonly limitedHash: Uint8Array;
}

/**
 * Returns the hash that is stored instead of a token. Earlier releases do not know limits and could be installed again,
 * so a limited token has a hash that they do not find.
 */
export function hashToken(plaintext: string, isLimited: boolean): Uint8Array {
  return hashSecret(isLimited ? `limited ${plaintext}` : plaintext);
}

/** Finds a session with its user. Returns undefined if the session is not valid or the user is disabled. */
export async function findSession(rows: RowQueries, key: SessionKey): Promise<ValidSession | undefined> {
  const [row] = await ("id" in key ? findSessionById(rows, key) : findSessionByHash(rows, key));
  return row && { id: row.id, user: toUser(row), stale: row.stale, recent: row.recent, hasFactor: row.hasFactor };
}

/** Finds an API token with its user. Returns undefined if the token is not valid or the user is disabled. */
export async function findToken(rows: RowQueries, key: TokenKey): Promise<ValidToken | undefined> {
  const [row] = await ("id" in key ? findTokenById(rows, key) : findTokenByHash(rows, {
    hash: hashToken(key.plaintext, false),
    limitedHash: hashToken(key.plaintext, true),
  }));
  if (!row) return undefined;
  const { id, stale, scope, prefix, hubLimit } = row;
  return { id, user: toUser(row), stale, scope, prefix, hubLimit };
}

/** Records the time of the session's last use, at most once a minute. Of several parallel requests, only one writes. */
export async function recordSessionUse(rows: RowQueries, id: string): Promise<void> {
  await rows.updateTable("sessions").set({ lastUsedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).where(isStale("lastUsedAt")).execute().catch(ignoreReadOnly);
}

/** Records the token's last use: the time, at most once a minute, and the client. */
export async function recordTokenUse(
  rows: RowQueries,
  id: string,
  { ip, userAgent }: { readonly ip: string; readonly userAgent: string },
): Promise<void> {
  await rows.updateTable("api_tokens")
    .set({ lastUsedAt: sql<Date>`wheelwright_now()`, lastUsedIp: ip, lastUsedAgent: userAgent })
    .where("id", "=", id).where(isStale("lastUsedAt")).execute().catch(ignoreReadOnly);
}

/** Ignores an error from a read-only database, so that requests that only read still work. */
function ignoreReadOnly(error: unknown): void {
  if (!isRefusedWriteError(error)) throw error;
}

/** Returns an SQL condition: the column's time is over a minute old. Always false on a standby, which cannot write. */
function isStale(column: string) {
  return sql<boolean>`current_setting('transaction_read_only') = 'off'
    and coalesce(${sql.ref(column)} < wheelwright_now() - interval '1 minute', true)`;
}
