/** Parses command-line options. Returns its own error messages, because those of Node's parseArgs are unclear. */
import { parseArgs, type ParseArgsOptionDescriptor } from "node:util";
import { findNearestName } from "#lib/base/nearest-name.ts";

export type OptionDeclarations = Readonly<Record<string, ParseArgsOptionDescriptor & { readonly help: string }>>;

/** Returns the option values, the tokens, and the first problem, which is null if the options are valid. */
export function parseOptions(options: OptionDeclarations, line: readonly string[]) {
  const { values, tokens } = parseArgs({
    ...{ args: [...line], options },
    ...{ strict: false, allowPositionals: true, tokens: true },
  });
  const problem = tokens.map((token) => token.kind === "option" ? findOptionError(options, token) : null).find(
    Boolean,
  );
  return { values, tokens, problem: problem ?? null };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function findOptionError(options: OptionDeclarations, token: OptionToken): string | null {
  const { name, rawName, value, inlineValue } = token;
  const declaration = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!declaration) {
    const suggestion = suggestSimilarName(rawName, Object.keys(options).map((each) => `--${each}`));
    return `Unknown option ${rawName}${suggestOption(rawName, Object.keys(options)) || suggestion}`;
  }
  if (declaration.type === "boolean") return value === undefined ? null : `Option ${rawName} takes no value`;
  return value && (inlineValue || value === "-" || !value.startsWith("-"))
    ? null
    : `Option ${rawName} needs a value: ${declaration.help}`;
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
