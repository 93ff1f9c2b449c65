/** Renders what a tier offers, and the preview of a change of a hub's tier. */
import { type Markup, markup } from "#lib/http/page.ts";
import type { CatalogOffer, PreviewedHub } from "#lib/portal/components/api-types.ts";
import { checkboxField, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { CurrentUser } from "#lib/portal/components/view.ts";
import { formatSpokes } from "#lib/portal/rollouts/rollout.ts";

type Tier = CatalogOffer["tiers"][number];

/** Lists what the tiers of the catalog offer. Empty if no tier says anything. */
export function tiersPanel({ tiers }: CatalogOffer): Markup {
  const rows = tiers.map((tier) => [tier.title ?? tier.name, describeTier(tier).join(", ") || "no limits of its own"]);
  if (tiers.every((tier) => describeTier(tier).length === 0)) return markup``;
  return ui.panel("Tiers", ui.dataTable("Tiers", ["Tier", "Offers"], rows), { id: "tiers" });
}

function describeTier({ placement, sizes, backups, bounds }: Tier): string[] {
  const { window, retention } = backups, labels = Object.entries(placement?.nodeSelector ?? {});
  return [
    ...(labels.length > 0 ? [`nodes with ${labels.map(([name, value]) => `${name}=${value}`).join(", ")}`] : []),
    ...(sizes ? [`sizes ${sizes.join(", ")}`] : []),
    ...(bounds.spokes === null ? [] : [`at most ${formatSpokes(bounds.spokes)}`]),
    ...(bounds.storage === null ? [] : [`at most ${bounds.storage} for all sites`]),
    ...(window ? [`backups from ${window.from} to ${window.to} UTC`] : []),
    ...(retention
      ? [`${retention.daily} daily, ${retention.weekly} weekly and ${retention.monthly} monthly backups`]
      : []),
  ];
}

const EFFECT_TEXTS: Readonly<Record<PreviewedHub["spokes"][number]["effect"], string>> = {
  moves: "Moves",
  in_place: "Changes without downtime",
  suspended: "Stays as it is",
  refused: "Cannot change now",
  unchanged: "Unchanged",
};

/** Shows what a new tier does to each spoke, with the button that applies the change. */
export function tierPreviewPanel(
  me: CurrentUser,
  hubId: string,
  preview: PreviewedHub,
  fields: Readonly<Record<string, string>>,
): Markup {
  const { counts, usualSeconds, minimumSeconds, downtimes, spokes, more, notes } = preview;
  const rows = spokes.map(({ spokeId, domain, effect, reason }) => [
    markup`<a href="/spokes/${spokeId}">${domain}</a>`,
    EFFECT_TEXTS[effect],
    reason ?? "",
  ]);
  const isRollout = me.role === "operator" && counts.moves + counts.in_place > 0;
  return ui.panel(
    `The new tier changes ${formatSpokes(counts.moves + counts.in_place)}`,
    markup`${
      ui.definitionList([
        ["Downtime", formatDowntime(downtimes, usualSeconds)],
        minimumSeconds === null ? null : ["Time until a rollout ends", `at least ${ui.formatDuration(minimumSeconds)}`],
      ])
    }<p class="small">${notes.map((note) => `${note}. `)}</p>
${rows.length === 0 ? "" : ui.dataTable("Spokes", ["Spoke", "Effect", "Reason"], rows)}
${more === 0 ? "" : markup`<p class="small soft">And ${more} more.</p>`}${
      renderPostForm(
        { action: `/hubs/${hubId}/settings`, button: "Change the hub", hidden: { ...fields, confirmed: "yes" } },
        isRollout ? checkboxField("rollOut", "Start a rollout that changes the sites", false) : "",
      )
    }`,
    { id: "preview" },
  );
}

function formatDowntime(sites: number, usualSeconds: number | null): string {
  if (sites === 0) return "none";
  return usualSeconds === null
    ? `${formatSpokes(sites)}; its length is not known yet`
    : `about ${ui.formatDuration(usualSeconds)} for each of ${formatSpokes(sites)}`;
}
