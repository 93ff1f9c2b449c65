/** Where an operator removes a hub: what stands in the way, or the slug to confirm it by. */
import { DELETE as remove, GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as spokes } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireOperator } from "#lib/domains/auth/access.ts";
import { hubRemovalView } from "#lib/portal/hubs/settings.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { deed, fields, page, type PageCall } from "#lib/portal/page/page.ts";

async function show({ ask, actor }: Pick<PageCall, "ask" | "actor">, tried?: Tried) {
  requireOperator(actor);
  const [shown, living] = await Promise.all([ask(hub), ask(spokes, { query: { limit: "20" } })]);
  return hubRemovalView({ hub: shown, spokes: living.items, tried });
}

export const GET = page({ summary: "What removing a hub takes", show: (call) => show(call) });

export const POST = deed({
  summary: "Remove a hub, or give its removal up, by the page's form",
  body: fields("slug", "abandon"),
  async act({ ask, body }) {
    const { id, slug } = await ask(hub);
    if (body.slug.trim() !== slug) {
      const message = `must be ${slug}`;
      throw new Fault("invalid", "invalid_input", `slug ${message}`, { fields: { slug: message } });
    }
    const { state } = await ask(remove, { query: { abandon: body.abandon ? "true" : undefined } });
    return { to: state === "removed" ? "/hubs?done=removed" : `/hubs/${id}?done=removing` };
  },
  again: show,
});
