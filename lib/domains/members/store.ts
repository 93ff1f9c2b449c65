/**
 * Who belongs where: the hubs and spokes that a user administers.
 *
 * They are read as two columns of the query that finds the user, so that a request costs one round trip. Memberships
 * work only for a verified address, and only in what has not been removed.
 */
import { type RawBuilder, sql } from "kysely";

/** Hubs of the `users` row of the query that this is a column of. */
export const federationIds: RawBuilder<string[]> = sql`array(
  select member.federation_id from federation_members member
  join federations hub on hub.id = member.federation_id
  where member.user_id = users.id and users.email_verified_at is not null and hub.state <> 'removed'
  order by member.federation_id)`;

/** Spokes of the `users` row, but for those of hubs that the user administers anyway. */
export const spokeIds: RawBuilder<string[]> = sql`array(
  select member.spoke_id from spoke_members member
  join spokes spoke on spoke.id = member.spoke_id
  where member.user_id = users.id and users.email_verified_at is not null and spoke.state <> 'removed'
    and not exists (select from federation_members hub
      where hub.federation_id = spoke.federation_id and hub.user_id = users.id)
  order by member.spoke_id)`;

/** What a user is: an operator by a flag, else by where the user belongs. */
export type Role = "operator" | "hub_admin" | "spoke_admin";

export function roleOf(user: { readonly operator: boolean; readonly federationIds: readonly string[] }): Role {
  if (user.operator) return "operator";
  return user.federationIds.length > 0 ? "hub_admin" : "spoke_admin";
}
