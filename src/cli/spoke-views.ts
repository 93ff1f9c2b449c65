/** Formats spokes and previews as tables and lines of text. */
import type { ActionPreview, Spoke, SpokePreview } from "#lib/client/client.ts";
import { describeOperationProgress } from "./operation-views.ts";
import { formatSpokeFields } from "./spoke-fields.ts";
import { formatSpokeName } from "./find-spoke.ts";
import type { RecordLine, TableColumn } from "./table.ts";

type HubSlugs = ReadonlyMap<string, string>;

export function createSpokeColumns(hubs: HubSlugs): readonly TableColumn<Spoke>[] {
  return [
    ["SPOKE", (spoke) => formatSpokeName(spoke, hubs)],
    ["STATE", (spoke) => spoke.state, "state"],
    ["HEALTH", (spoke) => spoke.health, "state"],
    ["STORAGE", ({ storagePercent }) => storagePercent === null ? null : `${storagePercent}%`],
    ["DOMAIN", (spoke) => spoke.domain],
    ["SIZE", (spoke) => spoke.size],
    ["VERSION", (spoke) => spoke.lmsVersion],
    ["NAME", (spoke) => spoke.displayName],
    ["CREATED", (spoke) => spoke.createdAt, "time"],
    ["ID", (spoke) => spoke.id, "id"],
  ];
}

export function formatSpokeLines(spoke: Spoke, hubs: HubSlugs): readonly RecordLine[] {
  return formatSpokeFields(spoke, [
    ["spoke", formatSpokeName(spoke, hubs)],
    "displayName",
    ["state", spoke.state, "state"],
    "stateReason",
    ["health", spoke.health, "state"],
    ["maintenance mode", spoke.maintenance || null],
    ["storage used", spoke.storagePercent === null ? null : `${spoke.storagePercent}%`],
    ["site", spoke.url],
    ["former domains", spoke.formerDomains.map(({ domain }) => domain).join(", ")],
    "size",
    ["version", spoke.lmsVersion],
    "imageDigest",
    "adminEmail",
    "region",
    "brand",
    "seed",
    "identity",
    "content",
    "contentMode",
    ["copy of", spoke.from?.spokeId],
    ["email", spoke.mail === "held" ? "held: the site sends no email until you turn it on" : null],
    ["drift in", spoke.drift?.objects.map(({ object }) => object).join(", ")],
    ["unlisted add-ons", spoke.drift?.addons?.join(", ")],
    ["operation", spoke.operation && `${spoke.operation.kind}: ${describeOperationProgress(spoke.operation)}`],
    ["operation id", spoke.operation?.id],
    ["created", spoke.createdAt, "time"],
    ["ready", spoke.readyAt, "time"],
    "namespace",
    "id",
  ], ["slug", "federationId", "state", "health", "maintenance", "storagePercent", "domain", "lmsVersion", "mail"]);
}

export function formatActionPreviewLines(preview: ActionPreview): readonly RecordLine[] {
  const { action, state, becomes, downtime, steps, changes, notes, price } = preview;
  return [
    ["action", action],
    ["state", state, "state"],
    ["state afterwards", becomes, "state"],
    ["downtime", downtime],
    ["cost", formatCost(price)],
    ...steps.map((step, i) => [`step ${i + 1}`, step] as const),
    ...changes.map(({ object, field, from, to }) =>
      [
        "change",
        `${object} ${field} ${from === null ? "" : `${JSON.stringify(from)} `}→ ${JSON.stringify(to)}`,
      ] as const
    ),
    ...notes.map((note) => ["note", note] as const),
  ];
}

export function formatCreationPreviewLines({ spoke, quota, objects, price }: SpokePreview): readonly RecordLine[] {
  return [
    ["spoke", spoke.slug],
    ["name", spoke.displayName],
    ["site", spoke.url],
    ["size", spoke.size],
    ["version", spoke.lmsVersion],
    ["administrator", spoke.adminEmail],
    ["copy of", spoke.from?.spokeId],
    ["created from", spoke.from && (spoke.from.backupId ?? "a new backup")],
    ["objects", objects.length],
    ["limits", `${quota.demand.limits.cpu} cpu, ${quota.demand.limits.memory}, ${quota.demand.storage} of disk`],
    ["over its quota", quota.over.join(", ")],
    ["cost", formatCost(price)],
  ];
}

export function formatCost(price: SpokePreview["price"]): string {
  if (!price.available) return price.reason ?? "not available";
  return `${formatMoney(price.recurringMonthly, price.currency)} a month, ${
    formatMoney(price.dueNow, price.currency)
  } now`;
}

/** Formats an amount in the currency's smallest unit, such as cents, which payment providers use. */
export function formatMoney(amount: number, currency: string): string {
  const format = /^[a-z]{3}$/i.test(currency) && new Intl.NumberFormat("en", { style: "currency", currency });
  const digits = format && format.resolvedOptions().maximumFractionDigits || 0;
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}
