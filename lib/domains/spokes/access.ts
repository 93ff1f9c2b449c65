/** Defines access rules for spokes. A rule loads the spoke in the URL path, by ID or domain, as `spoke`. */
import { type AccessRule, type Actor, requireActor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { getRemovedObjectVisibility } from "#lib/domains/federations/access.ts";
import { canManageHub, canSeeObject } from "#lib/domains/federations/viewer.ts";
import { findSpoke, findSpokeForList, type ListedSpoke, type SpokeWithExtras } from "#lib/domains/spokes/store.ts";

/**
 * Permissions on a spoke. Operators and hub admins have all permissions, and `history` and `restore` also for removed
 * spokes. Spoke admins can `see`, `act`, and read the `history` of live spokes.
 */
type SpokePermission = "see" | "act" | "remove" | "delegate" | "history" | "restore";

/** Permissions that only operators and hub admins have, with the verb phrase for the error message. */
const HUB_ADMIN_ONLY: { readonly [D in SpokePermission]?: string } = {
  remove: "remove a spoke",
  delegate: "manage the admins of a spoke",
  restore: "request a restore",
};

type SpokeAccess<Permission extends SpokePermission> = AccessRule<Actor, {
  readonly spoke: Permission extends "see" | "history" | "restore" ? ListedSpoke : SpokeWithExtras;
}>;

export function spokeAccess<Permission extends SpokePermission>(permission: Permission): SpokeAccess<Permission> {
  const find = permission === "see" || permission === "history" || permission === "restore"
    ? findSpokeForList
    : findSpoke;
  const usual = permission === "history" || permission === "restore" ? "shown" : "hidden";
  return {
    name: `spoke: ${permission}`,
    prefetch: ({ app, params, query }) =>
      query.includeRemoved === undefined ? find(app.db.rows, params.spokeId ?? "", usual) : undefined,
    async admit({ app, actor: caller, params, query, prefetched }) {
      const actor = requireActor(caller);
      const removed = permission === "see" ? getRemovedObjectVisibility(actor, query) : usual;
      const row = await (prefetched as ReturnType<typeof find> | undefined ??
        find(app.db.rows, params.spokeId ?? "", removed));
      if (!row || !canSeeSpoke(actor, row)) throw spokeMissingFault();
      if (HUB_ADMIN_ONLY[permission] && !canManageHub(actor, row.federationId)) {
        const message = `Only operators and admins of the hub can ${HUB_ADMIN_ONLY[permission]}`;
        throw new Fault("forbidden", "federation_admin_only", message);
      }
      return { actor, spoke: row };
    },
  } as SpokeAccess<Permission>;
}

export function spokeMissingFault(): Fault {
  return new Fault("missing", "spoke_missing", "There is no such spoke, or you have no access to it");
}

/** Returns whether the actor can see the spoke. Only operators and hub admins can see a removed spoke. */
export function canSeeSpoke(actor: Actor, row: ListedSpoke): boolean {
  if (row.state === "removed") return canManageHub(actor, row.federationId);
  return canSeeObject(actor, { federationId: row.federationId, spokeId: row.id });
}
