/** Stores users. */
import { sql } from "kysely";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { createId } from "#lib/base/ids.ts";
import {
  federationIdsColumn,
  getUserRole,
  spokeIdsColumn,
  tokenAccessColumns,
} from "#lib/domains/members/memberships.ts";
import type { UserRole } from "#lib/model/user.ts";

export interface User {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly role: UserRole;
  readonly federationIds: readonly string[];
  /** The IDs of the spokes that the user administers, excluding spokes whose hub is in `federationIds`. */
  readonly spokeIds: readonly string[];
}

export interface Account {
  readonly id: string;
  readonly email: string;
  /** The password's hash. Null if no password is set or if the user is disabled. */
  readonly passwordHash: string | null;
  readonly verified: boolean;
}

/** The columns that a query must select for `toUser`. */
export const userColumns = [
  "users.id as userId",
  "users.email",
  "users.displayName",
  // Like memberships, the operator flag has no effect until the user's address is verified.
  sql<boolean>`users.operator and users.email_verified_at is not null`.as("operator"),
  federationIdsColumn.as("federationIds"),
  spokeIdsColumn.as("spokeIds"),
] as const;

/** The columns for the owner of a row of `api_tokens as token`, without permissions beyond the token's limit. */
export const tokenUserColumns = [
  ...["users.id as userId", "users.email", "users.displayName"] as const,
  tokenAccessColumns.operator.as("operator"),
  tokenAccessColumns.federationIds.as("federationIds"),
  tokenAccessColumns.spokeIds.as("spokeIds"),
] as const;

export interface UserRow {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly operator: boolean;
  readonly federationIds: string[];
  readonly spokeIds: string[];
}

export function toUser({ userId: id, email, displayName, operator, federationIds, spokeIds }: UserRow): User {
  return { id, email, displayName, role: getUserRole({ operator, federationIds }), federationIds, spokeIds };
}

export async function readUser(rows: RowQueries, id: string): Promise<User> {
  return toUser(await rows.selectFrom("users").select(userColumns).where("id", "=", id).executeTakeFirstOrThrow());
}

/** Finds the account with this email address, which must be in lower case. */
export async function findAccount(rows: RowQueries, email: string): Promise<Account | undefined> {
  const row = await rows.selectFrom("users").select(["id", "email", "passwordHash", "emailVerifiedAt", "disabledAt"])
    .where("email", "=", email).executeTakeFirst();
  const passwordHash = row?.disabledAt ? null : row?.passwordHash ?? null;
  return row && { id: row.id, email: row.email, passwordHash, verified: row.emailVerifiedAt !== null };
}

/** Locks an account until the transaction ends. Returns false if the password has changed or the user is disabled. */
export async function lockAccount(tx: Tx, account: Account): Promise<boolean> {
  const row = await tx.selectFrom("users").select("id").where("id", "=", account.id)
    .where("passwordHash", "=", account.passwordHash).where("disabledAt", "is", null)
    .forNoKeyUpdate().executeTakeFirst();
  return row !== undefined;
}

/** Returns whether an operator exists. Once true, the result stays true: the last operator cannot be removed. */
export async function hasOperators(rows: RowQueries): Promise<boolean> {
  const row = await rows.selectFrom("users").select("id").where("operator", "=", true).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Lists the active operators, who receive emails about the service. */
export async function listOperators(rows: RowQueries): Promise<{ id: string; email: string; displayName: string }[]> {
  return await rows.selectFrom("users").select(["id", "email", "displayName"]).where("operator", "=", true)
    .where("emailVerifiedAt", "is not", null).where("disabledAt", "is", null).orderBy("id").execute();
}

/** Returns the email address of the active operator who was created first. */
export async function findFirstOperator(rows: RowQueries): Promise<string> {
  const row = await rows.selectFrom("users").select("email").where("operator", "=", true)
    .where("disabledAt", "is", null).orderBy("createdAt").limit(1).executeTakeFirstOrThrow();
  return row.email;
}

/**
 * Creates an operator with a verified address. A stranger may have created an existing account with this address, so
 * the account's password is replaced, and its sessions and tokens are revoked.
 */
export async function insertOperator(
  tx: Tx,
  { email, passwordHash }: { readonly email: string; readonly passwordHash: string },
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const newId = await insertUser(tx, { email, displayName: email, passwordHash });
  const id = newId ?? (await lockUser(tx, { email }))!.id;
  const displayName = sql<string>`case when email_verified_at is null then email else display_name end`;
  await tx.updateTable("users").set({ operator: true, disabledAt: null, displayName }).where("id", "=", id).execute();
  await verifyAndUpdateUser(tx, id, { passwordHash });
  if (newId === null) {
    await endUserSessions(tx, id);
    await revokeUserTokens(tx, id);
  }
  return { id, isNew: newId !== null };
}

export async function setPassword(tx: Tx, id: string, passwordHash: string): Promise<void> {
  await tx.updateTable("users").set({ passwordHash, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).execute();
}

/** Ends all sessions and pending sign-ins of a user, and the event streams opened with these sessions. */
export async function endUserSessions(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("pending_sign_ins").set({ endedAt: sql<Date>`wheelwright_now()` })
    .where("userId", "=", id).where("endedAt", "is", null).execute();
  await tx.updateTable("sessions").set({ endedAt: sql<Date>`wheelwright_now()` })
    .where("userId", "=", id).where("endedAt", "is", null).execute();
  tx.wakes.add(`user:${id}`);
}

/** A user whose row is locked until the transaction ends. */
export interface LockedUser {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly verified: boolean;
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  /** The operator flag as stored. The flag has no effect until the user's address is verified. */
  readonly operator: boolean;
}

/** Locks a user's row. Call this before changing the user's other rows, so that such transactions run one at a time. */
export async function lockUser(
  tx: Tx,
  key: { readonly id: string } | { readonly email: string },
): Promise<LockedUser | undefined> {
  const [column, value] = "id" in key ? ["id", key.id] as const : ["email", key.email] as const;
  const row = await tx.selectFrom("users")
    .select(["id", "email", "displayName", "emailVerifiedAt", "disabledAt", "passwordHash", "operator"])
    .where(column, "=", value).forNoKeyUpdate().executeTakeFirst();
  return row && {
    id: row.id,
    email: row.email,
    displayName: row.displayName,
    verified: row.emailVerifiedAt !== null,
    disabled: row.disabledAt !== null,
    hasPassword: row.passwordHash !== null,
    operator: row.operator,
  };
}

/** Adds a user with an unverified address. Returns the new user's ID, or null if the address is already in use. */
export async function insertUser(
  tx: Tx,
  user: { readonly email: string; readonly displayName: string; readonly passwordHash: string | null },
): Promise<string | null> {
  const { email, displayName, passwordHash } = user;
  const row = await tx.insertInto("users")
    .values({ id: createId("usr"), email, displayName, passwordHash })
    .onConflict((conflict) => conflict.column("email").doNothing()).returning("id").executeTakeFirst();
  return row?.id ?? null;
}

/** Verifies the user's address and sets the password. Null removes the password; undefined keeps the old password. */
export async function verifyAndUpdateUser(
  tx: Tx,
  id: string,
  { passwordHash, displayName }: {
    readonly passwordHash: string | null | undefined;
    readonly displayName?: string | undefined;
  },
): Promise<void> {
  await tx.updateTable("users").set({
    ...(passwordHash !== undefined && { passwordHash }),
    emailVerifiedAt: sql<Date>`coalesce(email_verified_at, wheelwright_now())`,
    updatedAt: sql<Date>`wheelwright_now()`,
    ...(displayName !== undefined && { displayName }),
  }).where("id", "=", id).execute();
}

export async function renameUser(tx: Tx, id: string, displayName: string): Promise<void> {
  await tx.updateTable("users").set({ displayName, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).execute();
}

export async function enableUser(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("users").set({ disabledAt: null, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).execute();
}

/** Revokes all the user's API tokens. Returns the newly revoked tokens. */
export async function revokeUserTokens(
  tx: Tx,
  id: string,
): Promise<{ readonly id: string; readonly name: string; readonly prefix: string }[]> {
  const revoked = await tx.updateTable("api_tokens").set({ revokedAt: sql<Date>`wheelwright_now()` })
    .where("userId", "=", id).where("revokedAt", "is", null).returning(["id", "name", "prefix"]).execute();
  if (revoked.length > 0) tx.wakes.add(`user:${id}`);
  return revoked;
}
