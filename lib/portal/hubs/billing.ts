/** Renders a hub's billing page: the subscription, the open invoice and the email address for invoices. */
import { type Markup, markup } from "#lib/http/page.ts";
import { formatPrice } from "#lib/portal/components/amounts.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { IconName } from "#lib/portal/components/icons.ts";
import type { Billing, CatalogOffer, Hub, HubCostSummary } from "#lib/portal/components/api-types.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import { costPanel } from "#lib/portal/hubs/cost.ts";
import { hubHeader } from "#lib/portal/hubs/hub.ts";
import { catalogEntryTitle } from "#lib/portal/components/model-fields.ts";

export interface HubBillingProps {
  readonly me: CurrentUser;
  readonly hub: Hub;
  readonly billing: Billing;
  readonly cost: HubCostSummary;
  readonly catalog: CatalogOffer;
  readonly submission?: RefusedSubmission | undefined;
}

export function hubBillingView({ me, hub, billing, cost, catalog, submission }: HubBillingProps): PageView {
  const { id } = hub, managesBilling = me.role === "operator" && catalog.charged;
  return {
    ...hubHeader(hub, true, `/hubs/${id}/billing`),
    poll: billing.pending ? 3 : 30,
    body: markup`<div id="problems" data-live class="column">${billingNotices(billing)}</div>
<div class="two-columns"><div class="column" id="bill" data-live>${
      billing.connected ? subscriptionPanel(billing) : notBilled(catalog, managesBilling)
    }${costPanel(cost)}${billing.invoice ? invoicePanel(billing.invoice) : ""}</div><div class="column">${
      managesBilling ? operatorPanel(id, billing, submission) : ""
    }${pricePanel(catalog)}</div></div>`,
  };
}

function notBilled({ charged, sizes }: CatalogOffer, managesBilling: boolean): Markup {
  if (!charged) {
    return ui.emptyState(
      "No payment provider is configured",
      sizes.some(({ price }) => price)
        ? "Nothing is charged through this service. The amounts on this page are the catalog's prices."
        : "Nothing is charged through this service, and its catalog has no prices.",
    );
  }
  return managesBilling
    ? ui.emptyState("This hub is not billed", "To start billing the hub's spokes, enter an email address for invoices.")
    : ui.emptyState("This hub is not billed", "The hub's spokes are not charged. An operator can start billing.");
}

function billingNotices({ pastDueSince, difference, error, pending, status }: Billing): readonly (Markup | string)[] {
  return [
    pastDueSince === null ? "" : ui.callout(
      "bad",
      markup`<p><b>A payment has been overdue</b> since ${
        ui.renderTime(pastDueSince)
      }. Pay the invoice below. The spokes keep running.</p>`,
    ),
    difference
      ? ui.callout("warn", markup`<p><b>The bill does not match this hub's spokes.</b> ${difference.message}.</p>`)
      : "",
    error === null
      ? ""
      : ui.callout("bad", markup`<p><b>The payment provider refused the last change.</b> ${error}.</p>`),
    pending && error === null
      ? ui.callout("info", "Sending a change to the payment provider. This page updates within seconds.")
      : "",
    status === "canceled" || status === "incomplete_expired"
      ? ui.callout(
        "warn",
        "The subscription ended, so the hub's spokes are not charged. Reconcile billing to start a new subscription.",
      )
      : "",
  ];
}

const STATUSES: Readonly<Record<string, readonly [ui.BadgeTone, IconName]>> = {
  active: ["good", "dot"],
  trialing: ["info", "dot"],
  past_due: ["bad", "warning"],
  unpaid: ["bad", "warning"],
  incomplete: ["warn", "warning"],
};

function subscriptionPanel({ status, monthly, currency, items, email, checkedAt }: Billing): Markup {
  const [tone, sign] = STATUSES[status ?? ""] ?? ["still", "minus"];
  const amount = (minor: number | null) => minor === null || currency === null ? "–" : formatPrice(minor, currency);
  return ui.panel(
    "Subscription",
    markup`<p class="price">${monthly === null ? "No fixed amount" : amount(monthly)} <span class="small soft">${
      monthly === null ? "" : "per month"
    }</span></p>
${
      items.length === 0
        ? markup`<p class="small soft">Nothing is billed yet. The first spoke with a price starts the subscription.</p>`
        : ui.dataTable(
          "Billed spokes",
          ["Size", "Spokes", "Per month"],
          items.map(({ size, quantity, monthly }) => [
            size === null ? "Other" : ui.humanize(size),
            quantity,
            markup`<span class="number">${amount(monthly)}</span>`,
          ]),
        )
    }
${
      ui.definitionList([
        ["Invoices sent to", email ?? "nobody"],
        ["Last synced", ui.renderTime(checkedAt, "never")],
      ])
    }`,
    { id: "subscription", actions: ui.badge(tone, sign, status === null ? "Not started" : ui.humanize(status)) },
  );
}

type Invoice = NonNullable<Billing["invoice"]>;

function invoicePanel({ number, status, total, remaining, currency, dueAt, url }: Invoice): Markup {
  const paid = remaining === 0;
  return ui.panel(
    number === null ? "Invoice" : `Invoice ${number}`,
    ui.definitionList([
      ["Amount", markup`<span class="number">${formatPrice(total, currency)}</span>`],
      ["Amount due", markup`<span class="number">${formatPrice(remaining, currency)}</span>`],
      ["Due", ui.renderTime(dueAt, "immediately")],
    ]),
    {
      id: "invoice",
      actions: markup`${ui.badge(paid ? "good" : "warn", paid ? "done" : "wait", ui.humanize(status))}${
        url === null
          ? ""
          : markup`<a class="button ${paid ? "quiet" : "main"}" href="${url}">${
            paid ? "View invoice" : "Pay invoice"
          }</a>`
      }`,
    },
  );
}

function operatorPanel(id: string, { connected, email }: Billing, submission: RefusedSubmission | undefined): Markup {
  return ui.panel(
    connected ? "Invoices" : "Bill this hub",
    markup`${
      renderPostForm(
        { action: `/hubs/${id}/billing`, button: connected ? "Change address" : "Start billing", submission },
        {
          name: "email",
          label: "Send invoices to",
          type: "email",
          value: email,
          hint: connected
            ? "Future invoices are sent to this address."
            : "Once you start billing, the hub's spokes are charged at list prices.",
          required: true,
          maxLength: 254,
        },
      )
    }${
      connected
        ? markup`<h3>Reconcile</h3><p class="small">Sends the current spokes to the payment provider again and overwrites manual changes to the subscription.</p>${
          ui.renderPostButton(`/hubs/${id}/billing/reconcile`, "Reconcile")
        }`
        : ""
    }`,
    { id: "operators" },
  );
}

function pricePanel({ sizes, charged }: CatalogOffer): Markup | string {
  const priced = sizes.flatMap((size) => size.price ? [{ size, price: size.price }] : []);
  if (priced.length === 0) return "";
  return ui.panel(
    "Price list",
    ui.dataTable(
      "Prices per spoke",
      ["Size", "Per month"],
      priced.map(({ size, price }) => [
        catalogEntryTitle(size),
        markup`<span class="number">${formatPrice(price.monthly, price.currency)}</span>`,
      ]),
    ),
    {
      id: "prices",
      lead: charged
        ? "Prices are per spoke. Suspended and failed spokes are not charged."
        : "Prices are per spoke, from the catalog. Suspended and failed spokes cost nothing.",
    },
  );
}
