/** Declares a verb for each action on spokes, such as `restart`. Each verb accepts one or more spokes. */
import type { BulkOutcome, BulkPreview, SpokeAction } from "#lib/client/client.ts";
import { ACTION_DECLARATIONS } from "#lib/client/fields.ts";
import { type CliContext, defineCommand, type OptionDeclarations, type ParsedArguments } from "./command.ts";
import { UsageError } from "./exit-status.ts";
import { formatSpokeName, readHubSlugs, requireSpoke, resolveSpokeId } from "./find-spoke.ts";
import { showRecord } from "./output.ts";
import { showBulkOutcomes, showBulkPreview } from "./spoke-bulk-verb.ts";
import { DRY_RUN_OPTION, waitForSpoke } from "./spoke-change-verbs.ts";
import { createDeclaredOption, type DeclaredValue, toOptionName } from "./spoke-fields.ts";
import { formatActionPreviewLines } from "./spoke-views.ts";
import { parseWaitTime, WAIT_OPTIONS } from "./wait-for-operations.ts";

type ActionName = keyof typeof ACTION_DECLARATIONS;

interface DeclaredParameter extends DeclaredValue {
  readonly required?: true;
  readonly example?: string;
}

/** The options that are named differently from their parameter, with their placeholder in the help. */
const OPTION_NAMES: Readonly<Record<string, readonly [name: string, placeholder: string]>> = {
  lmsVersion: ["to", "VERSION"],
};

/** The parameters of an action with their options' names and placeholders. */
function parametersOf(action: ActionName) {
  const declared: Readonly<Record<string, DeclaredParameter>> = ACTION_DECLARATIONS[action].parameters;
  return Object.entries(declared).map(([name, parameter]) => {
    const [option, placeholder] = OPTION_NAMES[name] ?? [toOptionName(name)];
    return { name, parameter, option, placeholder };
  });
}

function optionsOf(action: ActionName): OptionDeclarations {
  return Object.fromEntries(
    parametersOf(action).map(({ parameter, option, placeholder }) =>
      [option, createDeclaredOption(parameter, placeholder)] as const
    ),
  );
}

/** Returns the required options of an action with example values, for the examples in the help. */
function exampleOptions(action: ActionName): string {
  const required = parametersOf(action).filter(({ parameter }) => parameter.required);
  return required.map(({ option, parameter: { example } }) => ` --${option} ${example}`).join("");
}

export const spokeActionVerbs = (Object.keys(ACTION_DECLARATIONS) as ActionName[]).map((name) =>
  defineCommand({
    name,
    summary: ACTION_DECLARATIONS[name].summary.replace(/\.$/, ""),
    words: ["SPOKE..."],
    options: { ...optionsOf(name), ...DRY_RUN_OPTION, ...WAIT_OPTIONS },
    examples: [
      `spokes ${name} north/ash${exampleOptions(name)}`,
      `spokes ${name} north/ash north/birch${exampleOptions(name)} --no-wait`,
    ],
    run: (cli, { words, options }) => runAction(cli, name, words, options),
  })
);

async function runAction(
  cli: CliContext,
  action: ActionName,
  words: readonly string[],
  options: ParsedArguments["options"],
): Promise<void> {
  const waitTime = parseWaitTime(options);
  for (const { parameter: { required, catalogued: list }, option, placeholder } of parametersOf(action)) {
    if (!required || options[option] !== undefined) continue;
    const from = list ? `. For the ${list}, see 'wheelwright catalog'` : "";
    throw new UsageError(
      `wheelwright spokes ${action} needs --${option} ${placeholder ?? option.toUpperCase()}${from}`,
    );
  }
  const values = parametersOf(action).map(({ name, option }) => [name, options[option]]);
  const request: SpokeAction = { action, ...Object.fromEntries(values) };
  if (words.length > 1) {
    return await runActionOnMany(cli, request, words, options["dry-run"] ? "preview" : waitTime);
  }
  const [word] = words, spokeId = await resolveSpokeId(cli.api, word!);
  if (options["dry-run"]) {
    const preview = await cli.api.actOnSpoke({ spokeId, dryRun: true }, request);
    return showRecord(cli, preview, formatActionPreviewLines, preview.spokeId);
  }
  const spoke = await cli.api.actOnSpoke({ spokeId }, request);
  await waitForSpoke(cli, spoke, word!, waitTime, ({ state }) => {
    return waitTime === null ? `${action} of ${word} was accepted` : `${action} of ${word} is done. State: ${state}`;
  });
}

/** Runs or previews an action on several spokes with one API request, and shows the outcome for each spoke. */
async function runActionOnMany(
  cli: CliContext,
  request: SpokeAction,
  words: readonly string[],
  waitTime: number | null | "preview",
): Promise<void> {
  const hubs = await readHubSlugs(cli.api);
  const spokes = await Promise.all(words.map((word) => requireSpoke(cli.api, word)));
  const names = new Map(spokes.map((spoke) => [spoke.id, formatSpokeName(spoke, hubs)]));
  const body = { ...request, ids: [...names.keys()] };
  if (waitTime === "preview") {
    return await showBulkPreview(cli, await cli.api.actOnSpokes({ dryRun: true }, body) as BulkPreview);
  }
  await showBulkOutcomes(cli, await cli.api.actOnSpokes({}, body) as BulkOutcome[], names, waitTime);
}
