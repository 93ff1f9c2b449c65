/** Renders what a hub's spokes cost per month, and the estimate of the next invoice. */
import { type Markup, markup } from "#lib/http/page.ts";
import { formatPrice } from "#lib/portal/components/amounts.ts";
import type { HubCostSummary } from "#lib/portal/components/api-types.ts";
import * as ui from "#lib/portal/components/parts.ts";

export function costPanel({ lines, totals, reason, nextInvoice, nextInvoiceReason }: HubCostSummary): Markup {
  const amount = (minor: number | null, currency: string | null) =>
    markup`<span class="number">${minor === null || currency === null ? "–" : formatPrice(minor, currency)}</span>`;
  const total = totals.map(({ currency, monthly }) => formatPrice(monthly, currency)).join(" + ");
  return ui.panel(
    "Monthly cost",
    markup`<p class="price">${total === "" ? "No charges" : total}${
      total === "" ? "" : markup` <span class="small soft">per month</span>`
    }</p>${
      lines.length === 0 ? markup`<p class="small soft">The hub has no spokes that cost anything.</p>` : ui.dataTable(
        "Cost by size",
        ["Size", "Spokes", "Each", "Per month"],
        lines.map(({ size, spokes, each, monthly, currency, reason }) => [
          size === null ? "Other" : ui.humanize(size),
          spokes,
          amount(each, currency),
          reason === null ? amount(monthly, currency) : markup`<span class="small">${reason}</span>`,
        ]),
      )
    }${
      ui.definitionList([
        nextInvoice === null ? ["Next invoice", nextInvoiceReason === reason ? "none" : nextInvoiceReason ?? "–"] : [
          "Next invoice (estimate)",
          markup`<span class="number">${formatPrice(nextInvoice.due, nextInvoice.currency)}</span>, ${
            ui.renderTime(nextInvoice.at)
          }`,
        ],
      ])
    }`,
    { id: "cost", ...(reason !== null && { lead: `${reason}.` }) },
  );
}
