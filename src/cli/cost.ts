/** Implements `wheelwright cost`: shows what a hub's spokes cost, or the cost of adding a spoke to the hub. */
import type { HubCost } from "#lib/client/client.ts";
import { type CliContext, defineCommand } from "./command.ts";
import { print, printNote, showJson, showRecord, showTable } from "./output.ts";
import { formatCost, formatMoney } from "./spoke-views.ts";

export const costCommand = defineCommand({
  words: ["HUB"],
  options: { size: { type: "string", help: "show the cost of adding a spoke of this size" } },
  more: "The amounts are those that the payment provider bills. Without a provider, they are the catalog's prices.",
  examples: ["cost north", "cost north --size large"],
  async run(cli, { words: [federationId], options: { size } }) {
    if (size === undefined) return showHubCost(cli, await cli.api.getFederationCost({ federationId }));
    const cost = await cli.api.previewSpokeCost({ federationId, size }), text = formatCost(cost);
    const lines = [["hub", federationId], ["size", cost.available ? cost.size : size], ["cost", text]] as const;
    showRecord(cli, cost, () => lines, text);
  },
});

function showHubCost(cli: CliContext, cost: HubCost): void {
  if (cli.json) return showJson(cli, cost);
  const { lines, totals, reason, nextInvoice, nextInvoiceReason } = cost;
  if (cli.quiet) return print(totals.map((total) => `${formatMoney(total.monthly, total.currency)}\n`).join(""));
  const amount = (minor: number | null, currency: string | null) =>
    minor === null || currency === null ? null : formatMoney(minor, currency);
  const sums = totals.map(({ currency, monthly }) => ({ size: "total", spokes: null, each: null, monthly, currency }));
  showTable(cli, [...lines, ...sums.map((sum) => ({ ...sum, reason: null }))], [
    ["SIZE", ({ size }) => size ?? "other"],
    ["SPOKES", ({ spokes }) => spokes, "number"],
    ["EACH", ({ each, currency }) => amount(each, currency), "number"],
    ["MONTHLY", ({ monthly, currency }) => amount(monthly, currency), "number"],
    ["NOTE", (line) => line.reason],
  ]);
  if (reason !== null) printNote(cli, reason);
  if (nextInvoice !== null) {
    const due = formatMoney(nextInvoice.due, nextInvoice.currency);
    printNote(cli, `Estimate of the next invoice: ${due} on ${nextInvoice.at.slice(0, 10)}`);
  } else if (nextInvoiceReason !== null && nextInvoiceReason !== reason) {
    printNote(cli, `No estimate of the next invoice: ${nextInvoiceReason}`);
  }
}
