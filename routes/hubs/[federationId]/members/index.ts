/** Who administers a hub. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as members, POST as add } from "#routes/api/federations/[federationId]/members/index.ts";
import { hubMembersView } from "#lib/portal/hubs/members.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { BROUGHT_IN } from "#lib/portal/components/said.ts";
import { deed, fields, filled, page, type PageCall } from "#lib/portal/page/page.ts";

async function show({ ask, me }: Pick<PageCall, "ask" | "me">, tried?: Tried) {
  const [shown, found] = await Promise.all([ask(hub), ask(members)]);
  return hubMembersView({ me, hub: shown, members: found.items, tried });
}

export const GET = page({ summary: "Who administers a hub", show: (call) => show(call) });

export const POST = deed({
  summary: "Make somebody an admin of a hub by the page's form",
  body: fields("email", "displayName", "key"),
  async act({ ask, body: { key, ...typed } }) {
    const { federationId, status } = await ask(add, { body: filled(typed), key });
    return { to: `/hubs/${federationId}/members?done=${BROUGHT_IN[status]}` };
  },
  again: show,
});
