/** What of a spoke can be changed. */
import { GET as catalog } from "#routes/api/catalog.ts";
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as spoke, PATCH as patch } from "#routes/api/spokes/[spokeId]/index.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { deed, fields, orTried, page, type PageCall } from "#lib/portal/page/page.ts";
import { findPlace } from "#lib/portal/spokes/place.ts";
import { changedIn, changeWord, wasFields } from "#lib/portal/page/changed.ts";
import { settingsView, SPOKE_CHANGEABLE, type SpokeFields } from "#lib/portal/spokes/settings.ts";

export const GET = page({ summary: "What of a spoke can be changed", show: (call) => show(call) });

export const POST = deed({
  summary: "Change a spoke's name, brand, administrator's address, domain or mail, by the page's form",
  body: fields(...SPOKE_CHANGEABLE, ...wasFields(SPOKE_CHANGEABLE), "preview"),
  async act(call) {
    const { ask, body } = call;
    if (body.preview) return await show(call, body);
    const before = await ask(spoke), changes = changedIn(SPOKE_CHANGEABLE, before, body);
    const after = await ask(patch, { body: changes });
    const begun = "operation" in after && after.operation !== null;
    return { to: `/spokes/${before.id}${begun ? "?done=asked" : `/settings?done=${changeWord(changes)}`}` };
  },
  again: (call, tried) => show(call, call.body, tried),
});

async function show(call: PageCall<unknown, unknown>, typed?: SpokeFields, refused?: Tried) {
  const place = await findPlace(call, spoke, hub), offers = await call.ask(catalog);
  const body = typed ? changedIn(SPOKE_CHANGEABLE, place.spoke, typed) : {},
    asks = Object.keys(body).length > 0 && !refused;
  const { told, tried } = asks
    ? await orTried(call.ask(patch, { query: { dryRun: "true" }, body }), { ...typed })
    : { told: null, tried: undefined };
  const foreseen = told && "dryRun" in told ? told : null;
  return settingsView({ place, offers, typed, foreseen, tried: refused ?? tried, saved: refused !== undefined });
}
