/** Delegates a spoke: somebody administers it from now on, or as soon as they have accepted the invitation. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { bringIn, type Joining } from "#lib/domains/auth/invitations.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { type IdempotencyKey, once } from "#lib/records/idempotency/store.ts";
import type { NewMember } from "#lib/domains/members/views.ts";
import { missingSpoke } from "#lib/domains/spokes/access.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";

/** Idempotent on address and spoke. Throws Fault conflict `user_disabled`, `spoke_state`. */
export async function delegateSpoke(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  invitee: NewMember,
  key: IdempotencyKey | null,
): Promise<Joining & { readonly spokeId: string }> {
  const { id: spokeId, federationId, slug } = spoke;
  return await app.db.transact((tx) =>
    once(tx, key, async () => {
      const joining = await bringIn(tx, actor, invitee, {
        seat: { spokeId },
        belonging: { federationId, spokeId },
        keep: (tx) => keepSpoke(tx, spokeId),
        entry: { kind: "spoke_delegated", objectType: "spoke", objectId: spokeId, metadata: { slug } },
      });
      return { ...joining, spokeId };
    })
  );
}

async function keepSpoke(tx: Tx, id: string): Promise<void> {
  const { state } = await lockSpoke(tx, id);
  if (state === "removed") throw missingSpoke();
  if (state !== "removing") return;
  throw new Fault("conflict", "spoke_state", "Cannot delegate a spoke that is being removed");
}
