/** Defines the API schemas for webhooks and their deliveries. */
import * as v from "valibot";
import {
  boundedList,
  boundedText,
  createChoiceSchema,
  NullableTimestamp,
  Timestamp,
  withAnyField,
} from "#lib/base/schema.ts";
import { findUrlProblem } from "#lib/drivers/webhooks/receivers.ts";
import { DELIVERY_TRIGGERS, WEBHOOK_EVENT_TYPES, WEBHOOK_STATES } from "#lib/model/webhook.ts";

const URL_MESSAGE = "must be an https URL of at most 2000 characters";
const WebhookUrl = v.pipe(
  v.string(URL_MESSAGE),
  v.maxLength(2000, URL_MESSAGE),
  v.regex(/^[\x21-\x7e]+$/, URL_MESSAGE),
  v.check((value) => findUrlProblem(value) === null, ({ input }) => findUrlProblem(String(input)) ?? URL_MESSAGE),
);
const EventTypes = boundedList(
  createChoiceSchema(WEBHOOK_EVENT_TYPES),
  0,
  WEBHOOK_EVENT_TYPES.length,
  `must be a list of event types, such as ${WEBHOOK_EVENT_TYPES[1]}`,
);
const Description = boundedText(0, 200);

export const NewWebhook = v.object({
  url: WebhookUrl,
  /** The types of the events to send. All types if absent or empty. */
  eventTypes: v.optional(EventTypes, []),
  description: v.optional(Description, ""),
});
export type NewWebhook = v.InferOutput<typeof NewWebhook>;

export const WebhookPatch = withAnyField({
  url: v.optional(WebhookUrl),
  eventTypes: v.optional(EventTypes),
  description: v.optional(Description),
  /** `active` continues after the last delivered event, and tries again immediately. */
  state: v.optional(createChoiceSchema(WEBHOOK_STATES)),
});
export type WebhookPatch = v.InferOutput<typeof WebhookPatch>;

/** Where an enabled webhook continues: after the last delivered event, or with the next new event. */
export const WebhookStart = v.optional(createChoiceSchema(["last", "now"]), "last");

export const WebhookView = v.object({
  id: v.string(),
  /** The hub whose events are sent. Null for a webhook of the installation, which gets the events of all hubs. */
  federationId: v.nullable(v.string()),
  url: v.string(),
  eventTypes: v.array(v.string()),
  description: v.string(),
  state: v.picklist(WEBHOOK_STATES),
  disabledReason: v.nullable(v.string()),
  /** The first failed attempt since the last success, in any hub. Null if deliveries succeed. */
  failingSince: NullableTimestamp,
  lastDelivery: v.nullable(v.object({ at: Timestamp, status: v.nullable(v.number()), error: v.nullable(v.string()) })),
  /** Until then, messages are also signed with the former secret. */
  formerSecretEndsAt: NullableTimestamp,
  createdBy: v.object({ id: v.string(), email: v.string() }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type WebhookRecord = v.InferInput<typeof WebhookView>;

/** The secret verifies the signatures of messages. It is shown only once. */
export const NewWebhookView = v.object({ ...WebhookView.entries, secret: v.string() });
export type NewWebhookRecord = v.InferInput<typeof NewWebhookView>;

export const QueuedMessageView = v.object({
  /** The ID of the message, in the header webhook-id and in the list of deliveries. */
  messageId: v.string(),
});

export const DeliveryView = v.object({
  id: v.string(),
  messageId: v.string(),
  type: v.string(),
  federationId: v.nullable(v.string()),
  /** The number of the event in the hub's stream. Null for a test message. */
  number: v.nullable(v.number()),
  trigger: v.picklist(DELIVERY_TRIGGERS),
  attempt: v.number(),
  /** The HTTP status of the answer. Null without an answer. */
  status: v.nullable(v.number()),
  /** The first 2 KiB of the answer. */
  answer: v.string(),
  /** Why the message was not delivered. Null if it was. */
  error: v.nullable(v.string()),
  durationMs: v.number(),
  /** The message's body, exactly as it was signed. */
  body: v.string(),
  createdAt: Timestamp,
});
export type DeliveryRecord = v.InferInput<typeof DeliveryView>;

export const DeliveryPathParams = v.object({ deliveryId: v.string() });
