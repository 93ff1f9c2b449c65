/** Renders the webhooks of a hub or of the installation, with a form for a new one, and the page with its secret. */
import type * as v from "valibot";
import { formatCount } from "#lib/base/text.ts";
import type { NewWebhookView, WebhookView } from "#lib/domains/webhooks/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import type { Hub } from "#lib/portal/components/api-types.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { hubHeader } from "#lib/portal/hubs/hub.ts";
import { webhookFields } from "#lib/portal/webhooks/fields.ts";

export type WebhookItem = v.InferOutput<typeof WebhookView>;
type IssuedWebhookItem = v.InferOutput<typeof NewWebhookView>;

interface WebhooksProps {
  /** Null for the webhooks of the installation. */
  readonly hub: Hub | null;
  readonly webhooks: readonly WebhookItem[];
  readonly submission?: RefusedSubmission | undefined;
}

export function webhooksView({ hub, webhooks, submission }: WebhooksProps): PageView {
  const path = hub === null ? "/webhooks" : `/hubs/${hub.id}/webhooks`;
  const lead = hub === null
    ? "A webhook sends the events of all hubs to a URL. Admins of a hub create webhooks for its events on the hub's page."
    : "A webhook sends this hub's events to a URL, signed and in order.";
  return {
    ...(hub === null ? { title: "Webhooks", section: "webhooks", lead } : hubHeader(hub, true, path)),
    body: markup`<div class="two-columns">${
      ui.panel(
        hub === null ? "All hubs" : "Webhooks",
        webhooks.length === 0
          ? ui.emptyState("No webhooks yet", "Events are repeated for three days until the receiver accepts them.")
          : markup`<ul class="list webhooks">${webhooks.map(row)}</ul>`,
        { id: "webhooks", ...(hub !== null && { lead }) },
      )
    }
${
      ui.panel(
        "New webhook",
        renderPostForm({ action: path, button: "Create webhook", submission }, ...webhookFields({}, submission)),
        { id: "new" },
      )
    }</div>`,
  };
}

function row(webhook: WebhookItem): Markup {
  const { id, url, description, eventTypes } = webhook, { host, pathname } = new URL(url);
  return markup`<li id="${id}"><span class="name"><a class="cover" href="/webhooks/${id}">${
    description || host
  }</a><span class="tiny soft">${description ? `${host}${pathname}` : pathname}</span></span>
<span class="small soft">${eventTypes.length === 0 ? "All events" : formatCount(eventTypes.length, "event type")}</span>
${webhookBadge(webhook)}</li>`;
}

export function webhookBadge({ state, failingSince }: WebhookItem): Markup {
  if (state === "disabled") return ui.badge("still", "pause", "Disabled");
  return failingSince === null ? ui.badge("good", "dot", "Active") : ui.badge("bad", "warning", "Failing");
}

/** Returns the page that shows the secret of a new webhook, or a new secret. It cannot be shown again. */
export function webhookSecretView({ id, url, secret, formerSecretEndsAt }: IssuedWebhookItem): PageView {
  return {
    title: "Secret of the webhook",
    section: "webhooks",
    crumbs: [["Webhook", `/webhooks/${id}`]],
    body: markup`${
      ui.callout(
        "good",
        markup`<p><b>Copy this secret now.</b> It is not shown again. The receiver verifies messages with it.</p>`,
      )
    }
${ui.panel("Secret", ui.copyableCode(secret, "the secret"), { id: "secret" })}
${
      ui.definitionList([
        ["Receiver", url],
        formerSecretEndsAt === null ? null : ["The former secret also signs until", ui.renderTime(formerSecretEndsAt)],
      ])
    }
<p>${ui.linkButton(["I have copied the secret", `/webhooks/${id}`], "main")}</p>`,
  };
}
