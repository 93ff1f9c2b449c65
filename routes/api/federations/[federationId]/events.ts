import * as v from "valibot";
import { StreamData } from "#lib/events/store.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { openHubEventStream, parseResumePosition } from "#lib/domains/federations/follow.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { eventStreamReply } from "#lib/http/reply.ts";
import { EventNumber } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "Follow a hub's events. To resume after an event, send its number as Last-Event-ID or since",
  access: hubAccess("see"),
  scope: "readonly",
  query: v.object({ since: v.optional(EventNumber) }),
  reply: eventStreamReply(StreamData),
  faults: ["too_many_streams"],
  handle: ({ app, actor, federation, query, request, signal }) =>
    openHubEventStream(app, actor, federation, { since: parseResumePosition(request, query.since), signal }),
});
