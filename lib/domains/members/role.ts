/** What a user is: an operator by a flag, else by where the user belongs. */
export type Role = "operator" | "hub_admin" | "spoke_admin";

export function roleOf(user: { readonly operator: boolean; readonly federationIds: readonly string[] }): Role {
  if (user.operator) return "operator";
  return user.federationIds.length > 0 ? "hub_admin" : "spoke_admin";
}
