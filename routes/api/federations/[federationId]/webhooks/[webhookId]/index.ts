import * as v from "valibot";
import { hubWebhookAccess } from "#lib/domains/webhooks/access.ts";
import { deleteWebhook, patchWebhook } from "#lib/domains/webhooks/change.ts";
import { showWebhook } from "#lib/domains/webhooks/store.ts";
import { WebhookPatch, WebhookStart, WebhookView } from "#lib/domains/webhooks/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { noContentReply, okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "A webhook, with the result of its last delivery",
  access: hubWebhookAccess(),
  scope: "readonly",
  reply: okReply(WebhookView),
  handle: ({ app, webhook }) => showWebhook(app.db.rows, webhook),
});

export const PATCH = endpoint({
  summary: "Change, disable or enable a webhook. An enabled webhook continues after the last delivered event. " +
    "With from=now, it skips the events that were not delivered",
  access: hubWebhookAccess(),
  scope: "cli",
  recentSignIn: { when: ({ body }) => body.url !== undefined },
  query: v.object({ from: WebhookStart }),
  body: WebhookPatch,
  reply: okReply(WebhookView),
  faults: ["webhook_address", "dns_unavailable"],
  handle: ({ app, actor, webhook, query, body }) => patchWebhook(app, actor, webhook, body, query.from),
});

export const DELETE = endpoint({
  summary: "Delete a webhook and its deliveries",
  access: hubWebhookAccess(),
  scope: "cli",
  reply: noContentReply,
  handle: ({ app, actor, webhook }) => deleteWebhook(app, actor, webhook),
});
