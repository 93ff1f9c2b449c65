/** Reads a command line's options, and says in words what is wrong with one: what parseArgs says is made for programmers. */
import { parseArgs, type ParseArgsOptionDescriptor } from "node:util";
import { findNearestName } from "#lib/base/nearest-name.ts";

export type LineOptions = Readonly<Record<string, ParseArgsOptionDescriptor & { readonly help: string }>>;

/** `name` is the command's, for what is said. */
export function readLine(name: string, options: LineOptions, line: readonly string[]) {
  const { values, tokens } = parseArgs({
    ...{ args: [...line], options },
    ...{ strict: false, allowPositionals: true, tokens: true },
  });
  const problem = tokens.map((token) => token.kind === "option" ? problemOf(name, options, token) : null).find(Boolean);
  return { values, tokens, problem: problem ?? null };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function problemOf(command: string, options: LineOptions, token: OptionToken): string | null {
  const { name, rawName, value, inlineValue } = token;
  const known = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!known) {
    const meant = didYouMean(rawName, Object.keys(options).map((each) => `--${each}`));
    return `wheelwright ${command} has no option ${rawName}${optionHabit(rawName, Object.keys(options)) || meant}`;
  }
  if (known.type === "boolean") return value === undefined ? null : `${rawName} takes no value`;
  return value && (inlineValue || value === "-" || !value.startsWith("-"))
    ? null
    : `${rawName} needs a value: ${known.help}`;
}

/** The end of a sentence on an option that other command lines have; empty for any other option. */
export function optionHabit(rawName: string, options: readonly string[]): string {
  if (["--version", "-V", "-v"].includes(rawName)) return "; wheelwright --version prints the version";
  if (["-o", "--output", "--format"].includes(rawName) && options.includes("json")) return "; --json prints JSON";
  return ["--force", "-f"].includes(rawName) && options.includes("yes") ? "; --yes answers the question" : "";
}

/** What a sentence on a mistyped name ends with. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = findNearestName(name, known);
  return meant === null ? "" : `; did you mean ${meant}?`;
}
