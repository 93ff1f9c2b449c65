/** Adds and removes hub admins. Only operators can manage a hub without admins. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { addMember, type InvitationResult, removeMember } from "#lib/domains/auth/invitations.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import { type FederationRow, lockFederationShared } from "#lib/domains/federations/store.ts";
import { type IdempotencyKey, runIdempotently } from "#lib/idempotency/store.ts";
import type { NewMember } from "#lib/domains/members/views.ts";

/** Adds a hub admin. Idempotent. Throws a `conflict` fault (`user_disabled` or `federation_state`). */
export async function addHubMember(
  app: App,
  actor: Actor,
  { id: federationId, slug }: FederationRow,
  invitee: NewMember,
  key: IdempotencyKey | null,
): Promise<InvitationResult & { readonly federationId: string }> {
  return await runIdempotently(app.db, key, async (tx) => {
    const result = await addMember(tx, actor, invitee, {
      membership: { federationId },
      ids: { federationId },
      lock: async (tx) => requireLiveHub((await lockFederationShared(tx, federationId)).state, "add a member to"),
      auditEntry: {
        kind: "federation_member_added",
        objectType: "federation",
        objectId: federationId,
        metadata: { slug },
      },
    });
    return { ...result, federationId };
  });
}

/** Removes a hub admin, with immediate effect. Throws a `missing` fault (`member_missing`). */
export async function removeHubMember(
  app: App,
  actor: Actor,
  { id: federationId, slug }: FederationRow,
  userId: string,
): Promise<void> {
  const entry = { kind: "federation_member_removed", objectType: "federation", objectId: federationId } as const;
  await app.db.transact((tx) =>
    removeMember(tx, actor, userId, {
      membership: { federationId },
      ids: { federationId },
      auditEntry: { ...entry, metadata: { slug } },
    })
  );
}
