/** An action on a spoke: previewed, then asked for. */
import { GET as catalog } from "#routes/api/catalog.ts";
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { POST as actions } from "#routes/api/spokes/[spokeId]/actions.ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { deed, fields, orTried, page, type PageCall } from "#lib/portal/page/page.ts";
import { actionBody, type ActionFields, actionView, demandAction, firstWish } from "#lib/portal/spokes/action.ts";
import { findPlace } from "#lib/portal/spokes/place.ts";

export const GET = page({ summary: "What an action on a spoke would do", show: (call) => show(call) });

export const POST = deed({
  summary: "Ask a spoke to change, by the page's form",
  body: fields("lmsVersion", "size", "skipBackup", "preview"),
  async act(call) {
    const { ask, body, params } = call;
    if (body.preview) return await show(call, body);
    const { id } = await ask(spoke);
    await ask(actions, { body: actionBody(demandAction(params.action), body) });
    return { to: `/spokes/${id}?done=asked` };
  },
  again: (call, tried) => show(call, call.body, tried),
});

async function show(call: PageCall<unknown, unknown>, typed?: ActionFields, refused?: Tried) {
  const { ask, params } = call, place = await findPlace(call, spoke, hub);
  const action = demandAction(params.action), offers = await ask(catalog);
  const given = typed ?? firstWish(action, place.spoke, offers);
  const asked = ask(actions, { query: { dryRun: "true" }, body: actionBody(action, given) });
  const { told, tried, blocked } = await orTried(asked, { ...given });
  const foreseen = told && "other" in told ? told.other : null;
  return actionView({ place, action, offers, given, foreseen, tried: refused ?? tried, blocked });
}
