/** A way into a spoke's site. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { POST as link } from "#routes/api/spokes/[spokeId]/sign-in-link.ts";
import { deed, page } from "#lib/portal/page/page.ts";
import { findPlace } from "#lib/portal/spokes/place.ts";
import { wayInView } from "#lib/portal/spokes/way-in.ts";

export const GET = page({
  summary: "How one signs in to a spoke's site",
  show: async (call) => wayInView(await findPlace(call, spoke, hub), null),
});

export const POST = deed({
  summary: "Make a link into a spoke's site and show it once, by the page's button",
  async act(call) {
    const place = await findPlace(call, spoke, hub);
    return wayInView(place, await call.ask(link));
  },
  again: async (call, tried) => wayInView(await findPlace(call, spoke, hub), null, tried),
});
