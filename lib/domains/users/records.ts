/** Lists users for operators, newest first, with filters for email address, role and state. */
import { sql } from "kysely";
import { buildTextSearchCondition } from "#lib/drivers/db/text-search.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import {
  addNewestFirstOrder,
  type ListPage,
  type ListPageRequest,
  readPage,
  withPageItems,
} from "#lib/drivers/db/pages.ts";
import { isId } from "#lib/base/ids.ts";
import { toUser, userColumns, type UserRow } from "#lib/domains/users/store.ts";
import { showUser, type UserRecord } from "#lib/domains/users/views.ts";
import type { UserRole, UserState } from "#lib/model/user.ts";

interface UserFilter extends ListPageRequest {
  /** The prefix of the email address, in lower case. */
  readonly email?: string | undefined;
  readonly role?: UserRole | undefined;
  readonly state?: UserState | undefined;
  /** Text that the email address or display name must contain. */
  readonly q?: string | undefined;
}

/** An SQL expression for a user's state. An unverified user with a membership counts as `invited`. */
const state = sql<UserState>`case
  when users.disabled_at is not null then 'disabled'
  when users.email_verified_at is not null then 'active'
  when exists (select from federation_members member where member.user_id = users.id)
    or exists (select from spoke_members member where member.user_id = users.id) then 'invited'
  else 'unverified' end`;

const role = sql<UserRole>`case
  when operator then 'operator' when cardinality(federation_ids) > 0 then 'hub_admin' else 'spoke_admin' end`;

const columns = [
  ...userColumns,
  "users.operator as flagged",
  state.as("state"),
  "users.emailVerifiedAt",
  "users.mailRefusal",
  "users.disabledAt",
  "users.createdAt",
  "users.updatedAt",
] as const;

export async function findUserRecord(rows: RowQueries, id: string): Promise<UserRecord | undefined> {
  if (!isId("usr", id)) return undefined;
  const row = await rows.selectFrom("users").select(columns).where("id", "=", id).executeTakeFirst();
  return row && toRecord(row);
}

export async function listUserRecords(rows: RowQueries, filter: UserFilter): Promise<ListPage<UserRecord>> {
  let users = rows.selectFrom("users").select(columns);
  if (filter.email !== undefined) users = users.where(sql<boolean>`starts_with(users.email, ${filter.email})`);
  if (filter.q) users = users.where(buildTextSearchCondition(["users.email", "users.displayName"], filter.q));
  if (filter.state) users = users.where(state, "=", filter.state);
  let query = rows.selectFrom(users.as("users")).selectAll();
  if (filter.role) query = query.where(role, "=", filter.role);
  const page = await readPage(
    filter,
    (bounds) => addNewestFirstOrder(query, bounds, { id: "userId" }).execute(),
    ({ createdAt, userId }) => [createdAt, userId],
  );
  return withPageItems(page, page.items.map(toRecord));
}

interface RecordRow extends UserRow, Omit<UserRecord, keyof UserRow | "id" | "role"> {
  readonly flagged: boolean;
}

function toRecord({ flagged, ...row }: RecordRow): UserRecord {
  return { ...row, ...showUser(toUser(row)), operator: flagged };
}
