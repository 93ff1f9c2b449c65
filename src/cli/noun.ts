/** What a noun of the command line is, and its verbs. Dispatch, help and completion come from this declaration. */
import type { ProcessVariables } from "#lib/base/environment.ts";
import type { Wheelwright } from "#lib/client/client.ts";
import type { Terminal } from "./terminal.ts";

interface VerbFlag {
  readonly type: "string" | "boolean";
  readonly help: string;
  /** What stands for its value in the help, and what completes it: `HUB`, or the values themselves as `a|b|c`. */
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

export interface Typed<Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>> {
  readonly flags: Flags;
  readonly words: readonly string[];
}

/** What a verb has at hand. */
export interface Cli {
  readonly env: ProcessVariables;
  readonly terminal: Terminal;
  /** Everything as JSON, or only these fields; null for text. */
  readonly json: "all" | readonly string[] | null;
  /** Those of the fields that nobody was told of yet that there are none. */
  readonly untold: Set<string>;
  readonly quiet: boolean;
  /** Whether tables show every column, by `-o wide`. */
  readonly wide: boolean;
  /** As it was given by --profile. */
  readonly profile: string | undefined;
  /** The server that is signed in to. Throws CommandError where there is none. */
  readonly api: Wheelwright;
  /** The same for what needs nobody to sign in. */
  readonly publicApi: Wheelwright;
}

interface VerbDeclared<F extends VerbFlags> {
  /** Empty where the noun says it all. */
  readonly name: string;
  readonly summary: string;
  /** The words that follow, each with its meaning: `SPOKE` is needed, `[HUB]` is not, `SPOKE...` may be several. */
  readonly words?: readonly string[];
  readonly flags?: F;
  /** What the help says besides. */
  readonly more?: string;
  /** Lines that work as they stand, without the program's name. */
  readonly examples: readonly string[];
  readonly run: (cli: Cli, typed: Typed<FlagValues<F>>) => Promise<void>;
}

export type Verb = ReturnType<typeof verb>;

export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly Verb[];
  /** Verbs of its name that use no server, but what is on this machine: src/commands has them. */
  readonly here?: readonly (readonly [verb: string, what: string])[];
}

/** A verb as it is declared, with what it need not say. */
export function verb<const F extends VerbFlags = Record<never, never>>(declared: VerbDeclared<F>) {
  const { name, summary, words = [], more = "", examples } = declared, flags: VerbFlags = declared.flags ?? {};
  const run = async (cli: Cli, typed: Typed) => await declared.run(cli, typed as unknown as Typed<FlagValues<F>>);
  return { name, summary, words, flags, more, examples, run };
}

/** Such a word without its marks. */
export function bareWord(word: string): string {
  return word.replace(/^\[|\.\.\.|\]$/g, "");
}

export const isNeeded = (word: string): boolean => !word.startsWith("[");
export const mayRepeat = (word: string): boolean => word.includes("...");
