/** Declares the verbs for a hub's billing: show, start and reconcile. */
import type { Billing } from "#lib/client/client.ts";
import { defineCommand } from "./command.ts";
import { showChange, showRecord } from "./output.ts";
import { formatMoney } from "./spoke-views.ts";
import type { RecordLine } from "./table.ts";

export const hubBillingCommands = [
  defineCommand({
    name: "billing",
    summary: "Show the subscription and the open invoice of a hub",
    words: ["HUB"],
    examples: ["hubs billing north --json"],
    run: async (cli, { words: [federationId] }) =>
      showRecord(cli, await cli.api.getFederationBilling({ federationId }), formatBillingLines, federationId),
  }),
  defineCommand({
    name: "bill",
    summary: "Start billing a hub and set the address for invoices. To change the address, run the command again",
    words: ["HUB", "EMAIL"],
    examples: ["hubs bill north accounts@north.example"],
    async run(cli, { words: [federationId, email] }) {
      const billing = await cli.api.startFederationBilling({ federationId }, { email });
      showChange(cli, billing, `Invoices for hub ${federationId} are sent to ${billing.email}`, federationId);
    },
  }),
  defineCommand({
    name: "reconcile",
    summary: "Send a hub's spokes to the payment provider again, which overwrites changes made at the provider",
    words: ["HUB"],
    examples: ["hubs reconcile north"],
    async run(cli, { words: [federationId] }) {
      const billing = await cli.api.reconcileFederationBilling({ federationId });
      showChange(cli, billing, `Sending the spokes of hub ${federationId} to the payment provider`, federationId);
    },
  }),
];

function formatBillingLines(
  { connected, email, status, pastDueSince, items, monthly, ...billing }: Billing,
): readonly RecordLine[] {
  const { currency, invoice, pending, difference, error } = billing;
  const money = (amount: number | null) => amount === null || currency === null ? null : formatMoney(amount, currency);
  return [
    ["connected", connected],
    ["email", email],
    ["status", status, "state"],
    ["past due since", pastDueSince, "time"],
    ["monthly", money(monthly)],
    ...items.map(({ size, quantity, monthly }) =>
      ["for", `${quantity} × ${size ?? "other"}${monthly === null ? "" : `, ${money(monthly)}`}`] as const
    ),
    ["due", invoice?.dueAt, "time"],
    ["amount due", invoice && formatMoney(invoice.remaining, invoice.currency)],
    ["invoice", invoice?.url],
    ["not sent yet", pending || null],
    ["difference", difference?.message],
    ["problem", error],
  ];
}
