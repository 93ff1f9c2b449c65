/** Defines access rules for hubs. A rule loads the hub in the URL path, by ID or slug, as `federation`. */
import { sql } from "kysely";
import { type AccessRule, type Actor, requireActor, requireOperator } from "#lib/domains/auth/access.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { type FederationRow, findFederation, type RemovedObjectVisibility } from "#lib/domains/federations/store.ts";
import { canManageHub, isHubVisibleTo, type Viewer } from "#lib/domains/federations/viewer.ts";

/** Permissions on a hub. Hub admins can `see` and `change`, spoke admins can `see`, and operators have all of them. */
type FederationPermission = "see" | "change" | "remove" | "bill";

export function hubAccess(permission: FederationPermission): AccessRule<Actor, { readonly federation: FederationRow }> {
  return {
    name: `federation: ${permission}`,
    prefetch: ({ app, params, query }) =>
      query.includeRemoved === undefined ? findFederation(app.db.rows, params.federationId ?? "", "hidden") : undefined,
    async admit({ app, actor: caller, params, query, prefetched }) {
      const actor = requireActor(caller), { rows } = app.db;
      const removed = permission === "see" ? getRemovedObjectVisibility(actor, query) : "hidden";
      const found = prefetched as ReturnType<typeof findFederation> | undefined;
      const row = await requireVisibleHub(
        rows,
        actor,
        await (found ?? findFederation(rows, params.federationId ?? "", removed)),
      );
      if (permission === "change") requireHubAdmin(actor, row.id);
      if (permission === "remove" || permission === "bill") requireOperator(actor);
      return { actor, federation: row };
    },
  };
}

/** Throws a `forbidden` fault (`federation_admin_only`) unless the actor is an operator or an admin of this hub. */
export function requireHubAdmin(actor: Actor, federationId: string): void {
  if (canManageHub(actor, federationId)) return;
  const message = "Only operators and admins of this hub can perform this action";
  throw new Fault("forbidden", "federation_admin_only", message);
}

/** Returns `shown` if an operator requests removed objects with `?includeRemoved=true`. Otherwise returns `hidden`. */
export function getRemovedObjectVisibility(
  actor: Actor,
  query: { readonly includeRemoved?: string | boolean | undefined },
): RemovedObjectVisibility {
  const isRequested = ["true", "1"].includes(String(query.includeRemoved));
  return isRequested && actor.role === "operator" ? "shown" : "hidden";
}

/** Returns the hub with this ID or slug. Throws a `missing` fault if the viewer cannot see the hub. */
export async function findVisibleHub(
  rows: RowQueries,
  viewer: Viewer,
  name: string,
  removed: RemovedObjectVisibility,
): Promise<FederationRow> {
  return await requireVisibleHub(rows, viewer, await findFederation(rows, name, removed));
}

async function requireVisibleHub(
  rows: RowQueries,
  viewer: Viewer,
  row: FederationRow | undefined,
): Promise<FederationRow> {
  if (!row || !await canSeeHub(rows, viewer, row.id)) throw federationMissingFault();
  return row;
}

export function federationMissingFault(): Fault {
  return new Fault("missing", "federation_missing", "There is no such hub, or you have no access to it");
}

async function canSeeHub(rows: RowQueries, viewer: Viewer, id: string): Promise<boolean> {
  if (canManageHub(viewer, id)) return true;
  if (viewer.spokeIds.length === 0) return false;
  const found = await rows.selectFrom("federations").select("id").where("id", "=", id)
    .where(isHubVisibleTo(viewer, sql.ref("federations.id"))).executeTakeFirst();
  return found !== undefined;
}
