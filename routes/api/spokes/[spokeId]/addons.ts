import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";
import { showSpokeAddons } from "#lib/domains/spokes/addons.ts";
import { SpokeAddonsView } from "#lib/domains/spokes/views.ts";

export const GET = endpoint({
  summary: "A spoke's add-ons: the plugins that are not part of Moodle, as the site lists them once an hour",
  access: spokeAccess("history"),
  scope: "readonly",
  reply: okReply(SpokeAddonsView),
  handle: ({ app, spoke }) => showSpokeAddons(app.db.rows, app.catalog.addons, spoke.id),
});
