/** Runs a command on a server: finds the verb, parses the line and turns errors into a message and an exit status. */
import { processEnvironment } from "#lib/base/environment.ts";
import { optionHabit } from "../commands/parse-options.ts";
import { openPublic, openSignedIn } from "./connection.ts";
import { verbMeant } from "./suggestions.ts";
import { helpOfNoun, helpOfVerb } from "./help.ts";
import type { Cli, Noun, Verb } from "./verb-declaration.ts";
import { nouns } from "./nouns.ts";
import { print, warn } from "./output.ts";
import { type CliOptions, misused, parseVerb } from "./parse-verb.ts";
import { commandEnding } from "./exit-status.ts";
import { findTerminal } from "./terminal.ts";

/** Runs a noun's command line and returns the exit status. */
export async function runNoun(name: string, line: readonly string[]): Promise<number> {
  // Exits when the reader closes the pipe, as `head` does.
  process.stdout.once("error", () => process.exit(process.exitCode ?? 0));
  const entry = nouns.find((noun) => noun.name === name);
  try {
    if (!entry) return await (await import("./complete.ts")).complete(openCli, line);
    const noun = await entry.load(), { verb, rest } = verbOf(noun, line);
    if (wantsHelp(rest) || !verb) {
      print(verb ? helpOfVerb(noun, verb) : helpOfNoun(noun));
      return 0;
    }
    const { typed, ...options } = parseVerb(noun, verb, rest);
    await verb.run(openCli(options), typed);
    return 0;
  } catch (error) {
    const { status, message } = commandEnding(error);
    if (message) warn(message);
    return status;
  }
}

function wantsHelp(line: readonly string[]): boolean {
  const end = line.indexOf("--");
  return (end < 0 ? line : line.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

/** Finds the verb; null for the noun alone. Throws a CommandError if the noun has no such verb. */
function verbOf(noun: Noun, line: readonly string[]): { readonly verb: Verb | null; readonly rest: readonly string[] } {
  const [only] = noun.verbs;
  if (only!.name === "") return { verb: only!, rest: line };
  const [name, ...rest] = line;
  if (name === undefined || name.startsWith("-")) {
    if (name === undefined || wantsHelp(line)) return { verb: null, rest: [] };
    throw misused(noun.name, `wheelwright ${noun.name} needs a verb before ${name}${optionHabit(name, [])}`);
  }
  const verb = noun.verbs.find((each) => each.name === name);
  if (verb) return { verb, rest };
  const names = [...noun.verbs.map((each) => each.name), ...(noun.here ?? []).map(([name]) => name)];
  const meant = verbMeant(noun, name) || `; there are ${names.join(", ")}`;
  throw misused(noun.name, `There is no wheelwright ${noun.name} ${name}${meant}`);
}

/** Creates the context of a verb. It reads the settings only when the verb uses the server. */
function openCli(options: CliOptions): Cli {
  const env = processEnvironment();
  let api: Cli["api"] | undefined;
  const terminal = findTerminal(env);
  const cli: Cli = {
    ...options,
    env,
    untold: new Set(Array.isArray(options.json) ? options.json : []),
    terminal: options.wide ? { ...terminal, width: Infinity } : terminal,
    get api() {
      return api ??= openSignedIn(cli);
    },
    get publicApi() {
      return openPublic(cli);
    },
  };
  return cli;
}

export type OpenCli = typeof openCli;
