/**
 * Defines SQL columns for queries on users: the hubs and spokes that a user administers. Memberships count only if the
 * user's email address is verified and the hub or spoke is not removed.
 */
import { type RawBuilder, sql } from "kysely";
import type { UserRole } from "#lib/model/user.ts";

/** An SQL column with the IDs of the hubs that a user administers. */
export const federationIdsColumn: RawBuilder<string[]> = sql`array(
  select member.federation_id from federation_members member
  join federations hub on hub.id = member.federation_id
  where member.user_id = users.id and users.email_verified_at is not null and hub.state <> 'removed'
  order by member.federation_id)`;

/** An SQL column with the IDs of the spokes that a user administers, except spokes in hubs that the user manages. */
export const spokeIdsColumn: RawBuilder<string[]> = sql`array(
  select member.spoke_id from spoke_members member
  join spokes spoke on spoke.id = member.spoke_id
  where member.user_id = users.id and users.email_verified_at is not null and spoke.state <> 'removed'
    and not exists (select from federation_members hub
      where hub.federation_id = spoke.federation_id and hub.user_id = users.id)
  order by member.spoke_id)`;

export function getUserRole(user: { readonly operator: boolean; readonly federationIds: readonly string[] }): UserRole {
  if (user.operator) return "operator";
  return user.federationIds.length > 0 ? "hub_admin" : "spoke_admin";
}
