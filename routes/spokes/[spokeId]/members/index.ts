import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { POST as delegate } from "#routes/api/spokes/[spokeId]/delegate.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as getMembers } from "#routes/api/spokes/[spokeId]/members/index.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { INVITE_FLASH_KEYS } from "#lib/portal/components/flash-messages.ts";
import { dropEmptyFields, formAction, formSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";
import { spokeMembersView } from "#lib/portal/spokes/members.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";

export const GET = portalPage({ summary: "The admins of a spoke", show: (call) => show(call) });

export const POST = formAction({
  summary: "Delegate a spoke to a user",
  body: formSchema("email", "displayName"),
  async submit({ callApi, params, body }) {
    const { status } = await callApi(delegate, { body: dropEmptyFields(body) });
    return { to: `/spokes/${params.spokeId}/members?done=${INVITE_FLASH_KEYS[status]}` };
  },
  onRefusal: (call, submission) => show(call, submission),
});

async function show(call: PageContext<unknown, unknown>, submission?: RefusedSubmission) {
  const spokePage = await loadSpokePage(call, getSpoke, getHub);
  return spokeMembersView({ me: call.me, spokePage, members: (await call.callApi(getMembers)).items, submission });
}
