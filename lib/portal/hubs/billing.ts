/** Renders a hub's subscription, its open invoice and the address for invoices. */
import { type Markup, markup } from "#lib/http/page.ts";
import { money } from "#lib/portal/components/amounts.ts";
import { field, postForm, type Submission } from "#lib/portal/components/forms.ts";
import {
  badge,
  definitionList,
  emptyState,
  humanize,
  instant,
  notice,
  panel,
  postButton,
  table,
  type Tone,
} from "#lib/portal/components/parts.ts";
import type { Icon } from "#lib/portal/components/icons.ts";
import type { Billing, CatalogOffer, Hub } from "#lib/portal/components/api-types.ts";
import type { CurrentUser, View } from "#lib/portal/components/view.ts";
import { hubHead } from "#lib/portal/hubs/hub.ts";
import { entryTitle } from "#lib/portal/hubs/catalog-fields.ts";

export interface HubBillingProps {
  readonly me: CurrentUser;
  readonly hub: Hub;
  readonly billing: Billing;
  readonly catalog: CatalogOffer;
  readonly submission?: Submission | undefined;
}

export function hubBillingView({ me, hub, billing, catalog, submission }: HubBillingProps): View {
  const { id } = hub, managesBilling = me.role === "operator" && catalog.charged;
  return {
    ...hubHead(hub, true, `/hubs/${id}/billing`),
    poll: billing.pending ? 3 : 30,
    style: STYLE,
    body: markup`<div id="trouble" data-live class="pile">${billingNotices(billing)}</div>
<div class="two"><div class="pile" id="bill" data-live>${
      billing.connected ? subscriptionPanel(billing) : notBilled(catalog, managesBilling)
    }${billing.invoice ? invoicePanel(billing.invoice) : ""}</div><div class="pile">${
      managesBilling ? operatorPanel(id, billing, submission) : ""
    }${pricePanel(catalog)}</div></div>`,
  };
}

function notBilled({ charged }: CatalogOffer, managesBilling: boolean): Markup {
  if (!charged) {
    return emptyState(
      "Billing is off",
      "This service has no payment provider. Nothing is charged.",
    );
  }
  return managesBilling
    ? emptyState("This hub is not billed", "Enter an address for invoices to start billing its spokes.")
    : emptyState("This hub is not billed", "Nothing is charged. An operator can start billing.");
}

function billingNotices({ pastDueSince, difference, error, pending, status }: Billing): readonly (Markup | string)[] {
  return [
    pastDueSince === null ? "" : notice(
      "bad",
      markup`<p><b>A payment is overdue</b> since ${
        instant(pastDueSince)
      }. Pay the invoice below. The spokes keep running.</p>`,
    ),
    difference
      ? notice("warn", markup`<p><b>The bill differs from this hub's spokes.</b> ${difference.message}.</p>`)
      : "",
    error === null ? "" : notice("bad", markup`<p><b>The payment provider refused the last change.</b> ${error}.</p>`),
    pending && error === null
      ? notice("info", "Sending a change to the payment provider. This page updates within seconds.")
      : "",
    status === "canceled" || status === "incomplete_expired"
      ? notice("warn", "The subscription ended. Nothing is charged. Reconcile to start a new one.")
      : "",
  ];
}

const STATUSES: Readonly<Record<string, readonly [Tone, Icon]>> = {
  active: ["good", "dot"],
  trialing: ["info", "dot"],
  past_due: ["bad", "warning"],
  unpaid: ["bad", "warning"],
  incomplete: ["warn", "warning"],
};

function subscriptionPanel({ status, monthly, currency, items, email, checkedAt }: Billing): Markup {
  const [tone, sign] = STATUSES[status ?? ""] ?? ["still", "minus"];
  const amount = (minor: number | null) => minor === null || currency === null ? "–" : money(minor, currency);
  return panel(
    "Subscription",
    markup`<p class="price">${monthly === null ? "No fixed amount" : amount(monthly)} <span class="small soft">${
      monthly === null ? "" : "per month"
    }</span></p>
${
      items.length === 0
        ? markup`<p class="small soft">Nothing is billed yet. The first spoke with a price starts the subscription.</p>`
        : table(
          "Billed spokes",
          ["Size", "Spokes", "Per month"],
          items.map(({ size, quantity, monthly }) => [
            size === null ? "Other" : humanize(size),
            quantity,
            markup`<span class="number">${amount(monthly)}</span>`,
          ]),
        )
    }
${
      definitionList([
        ["Invoices sent to", email ?? "nobody"],
        ["Last synced", instant(checkedAt, "never")],
      ])
    }`,
    { id: "subscription", actions: badge(tone, sign, status === null ? "Not started" : humanize(status)) },
  );
}

type Invoice = NonNullable<Billing["invoice"]>;

function invoicePanel({ number, status, total, remaining, currency, dueAt, url }: Invoice): Markup {
  const paid = remaining === 0;
  return panel(
    number === null ? "Invoice" : `Invoice ${number}`,
    definitionList([
      ["Amount", markup`<span class="number">${money(total, currency)}</span>`],
      ["Amount due", markup`<span class="number">${money(remaining, currency)}</span>`],
      ["Due", instant(dueAt, "immediately")],
    ]),
    {
      id: "invoice",
      actions: markup`${badge(paid ? "good" : "warn", paid ? "done" : "wait", humanize(status))}${
        url === null
          ? ""
          : markup`<a class="button ${paid ? "quiet" : "main"}" href="${url}">${
            paid ? "View invoice" : "Pay invoice"
          }</a>`
      }`,
    },
  );
}

function operatorPanel(id: string, { connected, email }: Billing, submission: Submission | undefined): Markup {
  return panel(
    connected ? "Invoices" : "Bill this hub",
    markup`${
      postForm(
        { action: `/hubs/${id}/billing`, button: connected ? "Change address" : "Start billing", submission },
        field({
          name: "email",
          label: "Send invoices to",
          type: "email",
          value: email,
          hint: connected ? "Used for future invoices." : "Its spokes are then charged by the price list.",
          required: true,
          maxLength: 254,
          submission,
        }),
      )
    }${
      connected
        ? markup`<h3>Reconcile</h3><p class="small">Sends the current spokes to the payment provider again and overwrites manual changes to the subscription.</p>${
          postButton(`/hubs/${id}/billing/reconcile`, "Reconcile")
        }`
        : ""
    }`,
    { id: "operators" },
  );
}

function pricePanel({ sizes, charged }: CatalogOffer): Markup | string {
  const priced = sizes.flatMap((size) => size.price ? [{ size, price: size.price }] : []);
  if (priced.length === 0) return "";
  return panel(
    "Price list",
    table(
      "Prices per spoke",
      ["Size", "Per month"],
      priced.map(({ size, price }) => [
        entryTitle(size),
        markup`<span class="number">${money(price.monthly, price.currency)}</span>`,
      ]),
    ),
    {
      id: "prices",
      lead: charged ? "Per spoke. Suspended and failed spokes are not charged." : "Per spoke, once billing is on.",
    },
  );
}

const STYLE = `
.price { font-size: var(--display); font-weight: 650; letter-spacing: -.02em; line-height: 1.2; font-variant-numeric: tabular-nums; }
#trouble:empty { display: none; }
`;
