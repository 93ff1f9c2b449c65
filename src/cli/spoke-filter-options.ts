/** Declares the options that select spokes, for lists, bulk actions and rollouts. */
import { SPOKE_FIELDS } from "#lib/client/fields.ts";
import type { OptionValues } from "./command.ts";
import { UsageError } from "./exit-status.ts";

export const SPOKE_FILTER_OPTIONS = {
  state: { type: "string", value: SPOKE_FIELDS.state.choices.join("|"), help: "only spokes in this state" },
  health: { type: "string", value: SPOKE_FIELDS.health.choices.join("|"), help: "only spokes with this health" },
  "with-version": { type: "string", value: "VERSION", help: "only spokes that run this version" },
  "with-size": { type: "string", value: "SIZE", help: "only spokes of this size" },
  region: { type: "string", value: "REGION", help: "only spokes in this region" },
  "min-storage": { type: "string", value: "PERCENT", help: "only spokes that use at least this part of their storage" },
  addon: { type: "string", value: "COMPONENT", help: "only spokes that have this add-on, such as mod_attendance" },
  outdated: { type: "boolean", help: "only spokes with manifests from an older release (to update them: reapply)" },
} as const;

type State = (typeof SPOKE_FIELDS.state.choices)[number];
type Health = (typeof SPOKE_FIELDS.health.choices)[number];

/** Builds the request's filters from the options. The server checks their values. */
export function buildSpokeFilter(options: OptionValues<typeof SPOKE_FILTER_OPTIONS>) {
  return {
    state: options.state as State | undefined,
    health: options.health as Health | undefined,
    lmsVersion: options["with-version"],
    size: options["with-size"],
    region: options.region,
    minStoragePercent: parsePercent(options["min-storage"]),
    addon: options.addon,
    outdated: options.outdated,
  };
}

function parsePercent(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,3}%?$/.test(text)) throw new UsageError("--min-storage must be a percentage from 0 to 100");
  return Number.parseInt(text, 10);
}
