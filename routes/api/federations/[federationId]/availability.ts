import { readHubAvailability } from "#lib/domains/availability/store.ts";
import { AvailabilityView } from "#lib/domains/availability/views.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "The availability of all spokes of a hub per month. Adds up the minutes of the spokes, also of removed ones",
  access: hubAccess("change"),
  scope: "readonly",
  reply: okReply(AvailabilityView),
  handle: ({ app, federation }) => readHubAvailability(app.db.rows, federation.id),
});
