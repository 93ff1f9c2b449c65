/** Renders what a site itself reports: its usage and its add-ons. */
import { type Markup, markup } from "#lib/http/page.ts";
import type { InstalledAddons, SpokeUsage } from "#lib/portal/components/api-types.ts";
import { addonsPanel } from "#lib/portal/spokes/addons.ts";
import { usagePanel } from "#lib/portal/spokes/usage.ts";

export interface SiteReports {
  readonly usage: SpokeUsage;
  readonly addons: InstalledAddons;
  /** The period of the usage, in days. */
  readonly days: string;
}

export function siteReportPanels({ usage, addons, days }: SiteReports): Markup {
  return markup`${usagePanel(usage, days)}
${addonsPanel(addons)}`;
}
