import { webhookAccess } from "#lib/domains/webhooks/access.ts";
import { sendTestMessage } from "#lib/domains/webhooks/messages.ts";
import { QueuedMessageView } from "#lib/domains/webhooks/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Send a test message, also to a disabled webhook. The deliveries show the result",
  access: webhookAccess(),
  scope: "cli",
  reply: acceptedReply(QueuedMessageView),
  handle: ({ app, actor, webhook }) => sendTestMessage(app, actor, webhook),
});
