import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getMembers, POST as addMember } from "#routes/api/federations/[federationId]/members/index.ts";
import { hubMembersView } from "#lib/portal/hubs/members.ts";
import { INVITE_FLASH_KEYS } from "#lib/portal/components/flash-messages.ts";
import { dropEmptyFields, formPage, formSchema } from "#lib/portal/page/page.ts";

export const { GET, POST } = formPage({
  summary: "The admins of a hub",
  async show({ callApi, me }, submission) {
    const [hub, { items: members }] = await Promise.all([callApi(getHub), callApi(getMembers)]);
    return hubMembersView({ me, hub, members, submission });
  },
  form: {
    summary: "Make a user an admin of a hub",
    body: formSchema("email", "displayName", "key"),
    async submit({ callApi, body: { key, ...typed } }) {
      const { federationId, status } = await callApi(addMember, { body: dropEmptyFields(typed), key });
      return { to: `/hubs/${federationId}/members?done=${INVITE_FLASH_KEYS[status]}` };
    },
  },
});
