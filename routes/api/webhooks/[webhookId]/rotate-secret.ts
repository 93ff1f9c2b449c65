import { webhookAccess } from "#lib/domains/webhooks/access.ts";
import { rotateWebhookSecret } from "#lib/domains/webhooks/change.ts";
import { NewWebhookView } from "#lib/domains/webhooks/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Give a webhook a new secret, which only this response contains. " +
    "For 24 hours, messages are signed with both secrets",
  access: webhookAccess(),
  scope: "cli",
  recentSignIn: true,
  reply: okReply(NewWebhookView),
  faults: ["secrets_key_missing"],
  handle: ({ app, actor, webhook }) => rotateWebhookSecret(app, actor, webhook),
});
