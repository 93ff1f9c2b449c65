/** Declares the states of webhooks, the reasons for a delivery, and the types of events that webhooks send. */
import { STREAM_EVENT_TYPES } from "#lib/model/states.ts";

export const WEBHOOK_STATES = ["active", "disabled"] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** Why a message was sent: a stream event, a test by a user, or a user who sent an earlier message again. */
export const DELIVERY_TRIGGERS = ["event", "test", "redelivery"] as const;
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];

/** The type of a test message, and of the message that some events were deleted before they could be delivered. */
export const TEST_MESSAGE_TYPE = "WebhookTest", RESET_MESSAGE_TYPE = "StreamReset";

export const WEBHOOK_EVENT_TYPES: readonly string[] = STREAM_EVENT_TYPES;

/** A webhook sends all types if it selects none. */
export function isEventWanted(eventTypes: readonly string[], type: string): boolean {
  return eventTypes.length === 0 || eventTypes.includes(type);
}
