/** The rows of users, and what the rest of the program calls a user. */
import { sql } from "kysely";
import type { Rows, Tx } from "#lib/db/database.ts";
import { type Role, roleOf } from "#lib/members/role.ts";
import { federationIds, spokeIds } from "#lib/members/store.ts";

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
}

/** The columns of a query on `users` that `toUser` makes a user of. */
export const userColumns = [
  "users.id as user_id",
  "users.email",
  "users.display_name",
  "users.operator",
  federationIds.as("federation_ids"),
  spokeIds.as("spoke_ids"),
] as const;

export interface UserRow {
  readonly user_id: string;
  readonly email: string;
  readonly display_name: string;
  readonly operator: boolean;
  readonly federation_ids: string[];
  readonly spoke_ids: string[];
}

export function toUser(row: UserRow): User {
  return {
    id: row.user_id,
    email: row.email,
    displayName: row.display_name,
    role: roleOf({ operator: row.operator, federationIds: row.federation_ids }),
    federationIds: row.federation_ids,
    spokeIds: row.spoke_ids,
  };
}

export async function readUser(rows: Rows, id: string): Promise<User> {
  return toUser(await rows.selectFrom("users").select(userColumns).where("id", "=", id).executeTakeFirstOrThrow());
}

/** The account of this address, in lower case as the Email schema leaves it. */
export async function findAccount(rows: Rows, email: string): Promise<Account | undefined> {
  const row = await rows.selectFrom("users").select(["id", "email", "password_hash", "disabled_at"])
    .where("email", "=", email).executeTakeFirst();
  return row && { id: row.id, email: row.email, passwordHash: row.disabled_at ? null : row.password_hash };
}

/** Holds the account against changes until the transaction ends; returns whether its password is still this one. */
export async function keepAccount(tx: Tx, account: Account): Promise<boolean> {
  const row = await tx.selectFrom("users").select("id").where("id", "=", account.id)
    .where("password_hash", "=", account.passwordHash).where("disabled_at", "is", null)
    .forNoKeyUpdate().executeTakeFirst();
  return row !== undefined;
}

/** Whether anybody has an account here. */
export async function hasUsers(rows: Rows): Promise<boolean> {
  return await rows.selectFrom("users").select("id").limit(1).executeTakeFirst() !== undefined;
}

/** The e-mail address of the operator who has been here longest. */
export async function findFirstOperator(rows: Rows): Promise<string> {
  const row = await rows.selectFrom("users").select("email").where("operator", "=", true)
    .where("disabled_at", "is", null).orderBy("created_at").limit(1).executeTakeFirstOrThrow();
  return row.email;
}

/** An operator whose address is taken as verified: whoever configures this machine vouches for it. */
export async function insertOperator(
  tx: Tx,
  user: { readonly id: string; readonly email: string; readonly passwordHash: string },
): Promise<void> {
  const { id, email, passwordHash } = user;
  await tx.insertInto("users").values({
    id,
    email,
    display_name: email,
    password_hash: passwordHash,
    operator: true,
    email_verified_at: sql<Date>`wheelwright_now()`,
  }).execute();
}

export async function setPassword(tx: Tx, id: string, passwordHash: string): Promise<void> {
  await tx.updateTable("users").set({ password_hash: passwordHash, updated_at: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).execute();
}

/** All sessions of the user, and with them the streams that were opened with one. */
export async function endSessionsOf(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("sessions").set({ ended_at: sql<Date>`wheelwright_now()` })
    .where("user_id", "=", id).where("ended_at", "is", null).execute();
  tx.wakes.add("credentials");
}
