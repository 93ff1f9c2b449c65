import { hubWebhookAccess } from "#lib/domains/webhooks/access.ts";
import { redeliverMessage } from "#lib/domains/webhooks/messages.ts";
import { DeliveryPathParams, QueuedMessageView } from "#lib/domains/webhooks/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Send a message again, with the same ID and body",
  access: hubWebhookAccess(),
  scope: "cli",
  params: DeliveryPathParams,
  reply: acceptedReply(QueuedMessageView),
  faults: ["delivery_missing"],
  handle: ({ app, actor, webhook, params }) => redeliverMessage(app, actor, webhook, params.deliveryId),
});
