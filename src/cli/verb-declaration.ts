/** Defines the types that describe client commands and their verbs, for dispatch, help and completion. */
import type { ProcessVariables } from "#lib/base/environment.ts";
import type { Wheelwright } from "#lib/client/client.ts";
import type { Terminal } from "./terminal.ts";

interface VerbFlag {
  readonly type: "string" | "boolean";
  readonly help: string;
  /** The flag's value in the help and for completion: a placeholder such as `HUB`, or the choices as `a|b|c`. */
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
}

export type VerbFlags = Readonly<Record<string, VerbFlag>>;

type FlagValues<F extends VerbFlags> = {
  readonly [name in keyof F]?: F[name] extends { readonly type: "boolean" } ? boolean
    : F[name] extends { readonly multiple: true } ? readonly string[]
    : string;
};

export interface ParsedArguments<Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>> {
  readonly flags: Flags;
  readonly words: readonly string[];
}

/** The context that a verb receives when it runs: the settings, the terminal and the API client. */
export interface CliContext {
  readonly env: ProcessVariables;
  readonly terminal: Terminal;
  /** The fields to print as JSON; `all` prints every field. Null prints text instead of JSON. */
  readonly json: "all" | readonly string[] | null;
  /** Fields named by `--json` that have not caused a warning yet. Each unknown field causes only one warning. */
  readonly unreportedFields: Set<string>;
  readonly quiet: boolean;
  /** Whether tables show every column, as with `-o wide`. */
  readonly wide: boolean;
  /** The value of the `--profile` flag. */
  readonly profile: string | undefined;
  /** An API client with the user's token. Reading this property throws a CommandError if the user is not signed in. */
  readonly api: Wheelwright;
  /** An API client for endpoints that do not require the user to sign in. */
  readonly publicApi: Wheelwright;
}

interface VerbDeclaration<F extends VerbFlags> {
  /** The verb's name. Empty if the command has no verb, as in `wheelwright login`. */
  readonly name: string;
  readonly summary: string;
  /** The arguments' placeholders: `SPOKE` is required, `[HUB]` is optional, and `SPOKE...` can be repeated. */
  readonly words?: readonly string[];
  readonly flags?: F;
  /** Additional text that the help shows for this verb. */
  readonly more?: string;
  /** Examples of complete command lines, without the program's name. */
  readonly examples: readonly string[];
  readonly run: (cli: CliContext, typed: ParsedArguments<FlagValues<F>>) => Promise<void>;
}

export type GroupCommand = ReturnType<typeof defineVerb>;

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly GroupCommand[];
  /** Names and descriptions of subcommands that src/commands implements for a command with the same name. */
  readonly localVerbs?: readonly (readonly [verb: string, what: string])[];
}

/** Creates a verb from its declaration, with default values for omitted properties. */
export function defineVerb<const F extends VerbFlags = Record<never, never>>(declared: VerbDeclaration<F>) {
  const { name, summary, words = [], more = "", examples } = declared, flags: VerbFlags = declared.flags ?? {};
  const run = async (cli: CliContext, typed: ParsedArguments) =>
    await declared.run(cli, typed as unknown as ParsedArguments<FlagValues<F>>);
  return { name, summary, words, flags, more, examples, run };
}

/** Returns an argument's placeholder without brackets and dots, for example `HUB` for `[HUB]`. */
export function placeholderName(word: string): string {
  return word.replace(/^\[|\.\.\.|\]$/g, "");
}

export const isRequiredArgument = (word: string): boolean => !word.startsWith("[");
export const isRepeatableArgument = (word: string): boolean => word.includes("...");
