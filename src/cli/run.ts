/** Runs a client command: finds the subcommand, parses arguments, and converts errors to a message and exit status. */
import { processEnvironment } from "#lib/base/environment.ts";
import { suggestOption } from "../commands/parse-options.ts";
import { connectSignedIn, connectWithoutSignIn } from "./connection.ts";
import { suggestVerb } from "./suggestions.ts";
import { renderGroupHelp, renderVerbHelp } from "./help.ts";
import type { CliContext, CommandGroup, GroupCommand } from "./verb-declaration.ts";
import { clientCommands } from "./nouns.ts";
import { print, printWarning } from "./output.ts";
import { type CliOptions, createUsageError, parseVerb } from "./parse-verb.ts";
import { describeError } from "./exit-status.ts";
import { detectTerminal } from "./terminal.ts";

/** Runs a command line that starts with the noun `name`, such as `hubs`. Returns the exit status. */
export async function runClientCommand(name: string, line: readonly string[]): Promise<number> {
  // Exits when the program that reads this output closes the pipe, as `head` does.
  process.stdout.once("error", () => process.exit(process.exitCode ?? 0));
  const entry = clientCommands.find((noun) => noun.name === name);
  try {
    if (!entry) return await (await import("./complete.ts")).printCompletions(createCliContext, line);
    const noun = await entry.load(), { verb, rest } = findVerb(noun, line);
    if (wantsHelp(rest) || !verb) {
      print(verb ? renderVerbHelp(noun, verb) : renderGroupHelp(noun));
      return 0;
    }
    const { typed, ...options } = parseVerb(noun, verb, rest);
    await verb.run(createCliContext(options), typed);
    return 0;
  } catch (error) {
    const { status, message } = describeError(error);
    if (message) printWarning(message);
    return status;
  }
}

function wantsHelp(line: readonly string[]): boolean {
  const end = line.indexOf("--");
  return (end < 0 ? line : line.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

/** Returns the verb, such as `list`, or null if no verb follows the noun. Throws a CommandError for an unknown verb. */
function findVerb(
  noun: CommandGroup,
  line: readonly string[],
): { readonly verb: GroupCommand | null; readonly rest: readonly string[] } {
  const [only] = noun.verbs;
  if (only!.name === "") return { verb: only!, rest: line };
  const [name, ...rest] = line;
  if (name === undefined || name.startsWith("-")) {
    if (name === undefined || wantsHelp(line)) return { verb: null, rest: [] };
    throw createUsageError(
      noun.name,
      `wheelwright ${noun.name} needs a subcommand before ${name}${suggestOption(name, [])}`,
    );
  }
  const verb = noun.verbs.find((each) => each.name === name);
  if (verb) return { verb, rest };
  const names = [...noun.verbs.map((each) => each.name), ...(noun.localVerbs ?? []).map(([name]) => name)];
  const suggestion = suggestVerb(noun, name) || `. Available: ${names.join(", ")}`;
  throw createUsageError(noun.name, `Unknown subcommand "${name}" of wheelwright ${noun.name}${suggestion}`);
}

/** Creates the context in which a verb runs. Reads the settings only when the verb uses the server. */
function createCliContext(options: CliOptions): CliContext {
  const env = processEnvironment();
  let api: CliContext["api"] | undefined;
  const terminal = detectTerminal(env);
  const cli: CliContext = {
    ...options,
    env,
    unreportedFields: new Set(Array.isArray(options.json) ? options.json : []),
    terminal: options.wide ? { ...terminal, width: Infinity } : terminal,
    get api() {
      return api ??= connectSignedIn(cli);
    },
    get publicApi() {
      return connectWithoutSignIn(cli);
    },
  };
  return cli;
}

export type CreateCliContext = typeof createCliContext;
