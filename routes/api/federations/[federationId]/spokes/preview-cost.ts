import * as v from "valibot";
import { CostView } from "#lib/domains/billing/views.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { boundedText } from "#lib/base/schema.ts";
import { previewNewSpokeCost } from "#lib/domains/spokes/preview.ts";

export const GET = endpoint({
  summary: "The cost of adding a spoke of a given size",
  access: hubAccess("see"),
  scope: "readonly",
  query: v.object({ size: v.optional(boundedText(1, 100)) }),
  reply: okReply(CostView),
  faults: ["not_offered", "billing_unavailable"],
  handle: ({ app, actor, federation, query: { size }, signal }) =>
    previewNewSpokeCost(app, actor, federation, { size, signal }),
});
