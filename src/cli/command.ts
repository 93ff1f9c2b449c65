/** Declares commands: their arguments, options, help, and the function that runs them. */
import type { ProcessVariables } from "#lib/base/environment.ts";
import type { Wheelwright } from "#lib/client/client.ts";
import type { Terminal } from "./terminal.ts";

export interface OptionDeclaration {
  readonly type: "string" | "boolean";
  readonly help: string;
  /** The value in the help and for completion: a placeholder such as `HUB`, or the allowed values as `a|b|c`. */
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
}

export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>;

/** The values of the declared options. An option with `multiple` has an array of values. */
export type OptionValues<O extends OptionDeclarations> = {
  readonly [name in keyof O]?: O[name] extends { readonly type: "boolean" } ? boolean
    : O[name] extends { readonly multiple: true } ? readonly string[]
    : O[name] extends { readonly value: `${infer One}|${infer Others}` } ? One | Choice<Others>
    : string;
};

type Choice<T extends string> = T extends `${infer One}|${infer Others}` ? One | Choice<Others> : T;

/** The values of the declared arguments. A repeatable argument stands alone, or follows one other argument. */
type ArgumentValues<W extends readonly string[]> = W extends readonly [`${string}...${string}`] ? readonly string[]
  : W extends readonly [string, `${string}...${string}`] ? readonly [string, ...string[]]
  : { readonly [i in keyof W]: W[i] extends `[${string}` ? string | undefined : string };

export interface ParsedArguments<
  Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>,
  Words = readonly string[],
> {
  readonly options: Options;
  readonly words: Words;
}

/** The context in which a command runs: the common options, the terminal and the API client. */
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
  /** The value of `--profile`. */
  readonly profile: string | undefined;
  /** An API client with the user's token. Reading this property throws a CommandError if the user is not signed in. */
  readonly api: Wheelwright;
  /** An API client for endpoints that do not require the user to sign in. */
  readonly publicApi: Wheelwright;
}

interface CommandDeclaration<O extends OptionDeclarations, W extends readonly string[]> {
  /** The verb after the noun, such as `list`. Omitted if the noun is the whole command, as in `wheelwright login`. */
  readonly name?: string;
  /** Omitted with `name`: the noun's own summary is used. */
  readonly summary?: string;
  /** The arguments' placeholders: `SPOKE` is required, `[HUB]` is optional, and `SPOKE...` can be repeated. */
  readonly words?: W;
  readonly options?: O;
  /** The arguments and options as the help shows them, one line per variant (default: `words`). */
  readonly usage?: readonly string[];
  /** Additional text in the help of this command. */
  readonly more?: string;
  /** Complete command lines without the program's name. */
  readonly examples?: readonly string[];
  /** Whether the command works on this machine, and so lacks the common options of commands that call a server. */
  readonly local?: boolean;
  readonly run: (cli: CliContext, typed: ParsedArguments<OptionValues<O>, ArgumentValues<W>>) => Promise<void> | void;
}

/** A command with all properties of its declaration. `name` is empty if the noun is the whole command. */
export interface Command extends Required<CommandDeclaration<OptionDeclarations, readonly string[]>> {
  readonly run: (cli: CliContext, typed: ParsedArguments) => Promise<void> | void;
}

/** A noun with its verbs, or a command without verbs, such as `login`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly Command[];
}

export function defineCommand<
  const O extends OptionDeclarations = Record<never, never>,
  const W extends readonly string[] = readonly [],
>(declared: CommandDeclaration<O, W>): Command {
  const defaults = { name: "", summary: "", words: [], options: {}, usage: [], more: "", examples: [], local: false };
  return { ...defaults, ...declared, run: declared.run as unknown as Command["run"] };
}

/** Returns an argument's placeholder without brackets and dots, for example `HUB` for `[HUB]`. */
export function placeholderName(word: string): string {
  return word.replace(/^\[|\.\.\.|\]$/g, "");
}

export const isRequiredArgument = (word: string): boolean => !word.startsWith("[");
export const isRepeatableArgument = (word: string): boolean => word.includes("...");
