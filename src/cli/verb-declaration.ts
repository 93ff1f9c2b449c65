/** Declares nouns of the command line and their verbs. Dispatch, help and completion use these declarations. */
import type { ProcessVariables } from "#lib/base/environment.ts";
import type { Wheelwright } from "#lib/client/client.ts";
import type { Terminal } from "./terminal.ts";

interface VerbFlag {
  readonly type: "string" | "boolean";
  readonly help: string;
  /**
   * The placeholder of the value in the help, such as `HUB`, or the values as `a|b|c`. It also selects the completion.
   */
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

/** The context in which a verb runs. */
export interface CliContext {
  readonly env: ProcessVariables;
  readonly terminal: Terminal;
  /** The fields to print as JSON, or `all`. Null prints text. */
  readonly json: "all" | readonly string[] | null;
  /** Fields of `--json` for which no warning was printed yet. Each unknown field causes one warning. */
  readonly unreportedFields: Set<string>;
  readonly quiet: boolean;
  /** Whether tables show every column (`-o wide`). */
  readonly wide: boolean;
  /** The value of `--profile`. */
  readonly profile: string | undefined;
  /** The client of the server that the user is signed in to. Throws a CommandError if the user is not signed in. */
  readonly api: Wheelwright;
  /** A client for endpoints that need no sign-in. */
  readonly publicApi: Wheelwright;
}

interface VerbDeclaration<F extends VerbFlags> {
  /** Empty if the noun is the whole command, as in `wheelwright login`. */
  readonly name: string;
  readonly summary: string;
  /** The arguments, by meaning: `SPOKE` is required, `[HUB]` is optional, `SPOKE...` can repeat. */
  readonly words?: readonly string[];
  readonly flags?: F;
  /** Additional text for the help. */
  readonly more?: string;
  /** Complete command lines, without the program's name. */
  readonly examples: readonly string[];
  readonly run: (cli: CliContext, typed: ParsedArguments<FlagValues<F>>) => Promise<void>;
}

export type CliVerb = ReturnType<typeof verb>;

export interface CliNoun {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly CliVerb[];
  /** Subcommands of the server command with the same name, each with its description. See src/commands. */
  readonly localVerbs?: readonly (readonly [verb: string, what: string])[];
}

/** Creates a verb from its declaration and sets defaults for the optional parts. */
export function verb<const F extends VerbFlags = Record<never, never>>(declared: VerbDeclaration<F>) {
  const { name, summary, words = [], more = "", examples } = declared, flags: VerbFlags = declared.flags ?? {};
  const run = async (cli: CliContext, typed: ParsedArguments) =>
    await declared.run(cli, typed as unknown as ParsedArguments<FlagValues<F>>);
  return { name, summary, words, flags, more, examples, run };
}

/** Returns the name of an argument without brackets and dots: `HUB` for `[HUB]`. */
export function placeholderName(word: string): string {
  return word.replace(/^\[|\.\.\.|\]$/g, "");
}

export const isRequiredArgument = (word: string): boolean => !word.startsWith("[");
export const isRepeatableArgument = (word: string): boolean => word.includes("...");
