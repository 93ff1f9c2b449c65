import * as v from "valibot";
import { hubWebhookAccess } from "#lib/domains/webhooks/access.ts";
import { listDeliveries } from "#lib/domains/webhooks/store.ts";
import { DeliveryView } from "#lib/domains/webhooks/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, createPageLimitSchema } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary:
    "The attempts to deliver messages, newest first, with the receiver's answers. Kept for 14 days, at most 1,000",
  access: hubWebhookAccess(),
  scope: "readonly",
  query: v.object({ limit: createPageLimitSchema(25), before: v.optional(BeforeCursor) }),
  reply: pageReply(DeliveryView),
  handle: ({ app, webhook, query }) => listDeliveries(app.db.rows, webhook, query),
});
