/** Where a spoke is made: what was typed is shown as it would be, and made once that is wanted. */
import { GET as catalog } from "#routes/api/catalog.ts";
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { POST as create } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { GET as previewCost } from "#routes/api/federations/[federationId]/spokes/preview-cost.ts";
import { GET as mySpokes } from "#routes/api/my-spokes.ts";
import { GET as backupsOf } from "#routes/api/spokes/[spokeId]/backups.ts";
import { GET as oneSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireRunning } from "#lib/domains/federations/access.ts";
import { copyableFirst, type CopyShown } from "#lib/portal/hubs/copy-spoke.ts";
import type { NewSpokeShown } from "#lib/portal/hubs/foreseen.ts";
import { newSpokeView } from "#lib/portal/hubs/new-spoke.ts";
import type { CostShown } from "#lib/portal/components/told.ts";
import { asks, deed, fields, filled, page, type PageCall } from "#lib/portal/page/page.ts";

type Known = Pick<NewSpokeShown, "values" | "tried"> & Partial<Pick<NewSpokeShown, "foreseen">>;
type Call = Pick<PageCall, "ask" | "me" | "actor">;

/** Spokes to choose from; any other is copied from its own page. */
const MOST = "100";

async function show({ ask, me, actor }: Call, known: Known, copyOf: string | undefined) {
  const [shown, offers] = await Promise.all([ask(hub), ask(catalog)]);
  requireRunning(actor, shown.id);
  const source = copyOf === undefined ? null : await readSource({ ask }, copyOf);
  const copyable = source ? [] : copyableFirst((await ask(mySpokes, { query: { limit: MOST } })).items, shown);
  const { foreseen = null, values } = known, size = values.size ?? source?.spoke.size;
  const cost = foreseen?.price ?? await ask(previewCost, { query: { size } }).catch(unknownNow);
  return newSpokeView({ me, hub: shown, offers, ...known, foreseen, cost, source, copyable });
}

async function readSource({ ask }: Pick<Call, "ask">, spokeId: string): Promise<CopyShown> {
  const params = { spokeId };
  const [spoke, backups] = await Promise.all([ask(oneSpoke, { params }), ask(backupsOf, { params })]);
  return { spoke, backups };
}

/** The page does not fail for the price: it says why it is not there. */
function unknownNow(error: unknown): CostShown {
  if (error instanceof Fault) return { available: false, reason: error.message };
  throw error;
}

export const GET = page({
  summary: "The form by which a spoke is made, or by copyOf a copy of one",
  query: asks("copyOf"),
  show: (call) => show(call, { values: {} }, call.query.copyOf),
});

export const POST = deed({
  summary: "Make a spoke by the page's form, or show what it would be",
  body: fields(
    ...["slug", "displayName", "domain", "size", "lmsVersion", "region", "brand", "seed", "contentMode"] as const,
    ...["adminEmail", "identity", "content", "copyOf", "copyBackup", "preview", "key"] as const,
  ),
  async act(call) {
    const { preview, key, ...values } = call.body, given = filled(values), { copyOf } = given;
    if (preview && !given.slug) return await show(call, { values }, copyOf);
    const body = { ...given, identity: values.identity === "on", content: values.content === "on" };
    const made = await call.ask(create, preview ? { body, query: { dryRun: "true" } } : { body, key });
    return "usual" in made
      ? { to: `/spokes/${made.usual.id}?done=created` }
      : await show(call, { values, foreseen: made.other }, copyOf);
  },
  again: (call, tried) => show(call, { values: tried.values, tried }, call.body.copyOf || undefined),
});
