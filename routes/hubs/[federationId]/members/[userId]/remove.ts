/** Takes a hub back from somebody, once that is confirmed. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { DELETE as remove } from "#routes/api/federations/[federationId]/members/[userId].ts";
import { GET as members } from "#routes/api/federations/[federationId]/members/index.ts";
import { Fault } from "#lib/base/errors.ts";
import { hubMemberRemovalView } from "#lib/portal/hubs/members.ts";
import { deed, page } from "#lib/portal/page/page.ts";

export const GET = page({
  summary: "Who would lose a hub, to confirm it",
  async show({ ask, me, params }) {
    const [shown, found] = await Promise.all([ask(hub), ask(members)]);
    const member = found.items.find(({ userId }) => userId === params.userId);
    if (!member) throw new Fault("missing", "member_missing", "There is no such member");
    return hubMemberRemovalView(shown, member, me);
  },
});

export const POST = deed({
  summary: "Take a hub back from somebody by the page's form",
  async act({ ask, actor, params: { federationId, userId } }) {
    await ask(remove);
    return {
      to: userId === actor.userId && actor.role !== "operator"
        ? "/hubs?done=left"
        : `/hubs/${federationId}/members?done=removed`,
    };
  },
});
