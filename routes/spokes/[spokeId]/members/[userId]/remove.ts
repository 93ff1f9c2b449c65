import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as getMembers } from "#routes/api/spokes/[spokeId]/members/index.ts";
import { DELETE as removeMember } from "#routes/api/spokes/[spokeId]/members/[userId].ts";
import { formAction, portalPage } from "#lib/portal/page/page.ts";
import { requireMember } from "#lib/portal/people/members.ts";
import { spokeMemberRemovalView } from "#lib/portal/spokes/members.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";

export const GET = portalPage({
  summary: "Confirm the removal of a spoke's admin",
  async show(call) {
    const spokePage = await loadSpokePage(call, getSpoke, getHub), { callApi, me, params } = call;
    return spokeMemberRemovalView(
      spokePage,
      requireMember((await callApi(getMembers)).items, params.userId, "No such member"),
      me,
    );
  },
});

export const POST = formAction({
  summary: "Remove a spoke's admin, or leave the spoke",
  async submit({ callApi, actor, params }) {
    await callApi(removeMember);
    return {
      to: params.userId === actor.userId ? "/hubs?done=left" : `/spokes/${params.spokeId}/members?done=removed`,
    };
  },
});
