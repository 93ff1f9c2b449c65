/** Decides what a viewer can see. Spoke admins also see a reduced view of the hubs that contain their spokes. */
import { type Expression, sql, type SqlBool } from "kysely";
import type { Actor } from "#lib/domains/auth/access.ts";

export type Viewer = Pick<Actor, "role" | "federationIds" | "spokeIds">;

/** Returns whether the viewer is an operator or an admin of this hub. */
export function canManageHub(viewer: Viewer, federationId: string): boolean {
  return viewer.role === "operator" || viewer.federationIds.includes(federationId);
}

/** An object that belongs to a spoke, a hub, or (both null) the service. */
interface OwnedObject {
  readonly federationId: string | null;
  readonly spokeId: string | null;
}

/** Returns whether the viewer can see the object. Objects of the hub itself are visible to its managers only. */
export function canSeeObject(viewer: Viewer, { federationId, spokeId }: OwnedObject): boolean {
  if (viewer.role === "operator") return true;
  if (federationId !== null && canManageHub(viewer, federationId)) return true;
  return spokeId !== null && viewer.spokeIds.includes(spokeId);
}

/** The condition of `canSeeObject` in SQL, for columns with the hub and the spoke. */
export function isObjectVisibleTo(viewer: Viewer, hub: Expression<string | null>, spoke: Expression<string | null>) {
  if (viewer.role === "operator") return sql<SqlBool>`true`;
  return sql<SqlBool>`(${hub} = any(${viewer.federationIds}::text[]) or ${spoke} = any(${viewer.spokeIds}::text[]))`;
}

/** SQL condition that the viewer can see a hub. Admins of a live spoke can see the hub of this spoke. */
export function isHubVisibleTo(viewer: Viewer, hub: Expression<string>) {
  if (viewer.role === "operator") return sql<SqlBool>`true`;
  return sql<SqlBool>`(${hub} = any(${viewer.federationIds}::text[]) or ${hub} in (
    select federation_id from spokes where id = any(${viewer.spokeIds}::text[]) and state <> 'removed'))`;
}
