import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getMembers, POST as addMember } from "#routes/api/federations/[federationId]/members/index.ts";
import { hubMembersView } from "#lib/portal/hubs/members.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { INVITE_FLASH_KEYS } from "#lib/portal/components/flash-messages.ts";
import { dropEmptyFields, formAction, formSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";

async function show({ callApi, me }: Pick<PageContext, "callApi" | "me">, submission?: RefusedSubmission) {
  const [hub, found] = await Promise.all([callApi(getHub), callApi(getMembers)]);
  return hubMembersView({ me, hub, members: found.items, submission });
}

export const GET = portalPage({ summary: "The admins of a hub", show: (call) => show(call) });

export const POST = formAction({
  summary: "Make a user an admin of a hub",
  body: formSchema("email", "displayName", "key"),
  async submit({ callApi, body: { key, ...typed } }) {
    const { federationId, status } = await callApi(addMember, { body: dropEmptyFields(typed), key });
    return { to: `/hubs/${federationId}/members?done=${INVITE_FLASH_KEYS[status]}` };
  },
  onRefusal: show,
});
