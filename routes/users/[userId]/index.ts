/** One user. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as user, PATCH as change } from "#routes/api/users/[userId]/index.ts";
import { deed, fields, page, type PageCall } from "#lib/portal/page/page.ts";
import { ifAllowed } from "#lib/portal/page/ask.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import type { Way } from "#lib/portal/components/view.ts";
import { SEATS_NAMED, userView } from "#lib/portal/people/user.ts";

export const GET = page({
  summary: "A user, for operators",
  show: (call) => show(call),
});

export const POST = deed({
  summary: "Rename a user by its form",
  body: fields("displayName"),
  async act({ ask, params, body }) {
    const before = await ask(user), { displayName } = await ask(change, { body });
    return { to: `/users/${params.userId}?done=${displayName === before.displayName ? "unchanged" : "changed"}` };
  },
  again: show,
});

async function show<Q, B>({ ask, actor }: PageCall<Q, B>, tried?: Tried) {
  const found = await ask(user), { federationIds, spokeIds } = found;
  const hubs = federationIds.slice(0, SEATS_NAMED);
  const seats = await Promise.all([
    ...hubs.map(async (federationId): Promise<Way | null> => {
      const its = await ifAllowed(ask(hub, { params: { federationId } }));
      return its && [its.name, `/hubs/${its.id}`];
    }),
    ...spokeIds.slice(0, SEATS_NAMED - hubs.length).map(async (spokeId): Promise<Way | null> => {
      const its = await ifAllowed(ask(spoke, { params: { spokeId } }));
      return its && [its.displayName, `/spokes/${its.id}`];
    }),
  ]);
  return userView({ user: found, seats: seats.filter((each) => each !== null), own: found.id === actor.userId }, tried);
}
