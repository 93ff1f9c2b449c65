/** Users as operators see them: each with the state that it is in, newest first, found by address, role or state. */
import { sql } from "kysely";
import { contains } from "#lib/drivers/db/contains.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { isId } from "#lib/base/ids.ts";
import { toUser, userColumns, type UserRow } from "#lib/domains/users/store.ts";
import { showUser, type UserRecord, type UserState } from "#lib/domains/users/views.ts";

interface UserFilter {
  /** What the address begins with, in lower case. */
  readonly email?: string | undefined;
  readonly role?: UserRecord["role"] | undefined;
  readonly state?: UserState | undefined;
  /** A part of the address or the display name. */
  readonly q?: string | undefined;
  readonly limit: number;
  /** Exclusive; users who share the last one's timestamp are never split between two pages. */
  readonly before?: Date | undefined;
}

/** Who has a seat was invited; who has none signed up, or is not invited any more. */
const state = sql<UserState>`case
  when users.disabled_at is not null then 'disabled'
  when users.email_verified_at is not null then 'active'
  when exists (select from federation_members member where member.user_id = users.id)
    or exists (select from spoke_members member where member.user_id = users.id) then 'invited'
  else 'unverified' end`;

const role = sql<UserRecord["role"]>`case
  when operator then 'operator' when cardinality(federation_ids) > 0 then 'hub_admin' else 'spoke_admin' end`;

const columns = [
  ...userColumns,
  "users.operator as flagged",
  state.as("state"),
  "users.emailVerifiedAt",
  "users.mailRefused",
  "users.disabledAt",
  "users.createdAt",
  "users.updatedAt",
] as const;

export async function findUserRecord(rows: Rows, id: string): Promise<UserRecord | undefined> {
  if (!isId("usr", id)) return undefined;
  const row = await rows.selectFrom("users").select(columns).where("id", "=", id).executeTakeFirst();
  return row && toRecord(row);
}

export async function listUserRecords(rows: Rows, filter: UserFilter): Promise<UserRecord[]> {
  let users = rows.selectFrom("users").select(columns);
  if (filter.email !== undefined) users = users.where(sql<boolean>`starts_with(users.email, ${filter.email})`);
  if (filter.q) users = users.where(contains(["users.email", "users.displayName"], filter.q));
  if (filter.before) users = users.where("users.createdAt", "<", filter.before);
  if (filter.state) users = users.where(state, "=", filter.state);
  let page = rows.selectFrom(users.as("users")).selectAll().orderBy("createdAt", "desc");
  if (filter.role) page = page.where(role, "=", filter.role);
  const found = await rows.selectFrom(page.fetch(filter.limit, "with ties").as("page")).selectAll()
    .orderBy("createdAt", "desc").orderBy("userId", "desc").execute();
  return found.map(toRecord);
}

interface RecordRow extends UserRow, Omit<UserRecord, keyof UserRow | "id" | "role"> {
  readonly flagged: boolean;
}

function toRecord({ flagged, ...row }: RecordRow): UserRecord {
  return { ...row, ...showUser(toUser(row)), operator: flagged };
}
