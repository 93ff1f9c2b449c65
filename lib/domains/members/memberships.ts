/**
 * Stores the members of hubs and spokes, in two tables with the same structure. Memberships count only if the user's
 * email address is verified and the hub or spoke is not removed.
 */
import { type RawBuilder, sql } from "kysely";
import { formatSpokeUrl } from "#lib/catalog/inputs.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { buildCursorCondition, type ListPage, type ListPageRequest, readPage } from "#lib/drivers/db/pages.ts";
import type { UserRole } from "#lib/model/user.ts";

export type MembershipKey = { readonly federationId: string } | { readonly spokeId: string };

export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  /** Whether the user has not accepted the invitation yet. A pending membership has no effect. */
  readonly pending: boolean;
  /** Why the mail server permanently refused the last email to the user. Null if the email was not refused. */
  readonly mailRefusal: string | null;
  readonly createdAt: Date;
}

/** A hub or spoke that a user administers: its name and, for a spoke, its site. */
export interface AdministeredObject {
  readonly name: string;
  /** The spoke's site, or null for a hub. `open` says whether the site should be reachable now. */
  readonly site:
    | { readonly spokeId: string; readonly host: string; readonly url: string; readonly open: boolean }
    | null;
}

/** Adds a membership. Returns false if the user was already a member. */
export async function addMembership(tx: Tx, membership: MembershipKey, userId: string): Promise<boolean> {
  const { table, column, id } = tableOf(membership);
  const { rows } = await sql`insert into ${table} (${column}, user_id) values (${id}, ${userId})
    on conflict do nothing returning user_id`.execute(tx);
  if (rows.length > 0) tx.wakes.add(`user:${userId}`);
  return rows.length > 0;
}

/** Removes a membership. Returns false if the user was not a member. */
export async function removeMembership(tx: Tx, membership: MembershipKey, userId: string): Promise<boolean> {
  const { table, column, id } = tableOf(membership);
  const { rows } = await sql`delete from ${table} where ${column} = ${id} and user_id = ${userId}
    returning user_id`.execute(tx);
  if (rows.length > 0) tx.wakes.add(`user:${userId}`);
  return rows.length > 0;
}

/** Lists members, newest first. Returns all members unless a limit is given. */
export async function listMembers(
  rows: RowQueries,
  membership: MembershipKey,
  page: ListPageRequest,
): Promise<ListPage<Member>> {
  const { table, column, id } = tableOf(membership);
  return await readPage(page, async (bounds) => {
    const { rows: found } = await sql<Member>`
      select user_id, email, display_name, email_verified_at is null as pending, mail_refusal, membership.created_at
      from ${table} as membership join users on users.id = membership.user_id
      where membership.${column} = ${id} and ${
      buildCursorCondition(bounds, sql`membership.created_at`, sql`membership.user_id`)
    }
      order by membership.created_at desc, membership.user_id desc limit ${bounds.maxRows ?? null}`.execute(rows);
    return found;
  }, ({ createdAt, userId }) => [createdAt, userId]);
}

/** Lists a user's hubs, then the user's spokes. Includes those that the user can access only after verification. */
export async function listAdministeredObjects(rows: RowQueries, userId: string): Promise<AdministeredObject[]> {
  const { rows: found } = await sql<AdministeredRow>`
    select name, spoke_id, state, domain, blueprint_inputs from (
      select 1 as rank, hub.name, member.created_at, hub.id,
        null as spoke_id, null as state, null as domain, null::jsonb as blueprint_inputs
        from federation_members as member
        join federations as hub on hub.id = member.federation_id
        where member.user_id = ${userId} and hub.state <> 'removed'
      union all
      select 2, spoke.display_name, member.created_at, spoke.id,
        spoke.id, spoke.state, spoke.domain, spoke.blueprint_inputs
        from spoke_members as member
        join spokes as spoke on spoke.id = member.spoke_id
        where member.user_id = ${userId} and spoke.state <> 'removed'
    ) as memberships order by rank, created_at, id`.execute(rows);
  return found.map(({ name, spokeId, state, domain: host, blueprintInputs: inputs }) => ({
    name,
    site: spokeId === null
      ? null
      : { spokeId, host, url: formatSpokeUrl({ ...inputs, host }), open: state === "active" },
  }));
}

/** Lists the names of a user's hubs and spokes, including those that the user can access only after verification. */
export async function listAdministeredNames(rows: RowQueries, userId: string): Promise<string[]> {
  return (await listAdministeredObjects(rows, userId)).map(({ name }) => name);
}

type AdministeredRow =
  & { readonly name: string; readonly domain: string; readonly blueprintInputs: SpokeInputs }
  & ({ readonly spokeId: string; readonly state: string } | { readonly spokeId: null; readonly state: null });

function tableOf(membership: MembershipKey) {
  return "spokeId" in membership
    ? { table: sql.table("spoke_members"), column: sql.ref("spokeId"), id: membership.spokeId }
    : { table: sql.table("federation_members"), column: sql.ref("federationId"), id: membership.federationId };
}

/** An SQL column with the IDs of the hubs that a user administers. */
export const federationIdsColumn: RawBuilder<string[]> = sql`array(
  select hub.federation_id from live_hubs hub
  where users.email_verified_at is not null and hub.federation_id = any(array(
    select member.federation_id from federation_members member where member.user_id = users.id))
  order by hub.federation_id)`;

/** An SQL column with the IDs of the spokes that a user administers, except spokes in hubs that the user manages. */
export const spokeIdsColumn: RawBuilder<string[]> = sql`array(
  select member.spoke_id from spoke_members member
  join spokes spoke on spoke.id = member.spoke_id
  where member.user_id = users.id and users.email_verified_at is not null and spoke.state <> 'removed'
    and not exists (select from federation_members hub
      where hub.federation_id = spoke.federation_id and hub.user_id = users.id)
  order by member.spoke_id)`;

/** An SQL condition: the row of `api_tokens as token` has no limit, or its limit contains the hub. */
const isWithinLimit = (hub: RawBuilder<unknown>) =>
  sql`(token.federation_ids is null or ${hub} = any(token.federation_ids))`;

/**
 * SQL columns for the owner of a row of `api_tokens as token`. A limited token of an operator acts as an admin of the
 * hubs in its limit, and other limited tokens keep only memberships within the limit.
 */
export const tokenAccessColumns = {
  operator: sql<boolean>`(users.operator and users.email_verified_at is not null and token.federation_ids is null)`,
  federationIds: sql<string[]>`array(
    select hub.federation_id from live_hubs hub
    where users.email_verified_at is not null and hub.federation_id = any(
      case when users.operator and token.federation_ids is not null then token.federation_ids else array(
        select member.federation_id from federation_members member
        where member.user_id = users.id and ${isWithinLimit(sql`member.federation_id`)}) end)
    order by hub.federation_id)`,
  spokeIds: sql<string[]>`array(
    select member.spoke_id from spoke_members member
    join spokes spoke on spoke.id = member.spoke_id
    where member.user_id = users.id and users.email_verified_at is not null and spoke.state <> 'removed'
      and ${isWithinLimit(sql`spoke.federation_id`)} and not (users.operator and token.federation_ids is not null)
      and not exists (select from federation_members hub
        where hub.federation_id = spoke.federation_id and hub.user_id = users.id)
    order by member.spoke_id)`,
};

export function getUserRole(user: { readonly operator: boolean; readonly federationIds: readonly string[] }): UserRole {
  if (user.operator) return "operator";
  return user.federationIds.length > 0 ? "hub_admin" : "spoke_admin";
}
