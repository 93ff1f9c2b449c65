/** Where a spoke is made: what was typed is shown as it would be, and made once that is wanted. */
import { GET as catalog } from "#routes/api/catalog.ts";
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { POST as create } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { GET as previewCost } from "#routes/api/federations/[federationId]/spokes/preview-cost.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireRunning } from "#lib/domains/federations/access.ts";
import type { NewSpokeShown } from "#lib/surface/portal/hubs/foreseen.ts";
import { newSpokeView } from "#lib/surface/portal/hubs/new-spoke.ts";
import type { CostShown } from "#lib/surface/portal/look/told.ts";
import { deed, fields, filled, page, type PageCall } from "#lib/surface/portal/page/page.ts";

type Known = Pick<NewSpokeShown, "values" | "tried"> & Partial<Pick<NewSpokeShown, "foreseen">>;

async function show({ ask, me, actor }: Pick<PageCall, "ask" | "me" | "actor">, known: Known) {
  const [shown, offers] = await Promise.all([ask(hub), ask(catalog)]);
  requireRunning(actor, shown.id);
  const { foreseen = null, values } = known;
  const cost = foreseen?.price ?? await ask(previewCost, { query: { size: values.size } }).catch(unknownNow);
  return newSpokeView({ me, hub: shown, offers, ...known, foreseen, cost });
}

/** The page does not fail for the price: it says why it is not there. */
function unknownNow(error: unknown): CostShown {
  if (error instanceof Fault) return { available: false, reason: error.message };
  throw error;
}

export const GET = page({ summary: "The form by which a spoke is made", show: (call) => show(call, { values: {} }) });

export const POST = deed({
  summary: "Make a spoke by the page's form, or show what it would be",
  body: fields(
    ...["slug", "displayName", "domain", "size", "lmsVersion", "region", "brand", "seed", "contentMode"] as const,
    ...["adminEmail", "identity", "content", "preview", "key"] as const,
  ),
  async act(call) {
    const { preview, key, ...values } = call.body, given = filled(values);
    if (preview && !given.slug) return await show(call, { values });
    const body = { ...given, identity: values.identity === "on", content: values.content === "on" };
    const made = await call.ask(create, preview ? { body, query: { dryRun: "true" } } : { body, key });
    return "usual" in made
      ? { to: `/spokes/${made.usual.id}?done=created` }
      : await show(call, { values, foreseen: made.other });
  },
  again: (call, tried) => show(call, { values: tried.values, tried }),
});
