import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { POST as delegate } from "#routes/api/spokes/[spokeId]/delegate.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as getMembers } from "#routes/api/spokes/[spokeId]/members/index.ts";
import { INVITE_FLASH_KEYS } from "#lib/portal/components/flash-messages.ts";
import { dropEmptyFields, formPage, formSchema } from "#lib/portal/page/page.ts";
import { spokeMembersView } from "#lib/portal/spokes/members.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";

export const { GET, POST } = formPage({
  summary: "The admins of a spoke",
  async show(call, submission) {
    const spokePage = await loadSpokePage(call, getSpoke, getHub);
    return spokeMembersView({ me: call.me, spokePage, members: (await call.callApi(getMembers)).items, submission });
  },
  form: {
    summary: "Delegate a spoke to a user",
    body: formSchema("email", "displayName"),
    async submit({ callApi, params, body }) {
      const { status } = await callApi(delegate, { body: dropEmptyFields(body) });
      return { to: `/spokes/${params.spokeId}/members?done=${INVITE_FLASH_KEYS[status]}` };
    },
  },
});
