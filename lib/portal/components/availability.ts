/** Renders the availability of a spoke or of a hub's spokes, per month. */
import { type Markup, markup } from "#lib/http/page.ts";
import type { AvailabilityMonths } from "#lib/portal/components/api-types.ts";
import * as ui from "#lib/portal/components/parts.ts";

const MAX_MONTHS = 12;

/** Returns a table of the last twelve months, or nothing before the first minutes are added up. */
export function availabilityPanel({ months }: AvailabilityMonths): Markup | "" {
  if (months.length === 0) return "";
  return ui.panel(
    "Availability",
    ui.dataTable(
      "Availability per month, in minutes",
      ["Month", "Availability", "Up", "Down", "Planned", "Unknown"],
      months.slice(0, MAX_MONTHS).map(({ month, availability, up, down, planned, unknown }) => [
        formatMonth(month),
        markup`<span class="number">${availability === null ? "–" : `${availability.toFixed(3)}%`}</span>`,
        ...[up, down, planned, unknown].map((count) =>
          markup`<span class="number">${count.toLocaleString("en")}</span>`
        ),
      ]),
    ),
    {
      id: "availability",
      lead: "The share of minutes in which the login page worked, without planned and unknown minutes.",
    },
  );
}

/** Formats a month such as 2026-11 as Nov 2026, with a space that does not break. */
function formatMonth(month: string): string {
  const format = new Intl.DateTimeFormat("en", { month: "short", year: "numeric", timeZone: "UTC" });
  return format.format(new Date(`${month}-01T00:00:00Z`)).replace(" ", "\u00a0");
}
