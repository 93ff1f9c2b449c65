/** Decides which objects a viewer can see. A spoke admin can also see a reduced view of the spoke's hub. */
import { type Expression, sql, type SqlBool } from "kysely";
import type { Actor } from "#lib/domains/auth/access.ts";

export type Viewer = Pick<Actor, "role" | "federationIds" | "spokeIds">;

/** Returns whether the viewer is an operator or an admin of this hub. */
export function canManageHub(viewer: Viewer, federationId: string): boolean {
  return viewer.role === "operator" || viewer.federationIds.includes(federationId);
}

/** The owner of an object: a spoke, a hub or, if both IDs are null, the service itself. */
interface OwnedObject {
  readonly federationId: string | null;
  readonly spokeId: string | null;
}

/** Returns whether the viewer can see an object. Objects of the hub itself are visible to users who can manage it. */
export function canSeeObject(viewer: Viewer, { federationId, spokeId }: OwnedObject): boolean {
  if (viewer.role === "operator") return true;
  if (federationId !== null && canManageHub(viewer, federationId)) return true;
  return spokeId !== null && viewer.spokeIds.includes(spokeId);
}

/** Returns `canSeeObject` as an SQL condition on the columns that contain the IDs of an object's hub and spoke. */
export function isObjectVisibleTo(viewer: Viewer, hub: Expression<string | null>, spoke: Expression<string | null>) {
  if (viewer.role === "operator") return sql<SqlBool>`true`;
  return sql<SqlBool>`(${hub} = any(${viewer.federationIds}::text[]) or ${spoke} = any(${viewer.spokeIds}::text[]))`;
}

/** Returns an SQL condition for hubs that the viewer can see. Admins of a live spoke can see the spoke's hub. */
export function isHubVisibleTo(viewer: Viewer, hub: Expression<string>) {
  if (viewer.role === "operator") return sql<SqlBool>`true`;
  return sql<SqlBool>`(${hub} = any(${viewer.federationIds}::text[]) or ${hub} in (
    select federation_id from spokes where id = any(${viewer.spokeIds}::text[]) and state <> 'removed'))`;
}
