/** Parses the part of the command line after a verb: arguments, the verb's own flags and the common flags. */
import { CommandError } from "../commands/command.ts";
import { parseOptions } from "../commands/parse-options.ts";
import {
  type CliContext,
  type CommandGroup,
  type GroupCommand,
  isRepeatableArgument,
  isRequiredArgument,
  type ParsedArguments,
  placeholderName,
  type VerbFlags,
} from "./verb-declaration.ts";
import { EXIT_USAGE } from "./exit-status.ts";

/** The flags that every verb accepts. */
export const COMMON_FLAGS: VerbFlags = {
  json: { type: "boolean", help: "print the API's JSON, or only some fields: --json=id,state" },
  quiet: { type: "boolean", short: "q", help: "print only IDs" },
  output: { type: "string", short: "o", value: "wide", help: "show all columns, even if they do not fit the terminal" },
  profile: { type: "string", value: "PROFILE", help: "use the server of this profile (see login --profile)" },
  help: { type: "boolean", short: "h", help: "show this help" },
};

/** The meaning of each argument, for the error message about a missing argument. */
const ARGUMENT_MEANINGS: Readonly<Record<string, string>> = {
  SPOKE: "the ID, HUB/SLUG or domain of a spoke",
  HUB: "the slug or ID of a hub",
};

const FIELDS = /^[A-Za-z]\w*(?:\.\w+)*(?:,[A-Za-z]\w*(?:\.\w+)*)*$/;

export type CliOptions = Pick<CliContext, "json" | "quiet" | "wide" | "profile">;

interface Parsed extends CliOptions {
  readonly typed: ParsedArguments;
}

export function formatVerbTitle(noun: Pick<CommandGroup, "name">, verb: GroupCommand): string {
  return [noun.name, verb.name].filter(Boolean).join(" ");
}

/** Parses the command line after a verb. Throws a CommandError if the line is invalid. */
export function parseVerb(noun: CommandGroup, verb: GroupCommand, line: readonly string[]): Parsed {
  const title = formatVerbTitle(noun, verb);
  const { values, tokens, problem } = parseOptions({ ...verb.flags, ...COMMON_FLAGS }, line.map(removeFields));
  if (problem) throw createUsageError(title, problem);
  const { json, next } = parseFields(verb, line, tokens);
  const words = tokens.flatMap((token) => token.kind === "positional" && token.index !== next ? [token.value] : []);
  const wrong = checkArguments(title, verb, words);
  if (wrong) throw createUsageError(title, wrong);
  const { quiet, profile, output, json: _, help: __, ...flags } = values;
  if (output !== undefined && output !== "wide") {
    throw createUsageError(title, `-o accepts only the value wide${suggestOutput(String(output))}`);
  }
  const common = { json, quiet: quiet === true, wide: output === "wide", profile: profile as string | undefined };
  return { ...common, typed: { flags: flags as ParsedArguments["flags"], words } };
}

/** Returns advice for a value of `-o` that other tools accept but Wheelwright does not, such as `-o yaml`. */
function suggestOutput(value: string): string {
  if (value === "name") return ". For IDs, use --quiet";
  return /^(?:json|yaml|yml|jsonpath.*|custom-columns.*|go-template.*)$/.test(value) ? ". For JSON, use --json" : "";
}

export function createUsageError(title: string, problem: string): CommandError {
  return new CommandError(
    EXIT_USAGE,
    `${problem}\nRun 'wheelwright ${title} --help' for details.`.replaceAll("  ", " "),
  );
}

/** Returns `--json` for `--json=id,state`, and other arguments unchanged. `parseFields` reads the field names. */
function removeFields(argument: string): string {
  return /^--json=/.test(argument) ? "--json" : argument;
}

/**
 * Returns the fields given with `--json`: from `--json=id,state`, or from the argument after `--json`. The latter
 * is read as a list of fields if it contains a comma, or if the verb already has all its required arguments.
 */
function parseFields(verb: GroupCommand, line: readonly string[], tokens: ReturnType<typeof parseOptions>["tokens"]) {
  const at = tokens.findLast((token) => token.kind === "option" && token.name === "json")?.index;
  if (at === undefined) return { json: null, next: -1 };
  const inline = line[at]!.slice("--json=".length);
  if (line[at]!.startsWith("--json=")) {
    if (!FIELDS.test(inline)) {
      throw new CommandError(EXIT_USAGE, "--json= needs field names, for example --json=id,state");
    }
    return { json: inline.split(","), next: -1 };
  }
  const next = tokens.find((token) => token.kind === "positional" && token.index === at + 1);
  if (next?.kind === "positional" && FIELDS.test(next.value)) {
    const others = tokens.filter((token) => token.kind === "positional").length - 1;
    const enough = others >= verb.words.filter(isRequiredArgument).length && !verb.words.some(isRepeatableArgument);
    if (enough || next.value.includes(",")) return { json: next.value.split(","), next: next.index };
  }
  return { json: "all" as const, next: -1 };
}

function checkArguments(title: string, { words, flags }: GroupCommand, args: readonly string[]): string | null {
  const missing = words.filter(isRequiredArgument)[args.length];
  if (missing) {
    const word = placeholderName(missing);
    return `wheelwright ${title} needs ${word}${ARGUMENT_MEANINGS[word] ? `: ${ARGUMENT_MEANINGS[word]}` : ""}`;
  }
  if (args.includes("")) return "An argument is empty. Check that all shell variables are set";
  if (args.length <= words.length || words.some(isRepeatableArgument)) return null;
  // The error message does not repeat the extra argument, because it may be a password.
  if (flags["password"]) return `wheelwright ${title} received too many arguments. Pass secrets on standard input`;
  return `Unexpected argument "${args[words.length]}"`;
}
