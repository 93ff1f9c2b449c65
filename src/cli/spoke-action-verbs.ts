/** Defines a command-line verb for each action on spokes, such as `restart`. Each verb accepts one or more spokes. */
import type { BulkOutcome, SpokeAction } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { ACTION_DECLARATIONS } from "#lib/client/fields.ts";
import { type CliContext, defineVerb, type ParsedArguments, type VerbFlags } from "./verb-declaration.ts";
import { createDeclaredFlag, type DeclaredValue, toFlagName } from "./declared-flags.ts";
import { showJson, showList, showRecord } from "./output.ts";
import { formatSpokeName, readHubSlugs, requireSpoke, resolveSpokeId } from "./find-spoke.ts";
import { DRY_RUN_FLAG, waitForSpoke } from "./spoke-change-verbs.ts";
import { formatActionPreviewLines } from "./spoke-views.ts";
import { EXIT_USAGE } from "./exit-status.ts";
import { parseWaitTime, throwOperationFailures, WAIT_FLAGS, waitForOperations } from "./wait-for-operations.ts";

type ActionName = keyof typeof ACTION_DECLARATIONS;

interface DeclaredParameter extends DeclaredValue {
  readonly required?: true;
  readonly example?: string;
}

function parametersOf(action: ActionName): readonly (readonly [name: string, DeclaredParameter])[] {
  return Object.entries(ACTION_DECLARATIONS[action].parameters);
}

/** The flags that are named differently from their parameter. */
const FLAG_NAMES: Readonly<Record<string, string>> = { lmsVersion: "to" };
/** The placeholders in the help, where the flag's name says too little. */
const PLACEHOLDERS: Readonly<Record<string, string>> = { lmsVersion: "VERSION" };

function flagNameFor(parameter: string): string {
  return FLAG_NAMES[parameter] ?? toFlagName(parameter);
}

function placeholderFor(parameter: string): string {
  return PLACEHOLDERS[parameter] ?? flagNameFor(parameter).toUpperCase();
}

function flagsOf(action: ActionName): VerbFlags {
  return Object.fromEntries(
    parametersOf(action).map(([name, declared]) => {
      return [flagNameFor(name), createDeclaredFlag(declared, { placeholder: PLACEHOLDERS[name] })];
    }),
  );
}

/** Returns the required flags of an action with example values, for the examples in the help. */
function exampleFlags(action: ActionName): string {
  return parametersOf(action).filter(([, { required }]) => required)
    .map(([name, { example }]) => ` --${flagNameFor(name)} ${example}`).join("");
}

export const spokeActionVerbs = (Object.keys(ACTION_DECLARATIONS) as ActionName[]).map((name) =>
  defineVerb({
    name,
    summary: ACTION_DECLARATIONS[name].summary.replace(/\.$/, ""),
    words: ["SPOKE..."],
    flags: { ...flagsOf(name), "dry-run": DRY_RUN_FLAG, ...WAIT_FLAGS },
    examples: [
      `spokes ${name} north/ash${exampleFlags(name)}`,
      `spokes ${name} north/ash north/birch${exampleFlags(name)} --no-wait`,
    ],
    async run(cli, { words, flags }) {
      await runAction(cli, name, words, flags);
    },
  })
);

async function runAction(
  cli: CliContext,
  action: ActionName,
  words: readonly string[],
  flags: ParsedArguments["flags"],
): Promise<void> {
  const waitTime = parseWaitTime(flags);
  requireParameters(action, flags);
  const values = parametersOf(action).map(([name]) => [name, flags[flagNameFor(name)]]);
  const request: SpokeAction = { action, ...Object.fromEntries(values) };
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

function requireParameters(action: ActionName, flags: ParsedArguments["flags"]): void {
  const [name, parameter] =
    parametersOf(action).find(([name, { required }]) => required && flags[flagNameFor(name)] === undefined) ?? [];
  if (name === undefined) return;
  const from = parameter?.catalogued ? `. For the ${parameter.catalogued}, see 'wheelwright catalog'` : "";
  const flag = `--${flagNameFor(name)} ${placeholderFor(name)}`;
  throw new CommandError(EXIT_USAGE, `wheelwright spokes ${action} needs ${flag}${from}`);
}

/** Runs an action on several spokes with one API request, and shows the outcome for each spoke. */
async function runActionOnMany(
  cli: CliContext,
  request: SpokeAction,
  words: readonly string[],
  flags: ParsedArguments["flags"],
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
