/** Adds and removes spoke admins. */
import type { App } from "#lib/app.ts";
import type { AccessRule, Actor } from "#lib/domains/auth/access.ts";
import { addMember, type InvitationResult, removeMember } from "#lib/domains/auth/invitations.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { type IdempotencyKey, runIdempotently } from "#lib/idempotency/store.ts";
import type { NewMember } from "#lib/domains/members/views.ts";
import { spokeAccess, spokeMissingFault } from "#lib/domains/spokes/access.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";

/** Loads the spoke and the member in the URL path. Admits the member, hub admins and operators. */
export const spokeMemberAccess: AccessRule<Actor, { readonly spoke: SpokeRow; readonly userId: string }> = {
  name: "spoke: member",
  async admit(request) {
    const { userId = "" } = request.params;
    const own = userId !== "" && userId === request.actor?.userId;
    return { ...await spokeAccess(own ? "act" : "delegate").admit(request), userId };
  },
};

/** Removes a spoke admin, with immediate effect. Throws a `missing` fault (`member_missing`). */
export async function removeSpokeMember(app: App, actor: Actor, spoke: SpokeRow, userId: string): Promise<void> {
  const entry = { kind: "spoke_delegation_removed", objectType: "spoke", objectId: spoke.id } as const;
  const ids = { federationId: spoke.federationId, spokeId: spoke.id };
  await app.db.transact((tx) =>
    removeMember(tx, actor, userId, {
      membership: { spokeId: spoke.id },
      ids,
      auditEntry: { ...entry, metadata: { slug: spoke.slug } },
    })
  );
}

/** Adds a spoke admin. Idempotent. Throws a `conflict` fault (`user_disabled` or `spoke_state`). */
export async function addSpokeMember(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  invitee: NewMember,
  key: IdempotencyKey | null,
): Promise<InvitationResult & { readonly spokeId: string }> {
  const { id: spokeId, federationId, slug } = spoke;
  return await runIdempotently(app.db, key, async (tx) => {
    const result = await addMember(tx, actor, invitee, {
      membership: { spokeId },
      ids: { federationId, spokeId },
      lock: (tx) => lockSpokeForMember(tx, spokeId),
      auditEntry: { kind: "spoke_delegated", objectType: "spoke", objectId: spokeId, metadata: { slug } },
    });
    return { ...result, spokeId };
  });
}

async function lockSpokeForMember(tx: Tx, id: string): Promise<void> {
  const { state } = await lockSpoke(tx, id);
  if (state === "removed") throw spokeMissingFault();
  if (state !== "removing") return;
  throw new Fault("conflict", "spoke_state", "Cannot add an admin to a spoke that is being removed");
}
