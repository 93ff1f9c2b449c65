import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as getUser, PATCH as updateUser } from "#routes/api/users/[userId]/index.ts";
import { GET as getIdentities } from "#routes/api/users/[userId]/identities/index.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";
import { resultIfVisible } from "#lib/portal/page/call-api.ts";
import type { NavLink } from "#lib/portal/components/view.ts";
import { MAX_LISTED_MEMBERSHIPS, userView } from "#lib/portal/people/user.ts";

export const { GET, POST } = formPage({
  summary: "A user's details, for operators",
  async show({ callApi, actor }, submission) {
    const found = await callApi(getUser), { federationIds, spokeIds } = found;
    const hubs = federationIds.slice(0, MAX_LISTED_MEMBERSHIPS);
    const memberships = await Promise.all([
      ...hubs.map(async (federationId): Promise<NavLink | null> => {
        const its = await resultIfVisible(callApi(getHub, { params: { federationId } }));
        return its && [its.name, `/hubs/${its.id}`];
      }),
      ...spokeIds.slice(0, MAX_LISTED_MEMBERSHIPS - hubs.length).map(async (spokeId): Promise<NavLink | null> => {
        const its = await resultIfVisible(callApi(getSpoke, { params: { spokeId } }));
        return its && [its.displayName, `/spokes/${its.id}`];
      }),
    ]);
    return userView({
      user: found,
      memberships: memberships.filter((each) => each !== null),
      identities: await callApi(getIdentities),
      isSelf: found.id === actor.userId,
    }, submission);
  },
  form: {
    summary: "Rename a user",
    body: formSchema("displayName"),
    async submit({ callApi, params, body }) {
      const before = await callApi(getUser), { displayName } = await callApi(updateUser, { body });
      return { to: `/users/${params.userId}?done=${displayName === before.displayName ? "unchanged" : "changed"}` };
    },
  },
});
