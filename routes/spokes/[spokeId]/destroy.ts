/** The end of a spoke. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as operation } from "#routes/api/operations/[operationId].ts";
import { GET as backups } from "#routes/api/spokes/[spokeId]/backups.ts";
import { DELETE as destroy, GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { deed, fields, page, type PageCall } from "#lib/portal/page/page.ts";
import { demandSlug, destroyView } from "#lib/portal/spokes/destroy.ts";
import { findPlace, requireStanding } from "#lib/portal/spokes/place.ts";

export const GET = page({ summary: "What removing a spoke takes away", show: (call) => show(call) });

export const POST = deed({
  summary: "Remove a spoke, by the page's form",
  body: fields("slug", "abandon"),
  async act({ ask, body: { slug, abandon } }) {
    const shown = await ask(spoke), isAsked = shown.state === "removing" && !abandon;
    if (!isAsked) demandSlug(shown, slug);
    const { state } = await ask(destroy, { query: { abandon: abandon ? "true" : undefined } });
    return { to: `/spokes/${shown.id}?done=${state === "removed" ? "removed" : "removing"}` };
  },
  again: (call, tried) => show(call, tried),
});

async function show(call: PageCall<unknown, unknown>, tried?: Tried) {
  const place = requireStanding(await findPlace(call, spoke, hub)), current = place.spoke.operation;
  const removal = current && await call.ask(operation, { params: { operationId: current.id } });
  const kept = await call.ask(backups, { query: { includeRemoved: "true" } });
  return destroyView({ place, backups: kept, removal, tried });
}
