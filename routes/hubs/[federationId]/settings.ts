/** What can be changed of a hub. */
import { GET as catalog } from "#routes/api/catalog.ts";
import { GET as hub, PATCH as patch } from "#routes/api/federations/[federationId]/index.ts";
import { requireRunning } from "#lib/domains/federations/access.ts";
import { HUB_CHANGEABLE, hubSettingsView } from "#lib/portal/hubs/settings.ts";
import { changedIn, changeWord, wasFields } from "#lib/portal/page/changed.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { deed, fields, page, type PageCall } from "#lib/portal/page/page.ts";

async function show({ ask, me, actor }: Pick<PageCall, "ask" | "me" | "actor">, tried?: Tried) {
  const shown = await ask(hub);
  requireRunning(actor, shown.id);
  return hubSettingsView({ me, hub: shown, offers: await ask(catalog), tried });
}

export const GET = page({ summary: "What can be changed of a hub", show: (call) => show(call) });

export const POST = deed({
  summary: "Change a hub by the page's form",
  body: fields(...HUB_CHANGEABLE, ...wasFields(HUB_CHANGEABLE)),
  async act({ ask, body }) {
    const changes = changedIn(HUB_CHANGEABLE, await ask(hub), body);
    const { id } = await ask(patch, { body: changes });
    return { to: `/hubs/${id}/settings?done=${changeWord(changes)}` };
  },
  again: show,
});
