/** The rows of users, and what the rest of the program calls a user. */
import { sql } from "kysely";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import { newId } from "#lib/base/ids.ts";
import { federationIds, type Role, roleOf, spokeIds } from "#lib/domains/members/store.ts";

export interface User {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly role: Role;
  /** Hubs that the user administers. */
  readonly federationIds: readonly string[];
  /** Spokes that the user administers without administering their hub. */
  readonly spokeIds: readonly string[];
}

/** What a login is judged by. */
export interface Account {
  readonly id: string;
  readonly email: string;
  /** Null while nobody can sign in with a password: none was set yet, or the user is disabled. */
  readonly passwordHash: string | null;
  readonly verified: boolean;
}

/** The columns of a query on `users` that `toUser` makes a user of. */
export const userColumns = [
  "users.id as userId",
  "users.email",
  "users.displayName",
  // As memberships do, the flag works only for a verified address.
  sql<boolean>`users.operator and users.email_verified_at is not null`.as("operator"),
  federationIds.as("federationIds"),
  spokeIds.as("spokeIds"),
] as const;

export interface UserRow {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly operator: boolean;
  readonly federationIds: string[];
  readonly spokeIds: string[];
}

export function toUser(row: UserRow): User {
  return {
    id: row.userId,
    email: row.email,
    displayName: row.displayName,
    role: roleOf({ operator: row.operator, federationIds: row.federationIds }),
    federationIds: row.federationIds,
    spokeIds: row.spokeIds,
  };
}

export async function readUser(rows: Rows, id: string): Promise<User> {
  return toUser(await rows.selectFrom("users").select(userColumns).where("id", "=", id).executeTakeFirstOrThrow());
}

/** The account of this address, in lower case as the Email schema leaves it. */
export async function findAccount(rows: Rows, email: string): Promise<Account | undefined> {
  const row = await rows.selectFrom("users").select([
    "id",
    "email",
    "passwordHash",
    "emailVerifiedAt",
    "disabledAt",
  ])
    .where("email", "=", email).executeTakeFirst();
  const passwordHash = row?.disabledAt ? null : row?.passwordHash ?? null;
  return row && { id: row.id, email: row.email, passwordHash, verified: row.emailVerifiedAt !== null };
}

/** Holds the account against changes until the transaction ends; returns whether its password is still this one. */
export async function lockAccount(tx: Tx, account: Account): Promise<boolean> {
  const row = await tx.selectFrom("users").select("id").where("id", "=", account.id)
    .where("passwordHash", "=", account.passwordHash).where("disabledAt", "is", null)
    .forNoKeyUpdate().executeTakeFirst();
  return row !== undefined;
}

/** Whether there was ever an operator: the last one can be neither demoted nor disabled. */
export async function hasOperators(rows: Rows): Promise<boolean> {
  const row = await rows.selectFrom("users").select("id").where("operator", "=", true).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Whom the service's own troubles are mailed to. */
export async function listOperators(rows: Rows): Promise<{ id: string; email: string; displayName: string }[]> {
  return await rows.selectFrom("users").select(["id", "email", "displayName"]).where("operator", "=", true)
    .where("emailVerifiedAt", "is not", null).where("disabledAt", "is", null).orderBy("id").execute();
}

/** The e-mail address of the operator who has been here longest. */
export async function findFirstOperator(rows: Rows): Promise<string> {
  const row = await rows.selectFrom("users").select("email").where("operator", "=", true)
    .where("disabledAt", "is", null).orderBy("createdAt").limit(1).executeTakeFirstOrThrow();
  return row.email;
}

/**
 * An operator whose address is taken as verified: the person who configures this machine vouches for it. Where it has an
 * account already, that may be a stranger's, who signed up with it: so its password, sessions and tokens are no good any more.
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
    await endSessionsOf(tx, id);
    await revokeTokensOf(tx, id);
  }
  return { id, isNew: newId !== null };
}

export async function setPassword(tx: Tx, id: string, passwordHash: string): Promise<void> {
  await tx.updateTable("users").set({ passwordHash, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).execute();
}

/** All sessions of the user, and with them the streams that were opened with one. */
export async function endSessionsOf(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("sessions").set({ endedAt: sql<Date>`wheelwright_now()` })
    .where("userId", "=", id).where("endedAt", "is", null).execute();
  tx.wakes.add(`user:${id}`);
}

/** A user whose row the transaction holds until it ends. */
export interface LockedUser {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly verified: boolean;
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  /** By the flag alone: it works only for a verified address. */
  readonly operator: boolean;
}

/** Takes the row before anything else of the user's is touched, so that a second caller waits for the whole. */
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

/** Somebody new, whose address nobody has proved yet; null when the address has an account already. */
export async function insertUser(
  tx: Tx,
  user: { readonly email: string; readonly displayName: string; readonly passwordHash: string | null },
): Promise<string | null> {
  const { email, displayName, passwordHash } = user;
  const row = await tx.insertInto("users")
    .values({ id: newId("usr"), email, displayName, passwordHash })
    .onConflict((conflict) => conflict.column("email").doNothing()).returning("id").executeTakeFirst();
  return row?.id ?? null;
}

/** Notes that the address is the user's, sets the password, or takes it away where null, and the name if one is given. */
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

/** All API tokens of the user; returns those that were still good. */
export async function revokeTokensOf(
  tx: Tx,
  id: string,
): Promise<{ readonly id: string; readonly name: string; readonly prefix: string }[]> {
  const revoked = await tx.updateTable("api_tokens").set({ revokedAt: sql<Date>`wheelwright_now()` })
    .where("userId", "=", id).where("revokedAt", "is", null).returning(["id", "name", "prefix"]).execute();
  if (revoked.length > 0) tx.wakes.add(`user:${id}`);
  return revoked;
}
