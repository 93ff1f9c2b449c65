/** Defines a verb for each action on spokes. A verb takes one spoke or several. */
import type { BulkOutcome, SpokeAction } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { type Cli, verb, type VerbFlags } from "./verb-declaration.ts";
import { showJson, showList, showRecord } from "./output.ts";
import { hubSlugs, lookUpSpoke, spokeIdOf, spokeName } from "./find-spoke.ts";
import { DRY_RUN, settleSpoke } from "./spoke-change-verbs.ts";
import { previewLines } from "./spoke-views.ts";
import { MISUSED } from "./exit-status.ts";
import { finish, patienceOf, throwFailures, WAITING } from "./wait-for-operations.ts";

type ActionName = SpokeAction["action"];

const SUMMARIES: Readonly<Record<ActionName, string>> = {
  suspend: "Stop spokes; data, address and certificate stay",
  resume: "Start suspended spokes again",
  restart: "Replace the pods of spokes",
  upgrade: "Take spokes to another version, after a backup",
  resize: "Give spokes another size",
  "maintenance-on": "Show visitors of spokes that they are in maintenance",
  "maintenance-off": "Open spokes to visitors again",
  "purge-caches": "Empty the caches of spokes",
  backup: "Back spokes up now",
  "run-cron": "Run the scheduled tasks of spokes now",
  "reset-admin-password": "Set a new password for the administrators of sites",
  reapply: "Put back what differs from the blueprint (operators)",
  retry: "Go on with an install or an upgrade that failed",
};

/** The flags that only some actions have. */
const WISHES: { readonly [action in ActionName]?: VerbFlags } = {
  upgrade: {
    to: { type: "string", value: "VERSION", help: "the target version; wheelwright catalog lists them" },
    "skip-backup": { type: "boolean", help: "go on without a backup, where the cluster can take none" },
  },
  resize: { size: { type: "string", help: "the new size; wheelwright catalog lists them" } },
};

const GIVEN: { readonly [action in ActionName]?: string } = { upgrade: " --to 5.2.2", resize: " --size large" };

interface Given {
  readonly "no-wait"?: boolean;
  readonly timeout?: string;
  readonly "dry-run"?: boolean;
  readonly to?: string;
  readonly size?: string;
  readonly "skip-backup"?: boolean;
}

export const actionVerbs = (Object.keys(SUMMARIES) as ActionName[]).map((name) =>
  verb({
    name,
    summary: SUMMARIES[name],
    words: ["SPOKE..."],
    flags: { ...WISHES[name], "dry-run": DRY_RUN, ...WAITING } as VerbFlags,
    examples: [
      `spokes ${name} north/ash${GIVEN[name] ?? ""}`,
      `spokes ${name} north/ash north/birch${GIVEN[name] ?? ""} --no-wait`,
    ],
    async run(cli, { words, flags }) {
      await act(cli, name, words, flags as Given);
    },
  })
);

async function act(cli: Cli, action: ActionName, words: readonly string[], flags: Given): Promise<void> {
  const patience = patienceOf(flags);
  requireTarget(action, flags);
  const wish = { action, lmsVersion: flags.to, size: flags.size, skipBackup: flags["skip-backup"] };
  if (words.length > 1) return await actOnMany(cli, wish, words, flags, patience);
  const [word] = words, spokeId = await spokeIdOf(cli.api, word!);
  if (flags["dry-run"]) {
    const preview = await cli.api.actOnSpoke({ spokeId, dryRun: true }, wish);
    return showRecord(cli, preview, previewLines(preview), preview.spokeId);
  }
  const spoke = await cli.api.actOnSpoke({ spokeId }, wish);
  await settleSpoke(cli, spoke, word!, patience, ({ state }) => {
    return patience === null ? `${action} of ${word} is accepted` : `${action} of ${word} is done; it is ${state}`;
  });
}

function requireTarget(action: ActionName, { to, size }: Given): void {
  const missing = action === "upgrade" && to === undefined
    ? ["--to VERSION", "versions"]
    : action === "resize" && size === undefined
    ? ["--size SIZE", "sizes"]
    : null;
  if (!missing) return;
  const message = `wheelwright spokes ${action} needs ${missing[0]}; wheelwright catalog lists the ${missing[1]}`;
  throw new CommandError(MISUSED, message);
}

/** Runs an action on several spokes with one request, and shows the outcome for each spoke. */
async function actOnMany(
  cli: Cli,
  wish: SpokeAction,
  words: readonly string[],
  flags: Given,
  patience: number | null,
): Promise<void> {
  if (flags["dry-run"]) throw new CommandError(MISUSED, "--dry-run shows one spoke at a time");
  const hubs = await hubSlugs(cli.api), spokes = await Promise.all(words.map((word) => lookUpSpoke(cli.api, word)));
  const names = new Map(spokes.map((spoke) => [spoke.id, spokeName(spoke, hubs)]));
  const outcomes = await cli.api.actOnSpokes({}, { ...wish, ids: [...names.keys()] });
  const begun = outcomes.flatMap(({ id, spoke }) =>
    spoke ? [{ label: names.get(id) ?? id, operation: spoke.operation }] : []
  );
  const ended = await finish(cli, begun, patience);
  if (cli.json) showJson(cli, outcomes);
  else showOutcomes(cli, outcomes, names);
  const refusals = outcomes.flatMap(({ id, error }) => error ? [{ name: names.get(id) ?? id, error }] : []);
  throwFailures(begun, ended, refusals);
}

function showOutcomes(cli: Cli, outcomes: readonly BulkOutcome[], names: ReadonlyMap<string, string>): void {
  showList(cli, outcomes, [
    ["SPOKE", ({ id }) => names.get(id) ?? id],
    ["OUTCOME", ({ accepted }) => accepted ? "accepted" : "refused", "state"],
  ]);
}
