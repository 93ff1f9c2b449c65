/** Lists users for operators, newest first, with filters for email address, role and state. */
import { type RawBuilder, sql } from "kysely";
import { buildLikePattern, buildSearchCondition, readNewestOrAll } from "#lib/drivers/db/text-search.ts";
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

const isInvited = sql<boolean>`(exists (select from federation_members as member where member.user_id = users.id)
  or exists (select from spoke_members as member where member.user_id = users.id))`;
const IN_STATE: Readonly<Record<UserState, RawBuilder<boolean>>> = {
  disabled: sql<boolean>`users.disabled_at is not null`,
  active: sql<boolean>`(users.disabled_at is null and users.email_verified_at is not null)`,
  invited: sql<boolean>`(users.disabled_at is null and users.email_verified_at is null and ${isInvited})`,
  unverified: sql<boolean>`(users.disabled_at is null and users.email_verified_at is null and not ${isInvited})`,
};

/** An SQL expression for a user's state. An unverified user with a membership counts as `invited`. */
const state = sql<UserState>`case ${
  sql.join(Object.entries(IN_STATE).map(([name, isInState]) => sql`when ${isInState} then ${sql.lit(name)}`), sql` `)
} end`;

const isOperator = sql<boolean>`(users.operator and users.email_verified_at is not null)`;
const isHubAdmin = sql<boolean>`(not ${isOperator} and users.email_verified_at is not null and exists (
  select from federation_members as member join live_hubs as hub using (federation_id) where member.user_id = users.id))`;
const HAS_ROLE: Readonly<Record<UserRole, RawBuilder<boolean>>> = {
  operator: isOperator,
  hub_admin: isHubAdmin,
  spoke_admin: sql<boolean>`(not ${isOperator} and not ${isHubAdmin})`,
};

/** The text that searches look in. The index users_search has the same expression. */
const content = sql<string>`lower(users.email || E'\\n' || users.display_name)`;

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
  const { email, q, role } = filter, part = q ?? email;
  const page = await readPage(
    filter,
    (bounds) =>
      readNewestOrAll(bounds, part !== undefined, (newestRows) => {
        const newest = rows.selectFrom("users").selectAll();
        let users = newestRows === undefined
          ? rows.selectFrom("users").select(columns)
          : rows.selectFrom(addNewestFirstOrder(newest, { ...bounds, maxRows: newestRows }).as("users")).select(
            columns,
          );
        if (part !== undefined) {
          const term = { part, pattern: buildLikePattern(part) };
          users = users.where(buildSearchCondition(content, term, newestRows === undefined ? "all" : "newest"));
        }
        if (email !== undefined) users = users.where(sql<boolean>`starts_with(users.email, ${email})`);
        if (filter.state) users = users.where(IN_STATE[filter.state]);
        if (role) users = users.where(HAS_ROLE[role]);
        return addNewestFirstOrder(users, bounds, { at: "users.createdAt", id: "users.id" }).execute();
      }),
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
