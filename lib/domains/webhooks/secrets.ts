/** Encrypts and decrypts the secrets of webhooks. */
import type { SecretSealer } from "#lib/drivers/crypto/seal.ts";
import { createWebhookSecret } from "#lib/drivers/webhooks/sign.ts";
import type { WebhookRow } from "#lib/domains/webhooks/store.ts";

/** Returns a new secret, and its encrypted form for the row of this webhook. */
export function createSealedWebhookSecret(
  secrets: SecretSealer,
  webhookId: string,
): { readonly secret: string; readonly sealed: string } {
  const secret = createWebhookSecret();
  return { secret, sealed: secrets.seal(secret, contextOf(webhookId)) };
}

/** Returns the secrets that sign messages now: the current one and, for a day after a rotation, the former one. */
export function openWebhookSecrets(
  secrets: SecretSealer,
  { id, secret, formerSecret, formerSecretEndsAt: endsAt }: WebhookRow,
  now: Date,
): readonly string[] {
  const sealed = formerSecret !== null && endsAt !== null && endsAt > now ? [secret, formerSecret] : [secret];
  return sealed.map((each) => secrets.open(each, contextOf(id)));
}

function contextOf(webhookId: string): string {
  return `webhook:${webhookId}`;
}
