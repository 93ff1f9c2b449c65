/** Implements `wheelwright spokes bulk`, which runs an action on all spokes that match filters. */
import type { BulkOutcome, BulkPreview, Wheelwright } from "#lib/client/client.ts";
import { type CliContext, defineCommand, type OptionValues } from "./command.ts";
import { UsageError } from "./exit-status.ts";
import { formatSpokeName, readHubSlugs } from "./find-spoke.ts";
import { showJson, showList, showRecord } from "./output.ts";
import { confirmByTyping, YES_OPTION } from "./prompt.ts";
import { DRY_RUN_OPTION } from "./spoke-change-verbs.ts";
import { buildSpokeFilter, SPOKE_FILTER_OPTIONS } from "./spoke-filter-options.ts";
import { formatCount } from "#lib/base/text.ts";
import { formatClockDuration } from "./times.ts";
import { parseWaitTime, throwOperationFailures, WAIT_OPTIONS, waitForOperations } from "./wait-for-operations.ts";

const SELECTION_OPTIONS = {
  all: { type: "boolean", help: "all spokes that you can see" },
  hub: { type: "string", value: "HUB", help: "only spokes in this hub" },
  search: { type: "string", value: "TEXT", help: "only spokes with this text in their slug, name or domain" },
  ...SPOKE_FILTER_OPTIONS,
} as const;

const BULK_OPTIONS = {
  to: { type: "string", value: "VERSION", help: "version to upgrade to" },
  "skip-backup": { type: "boolean", help: "upgrade without a backup if the cluster cannot take one" },
  size: { type: "string", value: "SIZE", help: "size to resize to" },
  email: { type: "string", value: "EMAIL", help: "email address of the person to suspend or reinstate" },
  ...SELECTION_OPTIONS,
  ...DRY_RUN_OPTION,
  ...YES_OPTION,
  ...WAIT_OPTIONS,
} as const;

type BulkBody = Parameters<Wheelwright["actOnSpokes"]>[1];

export const spokeBulkVerb = defineCommand({
  name: "bulk",
  summary: "Run an action on all spokes that match filters, or destroy them, after a preview",
  words: ["ACTION"],
  options: BULK_OPTIONS,
  more: "ACTION is an action such as upgrade, or destroy. At most 500 spokes; 'rollouts create' is for more. " +
    "If the spokes change after the preview, nothing is started.",
  examples: [
    "spokes bulk upgrade --to 5.2.2 --hub north --dry-run",
    "spokes bulk suspend --hub north --yes",
    "spokes bulk suspend-person --email cy@school.example --hub north",
    "spokes bulk destroy --state failed --hub north",
  ],
  async run(cli, { words: [action], options }) {
    const body = buildBulkBody(action, options), waitTime = parseWaitTime(options);
    const preview = await cli.api.actOnSpokes({ dryRun: true }, body) as BulkPreview;
    if (options["dry-run"]) return await showBulkPreview(cli, preview);
    const spokes = formatCount(preview.possible, "spoke");
    if (preview.possible === 0) throw new UsageError("No spoke that matches can run this action. See --dry-run");
    await confirmByTyping(cli, options.yes, `This starts ${action} of ${spokes}`, String(preview.possible));
    await runBulkAction(cli, { ...body, expected: preview.selection }, preview, waitTime);
  },
});

function buildBulkBody(action: string, options: OptionValues<typeof BULK_OPTIONS>): BulkBody {
  if (Object.keys(SELECTION_OPTIONS).every((name) => options[name as keyof typeof SELECTION_OPTIONS] === undefined)) {
    throw new UsageError("Select spokes with --hub, --state or another option, or use --all");
  }
  const filter = { ...buildSpokeFilter(options), federationId: options.hub, q: options.search };
  return {
    action: action as BulkBody["action"], // the server checks it
    filter: { all: options.all || undefined, ...filter },
    lmsVersion: options.to,
    size: options.size,
    email: options.email,
    skipBackup: options["skip-backup"],
  };
}

/** Shows what an action on several spokes would do. */
export async function showBulkPreview(cli: CliContext, preview: BulkPreview): Promise<void> {
  if (cli.json) return showJson(cli, preview);
  const { action, parameters, possible, refused, downtimes, usualSeconds, price, spokes } = preview;
  const total = downtimes === null || usualSeconds === null ? null : downtimes * usualSeconds;
  showRecord(cli, preview, () => [
    ["action", [action, ...Object.values(parameters).map(String)].join(" ")],
    ["possible", formatCount(possible, "spoke")],
    ["not possible", refused === 0 ? null : formatCount(refused, "spoke")],
    ["usual duration", usualSeconds === null ? null : formatClockDuration(usualSeconds * 1000)],
    ["sites with downtime", downtimes === null ? "those whose pods change" : String(downtimes)],
    ["total downtime", total === null || total === 0 ? null : formatClockDuration(total * 1000)],
    ["price per month", price.available ? `${price.recurringMonthly} (minor units of ${price.currency})` : null],
  ], "");
  const hubs = await readHubSlugs(cli.api);
  showList(cli, spokes, [
    ["SPOKE", (one) => formatSpokeName(one, hubs)],
    ["STATE", (one) => one.state, "state"],
    ["BECOMES", (one) => one.becomes, "state"],
    ["REASON", (one) => one.reason],
  ], ({ spokeId }) => spokeId);
}

async function runBulkAction(
  cli: CliContext,
  body: BulkBody,
  { spokes }: BulkPreview,
  waitTime: number | null,
): Promise<void> {
  const hubs = await readHubSlugs(cli.api);
  const names = new Map(spokes.map((spoke) => [spoke.spokeId, formatSpokeName(spoke, hubs)]));
  await showBulkOutcomes(cli, await cli.api.actOnSpokes({}, body) as BulkOutcome[], names, waitTime);
}

/** Waits for the operations, and shows the outcome for each spoke. `names` has the spokes' names by ID. */
export async function showBulkOutcomes(
  cli: CliContext,
  outcomes: readonly BulkOutcome[],
  names: ReadonlyMap<string, string>,
  waitTime: number | null,
): Promise<void> {
  const nameOf = ({ id }: { readonly id: string }) => names.get(id) ?? id;
  const operations = outcomes.flatMap(({ id, spoke }) =>
    spoke ? [{ label: nameOf({ id }), operation: spoke.operation }] : []
  );
  const result = await waitForOperations(cli, operations, waitTime);
  if (cli.json) showJson(cli, outcomes);
  else {
    showList(cli, outcomes, [
      ["SPOKE", nameOf],
      ["OUTCOME", ({ accepted }) => accepted ? "accepted" : "refused", "state"],
    ]);
  }
  const refusals = outcomes.flatMap(({ id, error }) => error ? [{ name: nameOf({ id }), error }] : []);
  throwOperationFailures(operations, result, refusals);
}
