/** Defines a command-line verb for each action on spokes, such as `restart`. Each verb accepts one or more spokes. */
import type { BulkOutcome, SpokeAction } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { type CliContext, defineVerb, type VerbFlags } from "./verb-declaration.ts";
import { showJson, showList, showRecord } from "./output.ts";
import { formatSpokeName, readHubSlugs, requireSpoke, resolveSpokeId } from "./find-spoke.ts";
import { DRY_RUN_FLAG, waitForSpoke } from "./spoke-change-verbs.ts";
import { formatActionPreviewLines } from "./spoke-views.ts";
import { EXIT_USAGE } from "./exit-status.ts";
import { parseWaitTime, throwOperationFailures, WAIT_FLAGS, waitForOperations } from "./wait-for-operations.ts";

type ActionName = SpokeAction["action"];

const SUMMARIES: Readonly<Record<ActionName, string>> = {
  suspend: "Stop spokes, and keep their data, address and certificate",
  resume: "Start suspended spokes again",
  restart: "Restart the pods of spokes",
  upgrade: "Upgrade spokes to another Moodle version, after a backup",
  resize: "Change the CPU, memory and storage of spokes",
  "maintenance-on": "Turn maintenance mode on: only administrators can use the site",
  "maintenance-off": "Turn maintenance mode off",
  "purge-caches": "Purge the Moodle caches of spokes",
  backup: "Back up spokes now",
  "run-cron": "Run the scheduled Moodle tasks of spokes now",
  "reset-admin-password": "Reset the password of each site's administrator",
  reapply: "Apply the blueprint again, to repair drift (operators only)",
  retry: "Retry a failed install or upgrade",
};

/** Flags that only certain actions accept, keyed by action. */
const OWN_FLAGS: { readonly [action in ActionName]?: VerbFlags } = {
  upgrade: {
    to: { type: "string", value: "VERSION", help: "target version; see 'wheelwright catalog'" },
    "skip-backup": { type: "boolean", help: "upgrade without a backup, if the cluster does not support backups" },
  },
  resize: { size: { type: "string", help: "new size; see 'wheelwright catalog'" } },
};

const EXAMPLE_FLAGS: { readonly [action in ActionName]?: string } = { upgrade: " --to 5.2.2", resize: " --size large" };

interface SpokeActionFlags {
  readonly "no-wait"?: boolean;
  readonly timeout?: string;
  readonly "dry-run"?: boolean;
  readonly to?: string;
  readonly size?: string;
  readonly "skip-backup"?: boolean;
}

export const spokeActionVerbs = (Object.keys(SUMMARIES) as ActionName[]).map((name) =>
  defineVerb({
    name,
    summary: SUMMARIES[name],
    words: ["SPOKE..."],
    flags: { ...OWN_FLAGS[name], "dry-run": DRY_RUN_FLAG, ...WAIT_FLAGS } as VerbFlags,
    examples: [
      `spokes ${name} north/ash${EXAMPLE_FLAGS[name] ?? ""}`,
      `spokes ${name} north/ash north/birch${EXAMPLE_FLAGS[name] ?? ""} --no-wait`,
    ],
    async run(cli, { words, flags }) {
      await runAction(cli, name, words, flags as SpokeActionFlags);
    },
  })
);

async function runAction(
  cli: CliContext,
  action: ActionName,
  words: readonly string[],
  flags: SpokeActionFlags,
): Promise<void> {
  const waitTime = parseWaitTime(flags);
  requireTarget(action, flags);
  const request = { action, lmsVersion: flags.to, size: flags.size, skipBackup: flags["skip-backup"] };
  if (words.length > 1) return await runActionOnMany(cli, request, words, flags, waitTime);
  const [word] = words, spokeId = await resolveSpokeId(cli.api, word!);
  if (flags["dry-run"]) {
    const preview = await cli.api.actOnSpoke({ spokeId, dryRun: true }, request);
    return showRecord(cli, preview, formatActionPreviewLines(preview), preview.spokeId);
  }
  const spoke = await cli.api.actOnSpoke({ spokeId }, request);
  await waitForSpoke(cli, spoke, word!, waitTime, ({ state }) => {
    return waitTime === null ? `${action} of ${word} was accepted` : `${action} of ${word} is done. State: ${state}`;
  });
}

function requireTarget(action: ActionName, { to, size }: SpokeActionFlags): void {
  const missing = action === "upgrade" && to === undefined
    ? ["--to VERSION", "versions"]
    : action === "resize" && size === undefined
    ? ["--size SIZE", "sizes"]
    : null;
  if (!missing) return;
  const message = `wheelwright spokes ${action} needs ${missing[0]}. For the ${missing[1]}, see 'wheelwright catalog'`;
  throw new CommandError(EXIT_USAGE, message);
}

/** Runs an action on several spokes with one API request, and shows the outcome for each spoke. */
async function runActionOnMany(
  cli: CliContext,
  request: SpokeAction,
  words: readonly string[],
  flags: SpokeActionFlags,
  waitTime: number | null,
): Promise<void> {
  if (flags["dry-run"]) throw new CommandError(EXIT_USAGE, "--dry-run accepts only one spoke");
  const hubs = await readHubSlugs(cli.api),
    spokes = await Promise.all(words.map((word) => requireSpoke(cli.api, word)));
  const names = new Map(spokes.map((spoke) => [spoke.id, formatSpokeName(spoke, hubs)]));
  const outcomes = await cli.api.actOnSpokes({}, { ...request, ids: [...names.keys()] });
  const operations = outcomes.flatMap(({ id, spoke }) =>
    spoke ? [{ label: names.get(id) ?? id, operation: spoke.operation }] : []
  );
  const result = await waitForOperations(cli, operations, waitTime);
  if (cli.json) showJson(cli, outcomes);
  else showOutcomes(cli, outcomes, names);
  const refusals = outcomes.flatMap(({ id, error }) => error ? [{ name: names.get(id) ?? id, error }] : []);
  throwOperationFailures(operations, result, refusals);
}

function showOutcomes(cli: CliContext, outcomes: readonly BulkOutcome[], names: ReadonlyMap<string, string>): void {
  showList(cli, outcomes, [
    ["SPOKE", ({ id }) => names.get(id) ?? id],
    ["OUTCOME", ({ accepted }) => accepted ? "accepted" : "refused", "state"],
  ]);
}
