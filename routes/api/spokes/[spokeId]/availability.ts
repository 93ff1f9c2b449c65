import { readSpokeAvailability } from "#lib/domains/availability/store.ts";
import { SpokeAvailabilityView } from "#lib/domains/availability/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";

export const GET = endpoint({
  summary: "A spoke's availability per month: whether its login page worked in each minute",
  access: spokeAccess("history"),
  scope: "readonly",
  reply: okReply(SpokeAvailabilityView),
  handle: ({ app, spoke }) => readSpokeAvailability(app.db.rows, spoke.id),
});
