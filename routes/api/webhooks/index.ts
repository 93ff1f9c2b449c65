import * as v from "valibot";
import { operatorAccess } from "#lib/domains/auth/access.ts";
import { createWebhook } from "#lib/domains/webhooks/change.ts";
import { listWebhooks } from "#lib/domains/webhooks/store.ts";
import { NewWebhook, NewWebhookView, WebhookView } from "#lib/domains/webhooks/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createdReply, pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, OptionalPageLimit } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary:
    "The webhooks of the installation, which get the events of all hubs, newest first. Returns all webhooks unless limit is set",
  access: operatorAccess,
  scope: "readonly",
  query: v.object({ limit: OptionalPageLimit, before: v.optional(BeforeCursor) }),
  reply: pageReply(WebhookView),
  handle: ({ app, query }) => listWebhooks(app.db.rows, null, query),
});

export const POST = endpoint({
  summary: "Send the events of all hubs to a URL, from now on. Messages are signed (Standard Webhooks). " +
    "Only this response contains the secret",
  access: operatorAccess,
  scope: "cli",
  recentSignIn: true,
  body: NewWebhook,
  reply: createdReply(NewWebhookView, (webhook) => `/api/webhooks/${webhook.id}`),
  faults: ["webhook_address", "dns_unavailable", "too_many_webhooks", "secrets_key_missing"],
  handle: ({ app, actor, body }) => createWebhook(app, actor, null, body),
});
