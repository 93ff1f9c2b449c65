import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { DELETE as removeMember } from "#routes/api/federations/[federationId]/members/[userId].ts";
import { GET as getMembers } from "#routes/api/federations/[federationId]/members/index.ts";
import { hubMemberRemovalView } from "#lib/portal/hubs/members.ts";
import { requireMember } from "#lib/portal/people/members.ts";
import { formAction, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "Confirm the removal of a hub's admin",
  async show({ callApi, me, params }) {
    const [hub, found] = await Promise.all([callApi(getHub), callApi(getMembers)]);
    const member = requireMember(found.items, params.userId, "The hub has no such member");
    return hubMemberRemovalView(hub, member, me);
  },
});

export const POST = formAction({
  summary: "Remove a hub's admin",
  async submit({ callApi, actor, params: { federationId, userId } }) {
    await callApi(removeMember);
    return {
      to: userId === actor.userId && actor.role !== "operator"
        ? "/hubs?done=left"
        : `/hubs/${federationId}/members?done=removed`,
    };
  },
});
