/** Renders the form to start a rollout, and the preview of its waves. */
import { type Markup, markup } from "#lib/http/page.ts";
import type { CatalogOffer, PreviewedRollout } from "#lib/portal/components/api-types.ts";
import { type FormField, type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { formatPrice } from "#lib/portal/components/amounts.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import { describeRules, formatRolloutAction, formatSpokes } from "#lib/portal/rollouts/rollout.ts";
import { ROLLOUT_ACTIONS } from "#lib/model/rollout.ts";

export const NEW_ROLLOUT_FIELDS = [
  ...["action", "version", "size", "hub", "withVersion", "minStorage", "outdated", "canary", "minutes", "batch"],
  ...["maxUnavailable", "maxFailures", "days", "from", "to", "timeZone"],
] as const;
type FieldName = (typeof NEW_ROLLOUT_FIELDS)[number];
type Values = Readonly<Partial<Record<FieldName, string | undefined>>>;

interface NewRolloutProps {
  readonly me: CurrentUser;
  readonly catalog: CatalogOffer;
  readonly values: Values;
  readonly preview?: PreviewedRollout | null;
  readonly submission?: RefusedSubmission | undefined;
}

export function newRolloutView({ me, catalog, values, preview, submission }: NewRolloutProps): PageView {
  const hidden = Object.fromEntries(NEW_ROLLOUT_FIELDS.flatMap((name) => values[name] ? [[name, values[name]]] : []));
  return {
    title: "Start a rollout",
    section: "rollouts",
    crumbs: [["Rollouts", "/rollouts"]],
    body: markup`${preview ? previewPanel(preview, hidden) : ""}${
      ui.panel(
        "Plan",
        renderPostForm(
          {
            action: "/rollouts/new",
            button: "Preview",
            also: ui.linkButton(["Cancel", "/rollouts"]),
            submission,
            hidden: { preview: "yes" },
          },
          ...fieldsOf(me, catalog).map((field) => ({
            ...field,
            value: values[field.name as FieldName] || field.value,
          })),
        ),
        { id: "plan" },
      )
    }`,
  };
}

function fieldsOf(me: CurrentUser, catalog: CatalogOffer): FormField[] {
  const actions = ROLLOUT_ACTIONS.filter((action) => action !== "reapply" || me.role === "operator");
  const choices = (list: readonly { readonly name: string }[]) => list.map(({ name }) => [name] as const);
  const versions = choices(catalog.versions), none = (text: string) => ["", text] as const;
  return [
    { name: "action", label: "Action", options: actions.map((action) => [action, ui.humanize(action)] as const) },
    { name: "version", label: "Version to upgrade to", options: [none("–"), ...versions] },
    { name: "size", label: "Size to resize to", options: [none("–"), ...choices(catalog.sizes)] },
    { name: "hub", label: "Hub", placeholder: "north", hint: "The slug of a hub. Leave empty for all hubs." },
    { name: "withVersion", label: "Only spokes that run", options: [none("Any version"), ...versions] },
    {
      name: "minStorage",
      label: "Storage used, at least",
      placeholder: "80",
      hint: "In percent. Leave empty for any.",
    },
    { name: "outdated", label: "Blueprint", options: [none("Any"), ["yes", "Only spokes with an older blueprint"]] },
    { name: "canary", label: "Spokes in the first wave", value: "1", hint: "The first wave is called the canary." },
    { name: "minutes", label: "Minutes to watch the first wave", value: "10" },
    {
      name: "batch",
      label: "Spokes in each later wave",
      value: "10%",
      hint: "A number, or a percentage of all spokes.",
    },
    { name: "maxUnavailable", label: "Unavailable at the same time", value: "5", hint: "At most, in each cluster." },
    { name: "maxFailures", label: "Failures that pause the rollout", value: "1" },
    { name: "days", label: "Days", hint: "Leave empty to start at any time. For example: sat, sun." },
    { name: "from", label: "From", placeholder: "22:00" },
    { name: "to", label: "To", placeholder: "05:00" },
    { name: "timeZone", label: "Time zone", placeholder: "Europe/Berlin" },
  ];
}

function previewPanel(preview: PreviewedRollout, fields: Readonly<Record<string, string>>): Markup {
  const { waves, skipped, spokes } = preview, changed = spokes.length - skipped;
  const rows = spokes.map(({ spokeId, domain, wave, reason }) => [
    markup`<a href="/spokes/${spokeId}">${domain}</a>`,
    wave === null ? "Skipped" : wave === 0 ? "Canary" : String(wave),
    reason ?? "",
  ]);
  return ui.panel(
    `${formatRolloutAction(preview)}: ${formatSpokes(changed)}`,
    markup`${
      ui.definitionList([
        ["Spokes in each wave", waves.filter((count) => count > 0).join(", ")],
        skipped === 0 ? null : ["Skipped", String(skipped)],
        ["Downtime", formatDowntime(preview)],
        ["Time until it ends", formatLeastTime(preview)],
        ...formatPriceChange(preview),
        ...describeRules(preview),
      ])
    }${ui.dataTable("Spokes", ["Spoke", "Wave", "Reason"], rows)}${
      ui.renderPostButton("/rollouts/new", "Start the rollout", {
        variant: "main",
        fields: { ...fields, key: crypto.randomUUID() },
      })
    }`,
    { id: "preview" },
  );
}

function formatDowntime({ downtimes, usualSeconds }: PreviewedRollout): string {
  if (downtimes === null) return "only of sites whose pods change";
  if (downtimes === 0) return "none";
  return usualSeconds === null
    ? `${formatSpokes(downtimes)}; its length is not known yet`
    : `about ${ui.formatDuration(usualSeconds)} per spoke, ${ui.formatDuration(usualSeconds * downtimes)} in all`;
}

function formatLeastTime({ minimumSeconds, window }: PreviewedRollout): string {
  if (minimumSeconds === null) return "not known yet, because this action has never succeeded";
  const least = `at least ${ui.formatDuration(minimumSeconds)}`;
  return window === null ? least : `${least} of open time window`;
}

function formatPriceChange({ price }: PreviewedRollout): readonly (readonly [string, string])[] {
  if (!price) return [];
  const changes = price.totals.map(({ currency, before, after }) =>
    `${formatPrice(after, currency)} per month instead of ${formatPrice(before, currency)}`
  );
  const missing = price.unpriced > 0 ? [`${formatSpokes(price.unpriced)} without a price in the catalog`] : [];
  return [["Price", [...changes, ...missing].join(", ") || "none"]];
}

/** Builds the API request from the values of the form. Numbers that are not numbers are left for the API to refuse. */
export function buildRolloutRequest(values: Values): object {
  const text = (name: FieldName) => values[name]?.trim() || undefined;
  const number = (name: FieldName) => text(name) === undefined ? undefined : Number(text(name));
  const days = text("days")?.toLowerCase().split(/[\s,]+/).filter(Boolean);
  const { action } = values;
  return {
    action,
    lmsVersion: action === "upgrade" ? text("version") : undefined,
    size: action === "resize" ? text("size") : undefined,
    selector: {
      all: true,
      federationId: text("hub"),
      lmsVersion: text("withVersion"),
      minStoragePercent: number("minStorage"),
      outdated: text("outdated") && true,
    },
    canary: { spokes: number("canary") ?? 1, minutes: number("minutes") ?? 10 },
    batch: text("batch"),
    maxUnavailable: number("maxUnavailable"),
    maxFailures: number("maxFailures"),
    window: days && { days, from: text("from") ?? "", to: text("to") ?? "", timeZone: text("timeZone") ?? "UTC" },
  };
}
