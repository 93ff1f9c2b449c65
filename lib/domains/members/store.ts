/**
 * Finds the hubs and spokes that a user administers, as columns of the query that finds the user. Memberships have an
 * effect only for verified addresses, and only in objects that are not removed.
 */
import { type RawBuilder, sql } from "kysely";

/** Column with the hubs of the query's `users` row. */
export const federationIdsColumn: RawBuilder<string[]> = sql`array(
  select member.federation_id from federation_members member
  join federations hub on hub.id = member.federation_id
  where member.user_id = users.id and users.email_verified_at is not null and hub.state <> 'removed'
  order by member.federation_id)`;

/** Column with the spokes of the query's `users` row, except those of hubs that the user administers. */
export const spokeIdsColumn: RawBuilder<string[]> = sql`array(
  select member.spoke_id from spoke_members member
  join spokes spoke on spoke.id = member.spoke_id
  where member.user_id = users.id and users.email_verified_at is not null and spoke.state <> 'removed'
    and not exists (select from federation_members hub
      where hub.federation_id = spoke.federation_id and hub.user_id = users.id)
  order by member.spoke_id)`;

/** The role of a user. Operators have a flag. The role of other users follows from their memberships. */
export type Role = "operator" | "hub_admin" | "spoke_admin";

export function roleOf(user: { readonly operator: boolean; readonly federationIds: readonly string[] }): Role {
  if (user.operator) return "operator";
  return user.federationIds.length > 0 ? "hub_admin" : "spoke_admin";
}
