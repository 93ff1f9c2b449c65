/**
 * What a caller may see: operators everything, hub admins their hubs, spoke admins their spokes and, narrowed to those,
 * the hubs that they stand in. Every query that reads for a caller takes its condition from here.
 */
import { type Expression, sql, type SqlBool } from "kysely";
import type { Actor } from "#lib/domains/auth/access.ts";

export type Viewer = Pick<Actor, "role" | "federationIds" | "spokeIds">;

/** Whether the caller runs this hub: as an operator, or as its administrator. */
export function canManageHub(viewer: Viewer, federationId: string): boolean {
  return viewer.role === "operator" || viewer.federationIds.includes(federationId);
}

/** What belongs to a spoke, or without one to a hub itself, or without either to the service. */
interface OwnedObject {
  readonly federationId: string | null;
  readonly spokeId: string | null;
}

/** Whether the caller sees what belongs there, be it live or removed; a hub's own is for those who run it. */
export function canSee(viewer: Viewer, { federationId, spokeId }: OwnedObject): boolean {
  if (viewer.role === "operator") return true;
  if (federationId !== null && canManageHub(viewer, federationId)) return true;
  return spokeId !== null && viewer.spokeIds.includes(spokeId);
}

/** The same as a condition on the columns that name the hub and the spoke. */
export function isVisibleTo(viewer: Viewer, hub: Expression<string | null>, spoke: Expression<string | null>) {
  if (viewer.role === "operator") return sql<SqlBool>`true`;
  return sql<SqlBool>`(${hub} = any(${viewer.federationIds}::text[]) or ${spoke} = any(${viewer.spokeIds}::text[]))`;
}

/** The same for a column that names a hub: everybody who has a live spoke in it sees it. */
export function isHubVisibleTo(viewer: Viewer, hub: Expression<string>) {
  if (viewer.role === "operator") return sql<SqlBool>`true`;
  return sql<SqlBool>`(${hub} = any(${viewer.federationIds}::text[]) or ${hub} in (
    select federation_id from spokes where id = any(${viewer.spokeIds}::text[]) and state <> 'removed'))`;
}
