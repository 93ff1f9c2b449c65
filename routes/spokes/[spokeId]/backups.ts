/** A spoke's backups. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as backups } from "#routes/api/spokes/[spokeId]/backups.ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { page } from "#lib/surface/portal/page/page.ts";
import { backupsView } from "#lib/surface/portal/spokes/backups.ts";
import { findPlace } from "#lib/surface/portal/spokes/place.ts";

export const GET = page({
  summary: "A spoke's backups, and how one gets back to one",
  async show(call) {
    const place = await findPlace(call, spoke, hub);
    return backupsView(place, await call.ask(backups, { query: { includeRemoved: "true" } }));
  },
});
