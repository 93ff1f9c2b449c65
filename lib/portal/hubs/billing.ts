/** What a hub pays, to whom the invoices go, and what is to be paid now. */
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
      "No payment provider is connected to this service, so nothing here costs anything.",
    );
  }
  return managesBilling
    ? emptyState("This hub is not billed", "Say where its invoices go, and its spokes are billed from then on.")
    : emptyState("This hub is not billed", "Nothing in it costs anything. An operator decides whether it is billed.");
}

function billingNotices({ pastDueSince, difference, error, pending, status }: Billing): readonly (Markup | string)[] {
  return [
    pastDueSince === null ? "" : notice(
      "bad",
      markup`<p><b>A payment is late</b>, since ${
        instant(pastDueSince)
      }. Pay the invoice below; the spokes stay as they are meanwhile.</p>`,
    ),
    difference ? notice("warn", markup`<p><b>The bill differs from what is there.</b> ${difference.message}.</p>`) : "",
    error === null ? "" : notice("bad", markup`<p><b>The payment provider refused.</b> ${error}.</p>`),
    pending && error === null
      ? notice("info", "A change is on its way to the payment provider; this shows it within seconds.")
      : "",
    status === "canceled" || status === "incomplete_expired"
      ? notice("warn", "The subscription has ended, and nothing is charged. Reconciling begins another.")
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

function subscriptionPanel({ status, monthly, currency, items, email, seenAt }: Billing): Markup {
  const [tone, sign] = STATUSES[status ?? ""] ?? ["still", "minus"];
  const amount = (minor: number | null) => minor === null || currency === null ? "–" : money(minor, currency);
  return panel(
    "Subscription",
    markup`<p class="price">${monthly === null ? "No fixed amount" : amount(monthly)} <span class="small soft">${
      monthly === null ? "" : "a month"
    }</span></p>
${
      items.length === 0
        ? markup`<p class="small soft">Nothing in this hub is billed yet. The first spoke with a price begins the subscription.</p>`
        : table(
          "What is billed",
          ["Size", "Spokes", "A month"],
          items.map(({ size, quantity, monthly }) => [
            size === null ? "Something else" : humanize(size),
            quantity,
            markup`<span class="number">${amount(monthly)}</span>`,
          ]),
        )
    }
${
      definitionList([
        ["Invoices go to", email ?? "nobody"],
        ["As the payment provider showed it", instant(seenAt, "not yet")],
      ])
    }`,
    { id: "subscription", actions: badge(tone, sign, status === null ? "Not begun" : humanize(status)) },
  );
}

type Invoice = NonNullable<Billing["invoice"]>;

function invoicePanel({ number, status, total, remaining, currency, dueAt, url }: Invoice): Markup {
  const paid = remaining === 0;
  return panel(
    number === null ? "Invoice" : `Invoice ${number}`,
    definitionList([
      ["Amount", markup`<span class="number">${money(total, currency)}</span>`],
      ["To be paid", markup`<span class="number">${money(remaining, currency)}</span>`],
      ["Due", instant(dueAt, "at once")],
    ]),
    {
      id: "invoice",
      actions: markup`${badge(paid ? "good" : "warn", paid ? "done" : "wait", humanize(status))}${
        url === null
          ? ""
          : markup`<a class="button ${paid ? "quiet" : "main"}" href="${url}">${paid ? "See it" : "Pay it"}</a>`
      }`,
    },
  );
}

function operatorPanel(id: string, { connected, email }: Billing, submission: Submission | undefined): Markup {
  return panel(
    connected ? "Who is asked to pay" : "Bill this hub",
    markup`${
      postForm(
        { action: `/hubs/${id}/billing`, button: connected ? "Change the address" : "Begin billing", submission },
        field({
          name: "email",
          label: "Invoices go to",
          type: "email",
          value: email,
          hint: connected ? "The next ones go there." : "From then on its spokes are charged by the price list.",
          required: true,
          maxLength: 254,
          submission,
        }),
      )
    }${
      connected
        ? markup`<h3>Reconcile</h3><p class="small">Tells the payment provider anew what is there, also where somebody changed the subscription by hand.</p>${
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
      "What a spoke costs",
      ["Size", "A month"],
      priced.map(({ size, price }) => [
        entryTitle(size),
        markup`<span class="number">${money(price.monthly, price.currency)}</span>`,
      ]),
    ),
    {
      id: "prices",
      lead: charged
        ? "For one spoke. One that is suspended or has failed is not charged."
        : "For one spoke, once billing is on.",
    },
  );
}

const STYLE = `
.price { font-size: var(--display); font-weight: 650; letter-spacing: -.02em; line-height: 1.2; font-variant-numeric: tabular-nums; }
#trouble:empty { display: none; }
`;
