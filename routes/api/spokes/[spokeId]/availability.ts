import { readSpokeAvailability } from "#lib/domains/availability/store.ts";
import { AvailabilityView } from "#lib/domains/availability/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";

export const GET = endpoint({
  summary: "A spoke's availability per month: whether its login page worked in each minute",
  access: spokeAccess("see"),
  scope: "readonly",
  reply: okReply(AvailabilityView),
  handle: ({ app, spoke }) => readSpokeAvailability(app.db.rows, spoke.id),
});
