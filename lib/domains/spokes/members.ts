/** Who administers a spoke besides those who run its hub: brought in, listed, taken out. */
import type { App } from "#lib/app.ts";
import type { Access, Actor } from "#lib/domains/auth/access.ts";
import { bringIn, type Joining, takeOut } from "#lib/domains/auth/invitations.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { ListPage, ListPageRequest } from "#lib/drivers/db/pages.ts";
import { listSeats, type Member } from "#lib/domains/members/seats.ts";
import { Fault } from "#lib/base/errors.ts";
import { type IdempotencyKey, once } from "#lib/idempotency/store.ts";
import type { NewMember } from "#lib/domains/members/views.ts";
import { missingSpoke, spoke } from "#lib/domains/spokes/access.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";

/** The spoke and the member of the path: those who run the hub may take anybody out, and everybody may leave. */
export const spokeMember: Access<Actor, { readonly spoke: SpokeRow; readonly userId: string }> = {
  name: "spoke: member",
  async admit(asked) {
    const { userId = "" } = asked.params;
    const own = userId !== "" && userId === asked.actor?.userId;
    return { ...await spoke(own ? "act" : "delegate").admit(asked), userId };
  },
};

/** Newest first; complete unless a limit is given. */
export async function listSpokeMembers(rows: Rows, { id }: SpokeRow, page: ListPageRequest): Promise<ListPage<Member>> {
  return await listSeats(rows, { spokeId: id }, page);
}

/** From its answer on the spoke is closed to them, and their streams of its hub are without it. Throws `member_missing`. */
export async function removeSpokeMember(app: App, actor: Actor, spoke: SpokeRow, userId: string): Promise<void> {
  const entry = { kind: "spoke_delegation_removed", objectType: "spoke", objectId: spoke.id } as const;
  const belonging = { federationId: spoke.federationId, spokeId: spoke.id };
  await app.db.transact((tx) =>
    takeOut(tx, actor, userId, {
      seat: { spokeId: spoke.id },
      belonging,
      entry: { ...entry, metadata: { slug: spoke.slug } },
    })
  );
}

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
