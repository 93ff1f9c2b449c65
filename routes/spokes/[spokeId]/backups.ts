/** A spoke's backups. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as backups } from "#routes/api/spokes/[spokeId]/backups.ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as requested, POST as request } from "#routes/api/spokes/[spokeId]/restore-requests.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { deed, fields, filled, page, type PageCall } from "#lib/portal/page/page.ts";
import { backupsView } from "#lib/portal/spokes/backups.ts";
import { findPlace } from "#lib/portal/spokes/place.ts";

export const GET = page({
  summary: "A spoke's backups, and how one gets back to one",
  show: (call) => show(call),
});

export const POST = deed({
  summary: "Request a restore by the page's form",
  body: fields("backupId", "reason", "key"),
  async act({ ask, body: { key, ...typed } }) {
    const { spokeId } = await ask(request, { body: filled(typed), key });
    return { to: `/spokes/${spokeId}/backups?done=restore-requested` };
  },
  again: show,
});

async function show<Q, B>(call: PageCall<Q, B>, tried?: Tried) {
  const place = await findPlace(call, spoke, hub);
  const [found, requests] = await Promise.all([
    call.ask(backups, { query: { includeRemoved: "true" } }),
    place.runs ? call.ask(requested) : null,
  ]);
  return backupsView({ place, backups: found, requests: requests?.items ?? [] }, tried);
}
