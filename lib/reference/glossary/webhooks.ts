/** Describes the API fields of webhooks and their deliveries. */
import { EXAMPLE_IDS, type GlossaryEntriesByField } from "#lib/reference/glossary/entry.ts";

const WEBHOOK_ID = "whk_06fj2c4v7tq0w1x9n3m8k5r2dg", DELIVERY_ID = "whd_06fj2c4v7tq0w1x9n3m8k5r2dh";
const MESSAGE_ID = "msg_2Yp7yCm1Qf0sVJ3xkqkN4pD8aZt";
const URL = "https://hooks.example.org/wheelwright";
const BODY = '{"type":"SpokeUpdateActive","timestamp":"2026-11-21T12:00:00.000Z","data":{"state":"active"}}';

export const WEBHOOK_FIELD_ENTRIES: GlossaryEntriesByField = {
  "path.webhookId": ["The webhook's ID", WEBHOOK_ID],
  "path.deliveryId": ["The ID of an earlier attempt to deliver the message", DELIVERY_ID],
  "query.from": [
    'Where an enabled webhook continues: after the "last" delivered event, or with the next one from "now"',
  ],
  "Webhook.id | IssuedWebhook.id": ["The webhook's ID", WEBHOOK_ID],
  "Webhook.federationId | IssuedWebhook.federationId | WebhookDelivery.federationId": [
    "The ID of the hub; null for a webhook of the installation, which gets the events of all hubs, and its tests",
    EXAMPLE_IDS.hub,
  ],
  "Webhook.url | IssuedWebhook.url | NewWebhook.url | WebhookPatch.url": [
    "The receiver's URL. It must have a public address and use https. Redirects are not followed",
    URL,
  ],
  eventTypes: ["The types of the events to send; all types if the list is empty", ["SpokeUpdateFailed"]],
  "Webhook.description | IssuedWebhook.description | NewWebhook.description | WebhookPatch.description": [
    "A text for people",
    "Tickets for failed sites",
  ],
  "Webhook.state | IssuedWebhook.state | WebhookPatch.state": [
    "Whether the webhook sends events. It is disabled after three days of failures, or by an admin",
    "active",
  ],
  disabledReason: ["Why the webhook was disabled; null while it is active", null],
  failingSince: ["When the first attempt failed since the last success, in any hub; null if deliveries succeed", null],
  lastDelivery: "The last attempt to deliver a message; null before the first attempt",
  "lastDelivery.at": "When the attempt ended",
  "lastDelivery.status | WebhookDelivery.status": ["The HTTP status of the answer; null without an answer", 204],
  "lastDelivery.error | WebhookDelivery.error": ["Why the message was not delivered; null if it was", null],
  formerSecretEndsAt: ["Until when messages are also signed with the former secret; null if they are not", null],
  "Webhook.createdBy | IssuedWebhook.createdBy":
    "The user who created the webhook. It stays when the user leaves the hub",
  "createdBy.id": ["The user's ID", EXAMPLE_IDS.user],
  secret: [
    "The secret that verifies signatures, as Standard Webhooks defines them. It is shown only once",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwK1x7Vb3nN0s=",
  ],
  messageId: ["The ID of the message in the header webhook-id. Repeated messages have the same ID", MESSAGE_ID],
  "WebhookDelivery.id": ["The ID of the attempt", DELIVERY_ID],
  "WebhookDelivery.type": [
    "The type of the event, WebhookTest, or StreamReset if events were lost",
    "SpokeUpdateActive",
  ],
  number: ["The number of the event in the hub's stream; null for a test message", 7],
  trigger: ["Why the message was sent: an event, a test, or a user who sent it again", "event"],
  "WebhookDelivery.attempt": ["The number of the attempt for this message, starting with 1", 1],
  answer: ["The first 2 KiB of the answer", "ok"],
  durationMs: ["How long the attempt took, in milliseconds", 84],
  "WebhookDelivery.body": ["The body of the message, exactly as it was signed", BODY],
};
