import * as v from "valibot";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { createWebhook } from "#lib/domains/webhooks/change.ts";
import { listWebhooks } from "#lib/domains/webhooks/store.ts";
import { NewWebhook, NewWebhookView, WebhookView } from "#lib/domains/webhooks/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createdReply, pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, OptionalPageLimit } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "The hub's webhooks, newest first. Returns all webhooks unless limit is set",
  access: hubAccess("change"),
  scope: "readonly",
  query: v.object({ limit: OptionalPageLimit, before: v.optional(BeforeCursor) }),
  reply: pageReply(WebhookView),
  handle: ({ app, federation, query }) => listWebhooks(app.db.rows, federation.id, query),
});

export const POST = endpoint({
  summary: "Send the hub's events to a URL, from now on. Messages are signed (Standard Webhooks). " +
    "Only this response contains the secret",
  access: hubAccess("change"),
  scope: "cli",
  recentSignIn: true,
  body: NewWebhook,
  reply: createdReply(NewWebhookView, (webhook) => `/api/federations/${webhook.federationId}/webhooks/${webhook.id}`),
  faults: ["webhook_address", "dns_unavailable", "too_many_webhooks", "secrets_key_missing", "federation_state"],
  handle: ({ app, actor, federation, body }) => createWebhook(app, actor, federation.id, body),
});
