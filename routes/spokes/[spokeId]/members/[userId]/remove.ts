/** A spoke is taken back from somebody, or left. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as members } from "#routes/api/spokes/[spokeId]/members/index.ts";
import { DELETE as remove } from "#routes/api/spokes/[spokeId]/members/[userId].ts";
import { deed, page } from "#lib/portal/page/page.ts";
import { demandMember, spokeMemberRemovalView } from "#lib/portal/spokes/members.ts";
import { findPlace } from "#lib/portal/spokes/place.ts";

export const GET = page({
  summary: "Whether somebody is to lose a spoke",
  async show(call) {
    const place = await findPlace(call, spoke, hub), { ask, me, params } = call;
    return spokeMemberRemovalView(place, demandMember((await ask(members)).items, params.userId), me);
  },
});

export const POST = deed({
  summary: "Take a spoke back from somebody, or leave it, by the page's button",
  async act({ ask, actor, params }) {
    await ask(remove);
    return {
      to: params.userId === actor.userId ? "/hubs?done=left" : `/spokes/${params.spokeId}/members?done=removed`,
    };
  },
});
