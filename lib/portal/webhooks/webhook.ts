/** Renders a webhook with its deliveries and the forms that change it. */
import type * as v from "valibot";
import type { ListPage } from "#lib/drivers/db/pages.ts";
import type { DeliveryView } from "#lib/domains/webhooks/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import type { Hub } from "#lib/portal/components/api-types.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { NavLink, PageView } from "#lib/portal/components/view.ts";
import { toWebhookValues, webhookFields } from "#lib/portal/webhooks/fields.ts";
import { webhookBadge, type WebhookItem } from "#lib/portal/webhooks/list.ts";

type DeliveryItem = v.InferOutput<typeof DeliveryView>;

const REFRESH_INTERVAL = 5; // seconds

interface WebhookProps {
  readonly webhook: WebhookItem;
  /** Null for a webhook of the installation. */
  readonly hub: Pick<Hub, "id" | "name"> | null;
  readonly deliveries: ListPage<DeliveryItem>;
  readonly submission?: RefusedSubmission | undefined;
}

export function webhookView({ webhook, hub, deliveries, submission }: WebhookProps): PageView {
  const { id, url, description, state, disabledReason, failingSince, formerSecretEndsAt } = webhook;
  const here = `/webhooks/${id}`, isActive = state === "active";
  return {
    title: description || new URL(url).host,
    section: hub === null ? "webhooks" : "hubs",
    crumbs: crumbsOf(hub),
    badge: webhookBadge(webhook),
    poll: REFRESH_INTERVAL,
    actions: ui.renderPostButton(`${here}/test`, "Send a test", { variant: "main" }),
    body: markup`<div id="webhook-problem" data-live>${problem(webhook)}</div>
<div id="webhook" data-live>${
      ui.definitionList([
        ["URL", url],
        ["Events", webhook.eventTypes.length === 0 ? "All" : webhook.eventTypes.join(", ")],
        failingSince === null ? null : ["Failing since", ui.renderTime(failingSince)],
        disabledReason === null ? null : ["Why disabled", disabledReason],
        formerSecretEndsAt === null ? null : ["Former secret also signs until", ui.renderTime(formerSecretEndsAt)],
        ["Created", markup`${ui.renderTime(webhook.createdAt)} by ${webhook.createdBy.email}`],
      ])
    }</div>
${
      ui.panel(
        "Deliveries",
        deliveries.items.length === 0
          ? ui.emptyState("No deliveries yet", "Send a test, or wait for an event.")
          : markup`<ul class="list deliveries">${deliveries.items.map((each) => deliveryRow(here, each))}</ul>`,
        { id: "deliveries", live: true, lead: "The last 1,000 attempts of 14 days." },
      )
    }
${ui.nextPageLink(here, deliveries.next)}
${
      ui.panel(
        "Change",
        renderPostForm(
          { action: here, button: "Save", submission },
          ...webhookFields(toWebhookValues(webhook), submission),
        ),
        { id: "change" },
      )
    }
${
      ui.panel(
        "More actions",
        markup`<div class="button-row">${
          ui.renderPostButton(`${here}/${isActive ? "disable" : "enable"}`, isActive ? "Disable" : "Enable")
        }${ui.renderPostButton(`${here}/rotate`, "New secret")}${
          ui.linkButton(["Delete …", `${here}/delete`])
        }</div><p class="small soft">After a new secret, messages are also signed with the former one for 24 hours.</p>`,
        { id: "more" },
      )
    }`,
  };
}

/** Explains what to do about a webhook that does not deliver. */
function problem({ state, failingSince, lastDelivery }: WebhookItem): Markup | string {
  if (state === "disabled") {
    return ui.callout(
      "warn",
      "No events are sent. Once the receiver works, enable the webhook: it continues where it stopped.",
    );
  }
  if (failingSince === null) return "";
  return ui.callout(
    "bad",
    `${
      lastDelivery?.error ?? "The receiver does not accept messages"
    }. Later events wait. After three days, the webhook is disabled.`,
  );
}

function deliveryRow(here: string, delivery: DeliveryItem): Markup {
  const { id, type, number, trigger, attempt, status, error, answer, durationMs, createdAt, messageId } = delivery;
  const what = trigger === "event"
    ? `Event ${number}${attempt > 1 ? `, attempt ${attempt}` : ""}`
    : ui.humanize(trigger);
  const tone = error === null
    ? ui.badge("good", "done", String(status))
    : ui.badge("bad", "cross", String(status ?? "Failed"));
  return markup`<li id="${id}"><span class="name">${type}<span class="tiny soft">${what}</span></span>
<div class="small soft">${ui.renderTime(createdAt)}, ${durationMs} ms${
    error === null ? "" : markup`<br><span class="problem">${error}</span>`
  }${
    answer === ""
      ? ""
      : markup`<details><summary class="tiny">Answer</summary><pre class="log" tabindex="0">${answer}</pre></details>`
  }</div>${ui.renderPostButton(`${here}/deliveries/${id}/redeliver`, "Send again", { about: messageId })}${tone}</li>`;
}

export function webhookDeletionView({ id, url }: WebhookItem, hub: WebhookProps["hub"]): PageView {
  return {
    title: "Delete this webhook?",
    section: hub === null ? "webhooks" : "hubs",
    crumbs: crumbsOf(hub),
    body: ui.panel(
      new URL(url).host,
      markup`<p>It sends no further events, and its deliveries and secret are deleted. This cannot be undone.</p>${
        renderPostForm({
          action: `/webhooks/${id}/delete`,
          button: "Delete webhook",
          variant: "danger",
          also: ui.linkButton(["Cancel", `/webhooks/${id}`]),
        })
      }`,
      { id: "delete" },
    ),
  };
}

/** Returns the path of the list that contains the webhook. */
export function listPathOf({ federationId }: Pick<WebhookItem, "federationId">): string {
  return federationId === null ? "/webhooks" : `/hubs/${federationId}/webhooks`;
}

function crumbsOf(hub: WebhookProps["hub"]): readonly NavLink[] {
  if (hub === null) return [["Webhooks", "/webhooks"]];
  return [["Hubs", "/hubs"], [hub.name, `/hubs/${hub.id}`], ["Webhooks", `/hubs/${hub.id}/webhooks`]];
}
