/** Renders the add-ons of a spoke, as its site last reported them. */
import { type Markup, markup } from "#lib/http/page.ts";
import type { InstalledAddons } from "#lib/portal/components/api-types.ts";
import * as ui from "#lib/portal/components/parts.ts";

export function addonsPanel({ reportedAt, total, addons }: InstalledAddons): Markup {
  const rows = addons.map(({ component, version, enabled, listed }) => [
    markup`<code>${component}</code>`,
    String(version),
    enabled ? "yes" : "no",
    listed === null ? "–" : listed ? "yes" : "no",
  ]);
  const missing = (total ?? 0) - addons.length;
  const body = reportedAt === null
    ? markup`<p class="small soft">The site has not listed its add-ons yet. It does so about once an hour.</p>`
    : markup`${
      rows.length === 0
        ? markup`<p class="small soft">No add-ons.</p>`
        : ui.dataTable("Add-ons", ["Component", "Version", "Enabled", "In the catalog"], rows)
    }<p class="small soft">${
      missing > 0 ? `${missing} more add-ons do not fit into the site's report. ` : ""
    }Listed by the site ${ui.renderTime(reportedAt)}.</p>`;
  return ui.panel("Add-ons", body, { id: "addons", live: true });
}
