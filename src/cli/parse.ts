/** Parses the part of a command line after the command: arguments, the command's own options and common options. */
import { parseArgs } from "node:util";
import { findNearestName } from "#lib/base/nearest-name.ts";
import {
  type CliContext,
  type Command,
  type CommandGroup,
  isRepeatableArgument,
  isRequiredArgument,
  type OptionDeclarations,
  type ParsedArguments,
  placeholderName,
} from "./command.ts";
import { UsageError } from "./exit-status.ts";

const HELP_OPTION: OptionDeclarations = { help: { type: "boolean", short: "h", help: "show this help" } };
/** The options of every command that calls a server. */
const CLIENT_OPTIONS: OptionDeclarations = {
  json: { type: "boolean", help: "print the API's JSON, or only some fields: --json=id,state" },
  quiet: { type: "boolean", short: "q", help: "print only IDs" },
  output: { type: "string", short: "o", value: "wide", help: "show all columns, even if they do not fit the terminal" },
  profile: { type: "string", value: "PROFILE", help: "use the server of this profile (see login --profile)" },
  ...HELP_OPTION,
};

export function commonOptions({ local }: Command): OptionDeclarations {
  return local ? HELP_OPTION : CLIENT_OPTIONS;
}

/** The meaning of each argument, for the error message about a missing argument. */
const ARGUMENT_MEANINGS: Readonly<Record<string, string>> = {
  SPOKE: "the ID, HUB/SLUG or domain of a spoke",
  HUB: "the slug or ID of a hub",
  FILE: "a path, or - for standard input or output",
};

const FIELDS = /^[A-Za-z]\w*(?:\.\w+)*(?:,[A-Za-z]\w*(?:\.\w+)*)*$/;

export type CliOptions = Pick<CliContext, "json" | "quiet" | "wide" | "profile">;

export function formatTitle(noun: Pick<CommandGroup, "name">, { name }: Pick<Command, "name">): string {
  return `${noun.name} ${name}`.trim();
}

/** Parses the command line after a command. Throws a UsageError if the line is invalid. */
export function parseCommand(title: string, command: Command, line: readonly string[]) {
  const declared = { ...command.options, ...commonOptions(command) }, { local } = command;
  const args = line.map((argument) => !local && argument.startsWith("--json=") ? "--json" : argument); // see parseFields
  const { values, tokens } = splitLine(args, declared);
  for (const token of tokens) if (token.kind === "option") checkOption(declared, token);
  const { json, next } = local ? { json: null, next: -1 } : parseFields(command, line, tokens);
  const words = tokens.flatMap((token) => token.kind === "positional" && token.index !== next ? [token.value] : []);
  checkArguments(title, command, words);
  if (local) return { json, quiet: false, wide: false, profile: undefined, typed: toArguments(values, words) };
  const { quiet, profile, output, json: _, help: __, ...options } = values;
  if (output !== undefined && output !== "wide") {
    throw new UsageError(`-o accepts only the value wide${suggestOutput(String(output))}`);
  }
  const common = { json, quiet: quiet === true, wide: output === "wide", profile: profile as string | undefined };
  return { ...common, typed: toArguments(options, words) };
}

function toArguments(values: object, words: readonly string[]): ParsedArguments {
  return { options: values as ParsedArguments["options"], words };
}

function splitLine(args: string[], options: OptionDeclarations) {
  return parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
}

type Token = ReturnType<typeof splitLine>["tokens"][number];
type OptionToken = Extract<Token, { readonly kind: "option" }>;

/** Throws a UsageError if the option is unknown or its value is wrong, because Node's own messages are unclear. */
function checkOption(options: OptionDeclarations, { name, rawName, value, inlineValue }: OptionToken): void {
  const declared = Object.hasOwn(options, name) ? options[name] : undefined, names = Object.keys(options);
  if (!declared) {
    const similar = suggestOption(rawName, names) || suggestSimilarName(rawName, names.map((each) => `--${each}`));
    throw new UsageError(`Unknown option ${rawName}${similar}`);
  }
  if (declared.type === "boolean") {
    if (value !== undefined) throw new UsageError(`Option ${rawName} takes no value`);
  } else if (!value || !inlineValue && value !== "-" && value.startsWith("-")) {
    throw new UsageError(`Option ${rawName} needs a value: ${declared.help}`);
  } else requireChoice(rawName, declared.value ?? "", value);
}

/** Throws a UsageError if the declaration lists the allowed values, as `a|b|c`, and this value is not one of them. */
function requireChoice(name: string, declared: string, value: string): void {
  const choices = declared.split("|");
  if (choices.length === 1 || choices.includes(value)) return;
  const list = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
  throw new UsageError(`${name} must be ${list}${suggestSimilarName(value, choices)}`);
}

/** Returns a hint for an option that only other programs have, such as `--force`, or an empty string. */
export function suggestOption(rawName: string, options: readonly string[]): string {
  if (["--version", "-V", "-v"].includes(rawName)) return ". To print the version, run 'wheelwright --version'";
  if (["-o", "--output", "--format"].includes(rawName) && options.includes("json")) return ". For JSON, use --json";
  return ["--force", "-f"].includes(rawName) && options.includes("yes") ? ". To skip the confirmation, use --yes" : "";
}

/** Returns a hint for a mistyped name, or an empty string if no known name is similar. */
export function suggestSimilarName(name: string, names: readonly string[]): string {
  const suggestion = findNearestName(name, names);
  return suggestion === null ? "" : `. Did you mean ${suggestion}?`;
}

/** Returns advice for a value of `-o` that other tools accept but Wheelwright does not, such as `-o yaml`. */
function suggestOutput(value: string): string {
  if (value === "name") return ". For IDs, use --quiet";
  return /^(?:json|yaml|yml|jsonpath.*|custom-columns.*|go-template.*)$/.test(value) ? ". For JSON, use --json" : "";
}

/**
 * Returns the fields given with `--json`: from `--json=id,state`, or from the argument after `--json`. The latter is
 * read as a list of fields if it contains a comma, or if the command already has all its required arguments.
 */
function parseFields({ words }: Command, line: readonly string[], tokens: readonly Token[]) {
  const at = tokens.findLast((token) => token.kind === "option" && token.name === "json")?.index;
  if (at === undefined) return { json: null, next: -1 };
  if (line[at]!.startsWith("--json=")) {
    const inline = line[at]!.slice("--json=".length);
    if (!FIELDS.test(inline)) throw new UsageError("--json= needs field names, for example --json=id,state");
    return { json: inline.split(","), next: -1 };
  }
  const next = tokens.find((token) => token.kind === "positional" && token.index === at + 1);
  if (next?.kind === "positional" && FIELDS.test(next.value)) {
    const others = tokens.filter((token) => token.kind === "positional").length - 1;
    const enough = others >= words.filter(isRequiredArgument).length && !words.some(isRepeatableArgument);
    if (enough || next.value.includes(",")) return { json: next.value.split(","), next: next.index };
  }
  return { json: "all" as const, next: -1 };
}

function checkArguments(title: string, { words, options }: Command, args: readonly string[]): void {
  const missing = words.filter(isRequiredArgument)[args.length];
  if (missing) {
    const word = placeholderName(missing), meaning = ARGUMENT_MEANINGS[word];
    throw new UsageError(`wheelwright ${title} needs ${word}${meaning ? `: ${meaning}` : ""}`);
  }
  if (args.includes("")) throw new UsageError("An argument is empty. Check that all shell variables are set");
  words.forEach((word, i) => args[i] === undefined || requireChoice("The argument", placeholderName(word), args[i]));
  if (args.length <= words.length || words.some(isRepeatableArgument)) return;
  // The error message does not repeat the extra argument, because it may be a password.
  throw new UsageError(
    options["password"]
      ? `wheelwright ${title} received too many arguments. Pass secrets on standard input`
      : `Unexpected argument "${args[words.length]}"`,
  );
}
