/**
 * What a caller may see: operators everything, hub admins their hubs, spoke admins their spokes and, narrowed to those,
 * the hubs that they stand in. Every query that reads for a caller takes its condition from here.
 */
import { type Expression, sql, type SqlBool } from "kysely";
import type { Actor } from "#lib/auth/access.ts";

export type Viewer = Pick<Actor, "role" | "federationIds" | "spokeIds">;

/** The service's own eyes, for what is not shown to anybody as it is. */
export const EVERYTHING: Viewer = { role: "operator", federationIds: [], spokeIds: [] };

/** Whether the caller runs this hub: as an operator, or as its administrator. */
export function runsHub(viewer: Viewer, federationId: string): boolean {
  return viewer.role === "operator" || viewer.federationIds.includes(federationId);
}

/** Whether the caller sees this spoke, be it live or removed. */
export function seesSpoke(viewer: Viewer, spoke: { readonly id: string; readonly federationId: string }): boolean {
  return runsHub(viewer, spoke.federationId) || viewer.spokeIds.includes(spoke.id);
}

/** The same as a condition on two columns that name a hub and a spoke; a row without a spoke is its hub's own. */
export function spokesSeenBy(viewer: Viewer, hub: Expression<string | null>, spoke: Expression<string | null>) {
  if (viewer.role === "operator") return sql<SqlBool>`true`;
  return sql<SqlBool>`(${hub} = any(${viewer.federationIds}::text[]) or ${spoke} = any(${viewer.spokeIds}::text[]))`;
}

/** The same for a column that names a hub: whoever has a live spoke in it sees it. */
export function hubsSeenBy(viewer: Viewer, hub: Expression<string>) {
  if (viewer.role === "operator") return sql<SqlBool>`true`;
  return sql<SqlBool>`(${hub} = any(${viewer.federationIds}::text[]) or ${hub} in (
    select federation_id from spokes where id = any(${viewer.spokeIds}::text[]) and state <> 'removed'))`;
}
