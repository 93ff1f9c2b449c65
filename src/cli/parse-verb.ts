/** Parses the command line after a verb: arguments, the verb's own flags and the common flags. */
import { CommandError } from "../commands/command.ts";
import { readLine } from "../commands/parse-options.ts";
import {
  bareWord,
  type Cli,
  isNeeded,
  mayRepeat,
  type Noun,
  type Typed,
  type Verb,
  type VerbFlags,
} from "./verb-declaration.ts";
import { MISUSED } from "./exit-status.ts";

/** The flags that every verb has. */
export const COMMON: VerbFlags = {
  json: { type: "boolean", help: "JSON, as the API has it; --json=id,state for these fields alone" },
  quiet: { type: "boolean", short: "q", help: "ids alone, and nothing that is no data" },
  output: { type: "string", short: "o", value: "wide", help: "every column, also those that do not fit the terminal" },
  profile: { type: "string", value: "PROFILE", help: "the server that was signed in to under this name" },
  help: { type: "boolean", short: "h", help: "this" },
};

/** The explanation of an argument, for the error that it is missing. */
const MEANINGS: Readonly<Record<string, string>> = {
  SPOKE: "a spoke's id, HUB/SLUG, or its domain",
  HUB: "a hub's slug or id",
};

const FIELDS = /^[A-Za-z]\w*(?:\.\w+)*(?:,[A-Za-z]\w*(?:\.\w+)*)*$/;

export type CliOptions = Pick<Cli, "json" | "quiet" | "wide" | "profile">;

interface Parsed extends CliOptions {
  readonly typed: Typed;
}

export function verbTitle(noun: Pick<Noun, "name">, verb: Verb): string {
  return [noun.name, verb.name].filter(Boolean).join(" ");
}

/** Parses the line of a verb. Throws a CommandError for an invalid line. */
export function parseVerb(noun: Noun, verb: Verb, line: readonly string[]): Parsed {
  const title = verbTitle(noun, verb);
  const { values, tokens, problem } = readLine(title, { ...verb.flags, ...COMMON }, line.map(withoutFields));
  if (problem) throw misused(title, problem);
  const { json, next } = fieldsOf(verb, line, tokens);
  const words = tokens.flatMap((token) => token.kind === "positional" && token.index !== next ? [token.value] : []);
  const wrong = problemOfWords(title, verb, words);
  if (wrong) throw misused(title, wrong);
  const { quiet, profile, output, json: _, help: __, ...flags } = values;
  if (output !== undefined && output !== "wide") {
    throw misused(title, `-o is for wide alone${otherOutput(String(output))}`);
  }
  const own = { json, quiet: quiet === true, wide: output === "wide", profile: profile as string | undefined };
  return { ...own, typed: { flags: flags as Typed["flags"], words } };
}

/** Returns advice for a value of `-o` that other tools accept. */
function otherOutput(value: string): string {
  if (value === "name") return "; --quiet prints ids";
  return /^(?:json|yaml|yml|jsonpath.*|custom-columns.*|go-template.*)$/.test(value) ? "; --json prints JSON" : "";
}

export function misused(title: string, problem: string): CommandError {
  return new CommandError(MISUSED, `${problem}\nwheelwright ${title} --help tells more`.replaceAll("  ", " "));
}

/** Returns `--json` for `--json=id,state`, and other arguments unchanged. `fieldsOf` reads the fields. */
function withoutFields(argument: string): string {
  return /^--json=/.test(argument) ? "--json" : argument;
}

/**
 * Returns the fields of `--json`, from `--json=id,state` or from the argument after `--json`. That argument lists
 * fields if it contains a comma, or if the verb has all required arguments without it.
 */
function fieldsOf(verb: Verb, line: readonly string[], tokens: ReturnType<typeof readLine>["tokens"]) {
  const at = tokens.findLast((token) => token.kind === "option" && token.name === "json")?.index;
  if (at === undefined) return { json: null, next: -1 };
  const inline = line[at]!.slice("--json=".length);
  if (line[at]!.startsWith("--json=")) {
    if (!FIELDS.test(inline)) throw new CommandError(MISUSED, "--json= needs names of fields, such as --json=id,state");
    return { json: inline.split(","), next: -1 };
  }
  const next = tokens.find((token) => token.kind === "positional" && token.index === at + 1);
  if (next?.kind === "positional" && FIELDS.test(next.value)) {
    const others = tokens.filter((token) => token.kind === "positional").length - 1;
    const enough = others >= verb.words.filter(isNeeded).length && !verb.words.some(mayRepeat);
    if (enough || next.value.includes(",")) return { json: next.value.split(","), next: next.index };
  }
  return { json: "all" as const, next: -1 };
}

function problemOfWords(title: string, { words, flags }: Verb, given: readonly string[]): string | null {
  const lacking = words.filter(isNeeded)[given.length];
  if (lacking) {
    const word = bareWord(lacking);
    return `wheelwright ${title} needs ${word}${MEANINGS[word] ? `: ${MEANINGS[word]}` : ""}`;
  }
  if (given.includes("")) return "A word is empty; is a variable not set?";
  if (given.length <= words.length || words.some(mayRepeat)) return null;
  // The extra word may be the password, so the message does not repeat it.
  if (flags["password"]) return `wheelwright ${title} has one word too many; secrets come from standard input`;
  return `"${given[words.length]}" is one word too many`;
}
