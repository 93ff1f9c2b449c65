/** A user as the API shows it (spec 2.1). */
import * as v from "valibot";
import type { User } from "#lib/users/store.ts";

export const UserView = v.object({
  id: v.string(),
  email: v.string(),
  role: v.picklist(["operator", "hub_admin", "spoke_admin"]),
  federationIds: v.array(v.string()),
  displayName: v.string(),
  spokeIds: v.array(v.string()),
});

export function showUser(user: User): v.InferInput<typeof UserView> {
  return { ...user, federationIds: [...user.federationIds], spokeIds: [...user.spokeIds] };
}
