/** Declares the options of `wheelwright rollouts create`, and builds the request from them. */
import type { Wheelwright } from "#lib/client/client.ts";
import { MINUTE } from "#lib/base/time.ts";
import type { OptionValues } from "./command.ts";
import { UsageError } from "./exit-status.ts";
import { resolveSpokeId } from "./find-spoke.ts";
import { DRY_RUN_OPTION } from "./spoke-change-verbs.ts";
import { buildSpokeFilter, SPOKE_FILTER_OPTIONS } from "./spoke-filter-options.ts";
import { parseDuration } from "./times.ts";

const SELECTOR_OPTIONS = {
  all: { type: "boolean", help: "all spokes that you can see" },
  hub: { type: "string", value: "HUB", help: "only spokes in this hub" },
  spoke: { type: "string", value: "SPOKE", multiple: true, help: "only this spoke (can be repeated)" },
  search: { type: "string", value: "TEXT", help: "only spokes with this text in their slug, name or domain" },
  ...SPOKE_FILTER_OPTIONS,
  behind: { type: "boolean", help: "only spokes that lack what their hub shares, or newer add-ons (configure)" },
} as const;

const RULE_OPTIONS = {
  canary: { type: "string", value: "N", help: "number of spokes in the first wave (default: 1)" },
  watch: { type: "string", value: "SPAN", help: "how long to watch the first wave (default: 10m)" },
  batch: { type: "string", value: "N", help: "spokes per wave, as a number or percentage such as 10% (default)" },
  "max-unavailable": { type: "string", value: "N", help: "most spokes of a cluster to change at a time (default: 5)" },
  "max-failures": { type: "string", value: "N", help: "number of failures that pauses the rollout (default: 1)" },
  window: {
    type: "string",
    value: "WINDOW",
    help: "only at these times, for example 'sat,sun 22:00-05:00 Europe/Berlin'",
  },
} as const;

export const NEW_ROLLOUT_OPTIONS = {
  to: { type: "string", value: "VERSION", help: "version to upgrade to" },
  "skip-backup": { type: "boolean", help: "upgrade without a backup if the cluster cannot take one" },
  size: { type: "string", value: "SIZE", help: "size to resize to" },
  ...SELECTOR_OPTIONS,
  ...RULE_OPTIONS,
  ...DRY_RUN_OPTION,
} as const;

type NewRollout = Parameters<Wheelwright["createRollout"]>[1];

export async function buildRolloutBody(
  api: Wheelwright,
  action: string,
  options: OptionValues<typeof NEW_ROLLOUT_OPTIONS>,
): Promise<NewRollout> {
  if (action === "upgrade" && options.to === undefined) throw missing("upgrade", "--to VERSION", "versions");
  if (action === "resize" && options.size === undefined) throw missing("resize", "--size SIZE", "sizes");
  if (Object.keys(SELECTOR_OPTIONS).every((name) => options[name as keyof typeof SELECTOR_OPTIONS] === undefined)) {
    throw new UsageError("Select spokes with --hub, --spoke or another option, or use --all");
  }
  const number = (name: "canary" | "max-unavailable" | "max-failures") =>
    options[name] === undefined ? undefined : parseCount(`--${name}`, options[name]);
  const { hub, spoke, canary, watch } = options;
  const window = options.window === undefined ? undefined : parseWindow(options.window);
  const minutes = watch === undefined ? 10 : Math.ceil(parseDuration("--watch", watch) / MINUTE);
  return {
    action: action as NewRollout["action"], // the server checks it
    lmsVersion: options.to,
    skipBackup: options["skip-backup"],
    size: options.size,
    selector: {
      all: options.all || undefined,
      ids: spoke && await Promise.all(spoke.map(async (name) => (await resolveSpokeId(api, name)))),
      federationId: hub,
      q: options.search,
      ...buildSpokeFilter(options),
      behind: options.behind,
    },
    canary: canary === undefined && watch === undefined ? undefined : { spokes: number("canary") ?? 1, minutes },
    batch: options.batch,
    maxUnavailable: number("max-unavailable"),
    maxFailures: number("max-failures"),
    window,
  };
}

function missing(action: string, option: string, list: string): UsageError {
  return new UsageError(
    `wheelwright rollouts create ${action} needs ${option}. For the ${list}, see 'wheelwright catalog'`,
  );
}

function parseCount(option: string, text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new UsageError(`${option} must be a whole number`);
}

/** Parses a window such as `sat,sun 22:00-05:00 Europe/Berlin`. The server checks the values. */
function parseWindow(text: string): NonNullable<NewRollout["window"]> {
  const [, days = "", from = "", to = "", timeZone = ""] = /^(\S+) +([\d:]+)-([\d:]+) +(\S+)$/.exec(text.trim()) ?? [];
  if (!timeZone) {
    throw new UsageError("--window must be days, times and a time zone: 'sat,sun 22:00-05:00 Europe/Berlin'");
  }
  return { days: days.toLowerCase().split(",") as never, from, to, timeZone };
}
