/** Who administers a spoke. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { POST as delegate } from "#routes/api/spokes/[spokeId]/delegate.ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as members } from "#routes/api/spokes/[spokeId]/members/index.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { BROUGHT_IN } from "#lib/portal/components/said.ts";
import { deed, fields, filled, page, type PageCall } from "#lib/portal/page/page.ts";
import { spokeMembersView } from "#lib/portal/spokes/members.ts";
import { findPlace } from "#lib/portal/spokes/place.ts";

export const GET = page({ summary: "Who administers a spoke", show: (call) => show(call) });

export const POST = deed({
  summary: "Delegate a spoke to somebody, by the page's form",
  body: fields("email", "displayName"),
  async act({ ask, params, body }) {
    const { status } = await ask(delegate, { body: filled(body) });
    return { to: `/spokes/${params.spokeId}/members?done=${BROUGHT_IN[status]}` };
  },
  again: (call, tried) => show(call, tried),
});

async function show(call: PageCall<unknown, unknown>, tried?: Tried) {
  const place = await findPlace(call, spoke, hub);
  return spokeMembersView({ me: call.me, place, members: (await call.ask(members)).items, tried });
}
