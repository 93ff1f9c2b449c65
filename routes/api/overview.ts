/** Where everything stands, at a glance. */
import * as v from "valibot";
import { signedIn } from "#lib/domains/auth/access.ts";
import { showOverview } from "#lib/domains/federations/overview.ts";
import { OverviewView } from "#lib/domains/federations/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";
import { text } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "How many spokes are in which state, in all and in each hub, and how long the queue is: of what you see",
  access: signedIn,
  scope: "readonly",
  polled: true,
  query: v.object({ federationId: v.optional(text(1, 100)) }),
  reply: ok(OverviewView),
  faults: ["federation_missing"],
  handle: ({ app, actor, query }) => showOverview(app.db.rows, actor, query.federationId),
});
