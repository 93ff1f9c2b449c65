/** Asks many spokes of a hub at once: first it says of what, then what came of it. */
import * as v from "valibot";
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as spokes } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { POST as foresee } from "#routes/api/spokes/[spokeId]/actions.ts";
import { POST as actOnAll } from "#routes/api/spokes/actions.ts";
import { Fault } from "#lib/base/errors.ts";
import { bulkOutcomeView, type Chosen, confirmBulkView } from "#lib/portal/hubs/bulk.ts";
import type { Ask } from "#lib/portal/page/ask.ts";
import type { Spoke } from "#lib/portal/components/told.ts";
import { deed } from "#lib/portal/page/page.ts";

/** Each preview asks the cluster, so only so many are shown beforehand. */
const FORESEEN = 10;

export const POST = deed({
  summary: "Ask many spokes of a hub for the same action: first to confirm it, then done",
  body: v.record(v.string(), v.string()),
  async act({ ask, body: { action = "", confirmed, ...ticked } }) {
    const [shown, all] = await Promise.all([ask(hub), ask(spokes)]);
    const found = all.items.filter(({ id }) => ticked[`spoke:${id}`] === "on");
    if (!confirmed || found.length === 0) {
      return confirmBulkView({ hub: shown, action, chosen: await foreseenOf(ask, action, found) });
    }
    const answers = await ask(actOnAll, { body: { ids: found.map(({ id }) => id), action } });
    if (answers.every(({ accepted }) => accepted)) return { to: `/hubs/${shown.id}?done=asked` };
    return bulkOutcomeView({ hub: shown, action, chosen: found.map((spoke) => ({ spoke, foreseen: null })), answers });
  },
});

async function foreseenOf(ask: Ask, action: string, found: readonly Spoke[]): Promise<readonly Chosen[]> {
  if (found.length > FORESEEN) return found.map((spoke) => ({ spoke, foreseen: null }));
  return await Promise.all(found.map(async (spoke) => {
    const asked = { params: { spokeId: spoke.id }, body: { action }, query: { dryRun: "true" } };
    try {
      const told = await ask(foresee, asked);
      return { spoke, foreseen: "other" in told ? told.other : null };
    } catch (error) {
      if (!(error instanceof Fault) || error.kind === "invalid") throw error;
      return { spoke, foreseen: error.kind === "unavailable" ? null : error.message };
    }
  }));
}
