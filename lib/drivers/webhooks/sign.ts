/**
 * Creates the secrets and signatures of webhooks, as the Standard Webhooks specification defines them
 * (standardwebhooks.com). A receiver verifies them with any library for that specification.
 */
import { createHash, createHmac, randomBytes } from "node:crypto";

const SECRET_PREFIX = "whsec_", SECRET_BYTES = 32;

/** A message to sign: its ID, the Unix time of this attempt in seconds, and the JSON body. */
export interface SignedMessage {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

/** Returns a new secret: `whsec_` and the base64 of 32 random bytes. */
export function createWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Returns the headers of a message, with one signature for each secret. */
export function createWebhookHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signatures.join(" ") };
}

/** Returns a message's ID. A repeated message has the same ID, also if another replica sends it after a crash. */
export function createMessageId(...parts: readonly (string | number)[]): string {
  return `msg_${createHash("sha256").update(parts.join("\n")).digest("base64url").slice(0, 27)}`;
}
