/** Defines access rules for webhooks. A rule loads the webhook in the URL path as `webhook`. */
import { type AccessRule, type Actor, requireActor } from "#lib/domains/auth/access.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import { findWebhook, findWebhookById, webhookMissingFault, type WebhookRow } from "#lib/domains/webhooks/store.ts";

type WebhookAccess = AccessRule<Actor, { readonly webhook: WebhookRow }>;

/** Operators and the hub's admins can see and change the webhooks of a hub. */
export function hubWebhookAccess(): WebhookAccess {
  const hub = hubAccess("change");
  return {
    name: "webhook: see and change",
    async admit(request) {
      const { actor, federation } = await hub.admit(request);
      const webhook = await findWebhook(request.app.db.rows, federation.id, request.params.webhookId ?? "");
      if (!webhook) throw webhookMissingFault();
      return { actor, webhook };
    },
  };
}

/**
 * Loads a webhook by its ID alone. Operators can see and change all webhooks, also those of the installation. The admins
 * of a hub can see and change its webhooks.
 */
export function webhookAccess(): WebhookAccess {
  return {
    name: "webhook by id: see and change",
    async admit({ app, actor: caller, params }) {
      const actor = requireActor(caller), webhook = await findWebhookById(app.db.rows, params.webhookId ?? "");
      const mayChange = webhook && (actor.role === "operator" ||
        webhook.federationId !== null && canManageHub(actor, webhook.federationId));
      if (!mayChange) throw webhookMissingFault();
      return { actor, webhook };
    },
  };
}
